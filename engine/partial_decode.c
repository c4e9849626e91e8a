#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "engine/crc32.h"
#include "engine/partial_code.h"
#include "engine/partial_state.h"

/* Once something is wrong, err says what, and zeros are read. */
struct reader {
	const unsigned char *next, *end;
	bool failed;
	struct error *err;
};

static void wrong(struct reader *r, const char *what, const char *which)
{
	if (!r->failed)
		fail(r->err, STATUS_BAD_VALUE, "not a partial result of foldd: %s%s%s", what,
		     which[0] != '\0' ? " of " : "", which);
	r->failed = true;
}

static uint64_t take(struct reader *r, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->next) < size)
		wrong(r, "it ends early", "");
	if (r->failed)
		return 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)r->next[i] << 8 * i;
	r->next += size;
	return value;
}

/* A code below `codes`. */
static unsigned take_code(struct reader *r, unsigned codes, const char *what, const char *which)
{
	uint64_t code = take(r, 1);

	if (code < codes)
		return (unsigned)code;
	wrong(r, what, which);
	return 0;
}

static void check_envelope(struct reader *r, size_t size)
{
	uint64_t version, crc;

	if (size < PARTIAL_HEAD_SIZE || memcmp(r->next, PARTIAL_MAGIC, 4) != 0) {
		wrong(r, size < PARTIAL_HEAD_SIZE ? "it is too short" : "it begins otherwise", "");
		return;
	}
	r->next += 4;
	version = take(r, 4);
	if (version != PARTIAL_VERSION) {
		fail(r->err, STATUS_BAD_VALUE,
		     "a partial result of version %llu; this foldd reads version %u alone",
		     (unsigned long long)version, PARTIAL_VERSION);
		r->failed = true;
		return;
	}
	if (size > PARTIAL_MAX_SIZE)
		wrong(r, "it is too long", "");
	crc = take(r, 4);
	if (!r->failed && crc != crc32_of(r->next, (size_t)(r->end - r->next)))
		wrong(r, "its checksum does not agree: it is damaged", "");
}

static void take_op(struct reader *r, struct job *job, unsigned i)
{
	char key[OP_KEY_SIZE];
	unsigned length = take_code(r, sizeof(key), "an operation's name is too long", "");

	for (unsigned k = 0; k < length; k++)
		key[k] = (char)take(r, 1);
	key[length] = '\0';
	if (r->failed)
		return;
	if (strlen(key) != length || op_parse(key, &job->ops[i].spec, NULL) != STATUS_OK) {
		fail(r->err, STATUS_BAD_VALUE,
		     "not a partial result of foldd: there is no operation \"%s\"", key);
		r->failed = true;
	} else if (i > 0 && strcmp(job->ops[i - 1].spec.key, key) >= 0) {
		wrong(r, "its operations are not in order", "");
	}
}

struct head {
	struct job job;
	enum dtype dtype;
	uint64_t length, count;
};

static void take_head(struct reader *r, struct head *head)
{
	struct job *job = &head->job;

	*head = (struct head){
		.job = {.kind = JOB_REDUCE, .determinism = DETERMINISM_EXACT, .partial = true}};
	head->dtype = take_code(r, DTYPE_COUNT, "there is no such element type", "");
	job->nan = take_code(r, NAN_ERROR + 1, "there is no such NaN rule", "");
	job->overflow = take_code(r, OVERFLOW_SATURATE + 1, "there is no such overflow rule", "");
	job->op_count = take_code(r, JOB_MAX_OPS + 1, "it has too many operations", "");
	head->length = take(r, 8);
	head->count = take(r, 8);
	if (job->op_count == 0)
		wrong(r, "it has no operation", "");
	for (unsigned i = 0; i < job->op_count && !r->failed; i++)
		take_op(r, job, i);
}

/* The plan of the job that leaves such a state; refused where there is none. */
static void check_head(struct reader *r, const struct head *head, struct plan *plan)
{
	const struct array_desc desc = {.dtype = head->dtype, .ndim = 1, .shape = {head->length}};
	bool pair = false;
	struct limits limits;
	struct error err = {0};

	if (r->failed)
		return;
	if (partial_check_length(head->dtype, head->length, 0, r->err) != STATUS_OK) {
		r->failed = true;
		return;
	}
	for (unsigned i = 0; i < head->job.op_count; i++)
		pair = pair || head->job.ops[i].spec.op == OP_DOT;
	limits_default(&limits);
	if (plan_make(plan, &head->job, &desc, pair ? &desc : NULL, &limits, &err) != STATUS_OK)
		wrong(r, err.text, "");
	else if (head->count > head->length ||
		 (head->count < head->length &&
		  !(head->job.nan == NAN_OMIT && dtype_is_float(head->dtype))))
		wrong(r, "an impossible count", "");
}

/* Digits from the first that is not 0 to the last, inside a struct exactsum. */
static void take_digits(struct reader *r, struct exactsum *sum, bool negative, const char *which)
{
	int place = (int16_t)take(r, 2);
	int first = place - PARTIAL_PLACE_LOW;
	unsigned count = (unsigned)take(r, 2);

	if (first < 0 || count == 0 || place + (int64_t)count > PARTIAL_PLACE_END)
		wrong(r, "digits out of place in the sum", which);
	if (r->failed)
		return;
	sum->lo = (int16_t)first;
	sum->hi = (int16_t)(first + (int)count - 1);
	for (int i = sum->lo; i <= sum->hi; i++) {
		int64_t digit = (int64_t)take(r, 4);

		sum->digit[i] = negative ? -digit : digit;
		if (digit == 0 && (i == sum->lo || i == sum->hi))
			wrong(r, "digits that are not normalized in the sum", which);
	}
	exactsum_normalize(sum);
}

static void take_exact(struct reader *r, struct exactsum *sum, bool signs_zero, const char *which)
{
	unsigned kind = take_code(r, PARTIAL_SUM_KINDS, "an unknown kind of sum", which);

	sum->other = kind != PARTIAL_SUM_NEGATIVE_ZERO;
	switch (kind) {
	case PARTIAL_SUM_POSITIVE:
	case PARTIAL_SUM_NEGATIVE:
		take_digits(r, sum, kind == PARTIAL_SUM_NEGATIVE, which);
		break;
	case PARTIAL_SUM_NEGATIVE_ZERO:
		sum->neg_zero = true;
		if (!signs_zero)
			wrong(r, "a negative zero where none can be, in the sum", which);
		break;
	case PARTIAL_SUM_INFINITY:
		sum->pos_inf = true;
		break;
	case PARTIAL_SUM_NEGATIVE_INFINITY:
		sum->neg_inf = true;
		break;
	case PARTIAL_SUM_NAN:
		sum->nan = true;
		break;
	default:
		break;
	}
}

static void take_product(struct reader *r, struct intprod *product)
{
	unsigned kind = take_code(r, PARTIAL_PRODUCT_KINDS, "an unknown kind of product", "");

	product->negative =
		kind == PARTIAL_PRODUCT_NEGATIVE || kind == PARTIAL_PRODUCT_NEGATIVE_HUGE;
	if (kind == PARTIAL_PRODUCT_ZERO) {
		product->zero = true;
		product->low = 0;
	} else if (kind == PARTIAL_PRODUCT_HUGE || kind == PARTIAL_PRODUCT_NEGATIVE_HUGE) {
		product->huge = true;
		product->low = take(r, 8);
	} else {
		product->used =
			take_code(r, INTPROD_WORDS + 1, "words out of place in the product", "");
		for (uint32_t i = 0; i < product->used; i++)
			product->word[i] = take(r, 8);
		if (product->used == 0 || product->word[product->used - 1] == 0)
			wrong(r, "words that are not normalized in the product", "");
		product->low = product->negative ? -product->word[0] : product->word[0];
	}
}

static void take_extreme(struct reader *r, struct extreme *extreme, bool indexed)
{
	extreme->any = true;
	extreme->nan = take_code(r, PARTIAL_EXTREME_KINDS, "an unknown kind of extreme", "") ==
		       PARTIAL_EXTREME_NAN;
	if (!extreme->nan)
		extreme->value.u = take(r, 8);
	if (indexed)
		extreme->index = take(r, 8);
}

static void take_term(struct reader *r, struct partial *partial, enum partial_term term)
{
	static const char *const sums[TERM_SUMS] = {"x", "|x|", "x*x", "x*y"};

	switch (term) {
	case TERM_PRODUCT:
		take_product(r, &partial->product);
		return;
	case TERM_MIN:
	case TERM_MAX:
	case TERM_MAX_ABS:
		take_extreme(r, partial_slot(partial, term), partial_indexed(partial, term));
		return;
	case TERM_TALLY:
		partial->tally.nonzero = take(r, 8);
		return;
	default:
		break;
	}
	if (dtype_is_float(partial->dtype)) {
		take_exact(r, &partial->sums[term].exact, partial_signs_zero(partial, term),
			   sums[term]);
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		partial->sums[term].integer.word[i] = take(r, 8);
}

static void take_terms(struct reader *r, struct partial *partial)
{
	for (unsigned term = 0; term < TERM_COUNT; term++)
		if (partial->count > 0 && partial_has(partial, term))
			take_term(r, partial, term);
	if (r->next != r->end)
		wrong(r, "bytes are left at its end", "");
}

enum status partial_decode(const void *bytes, size_t size, struct partial **out, struct error *err)
{
	struct reader r = {.next = bytes, .end = bytes, .err = err};
	struct head head;
	struct plan plan;
	struct partial *partial;

	if (size > 0)
		r.end += size;
	check_envelope(&r, size);
	take_head(&r, &head);
	check_head(&r, &head, &plan);
	if (r.failed)
		return STATUS_BAD_VALUE;

	partial = partial_blank(&plan);
	if (partial == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a partial result");
	partial->length = head.length;
	partial->count = head.count;
	if (partial->job.overflow != head.job.overflow)
		wrong(&r, "an overflow rule where nothing overflows", "");
	take_terms(&r, partial);
	if (r.failed || partial_plausible(partial, err) != STATUS_OK) {
		partial_destroy(partial);
		return STATUS_BAD_VALUE;
	}
	*out = partial;
	return STATUS_OK;
}
