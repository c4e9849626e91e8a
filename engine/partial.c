#include "config.h"
#include "engine/partial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/combine.h"
#include "engine/partial_state.h"

static enum status refuse_op(const struct plan *plan, unsigned i, struct error *err)
{
	const struct op_spec *spec = &plan->job->ops[i].spec;
	const char *type = dtype_name(plan->input.dtype);

	if (!op_has_exact(spec, plan->input.dtype, false))
		return fail_at(err, STATUS_BAD_JOB, "/partial",
			       "%s of %s has no exact form, so that its parts cannot be merged",
			       spec->key, type);
	return fail_at(err, STATUS_BAD_JOB, "/partial",
		       "%s of %s is merged only under determinism exact", spec->key, type);
}

enum status partial_check(const struct plan *plan, struct error *err)
{
	const struct job *job = plan->job;

	if (job->kind == JOB_SCAN)
		return fail_at(err, STATUS_BAD_JOB, "/partial", "a scan has no partial result");
	if (job->has_axis || job->has_segments)
		return fail_at(err, STATUS_BAD_JOB, "/partial",
			       "a partial result is of the whole array, not of %s",
			       job->has_axis ? "axes" : "segments");
	for (unsigned i = 0; i < plan->op_count; i++) {
		const struct plan_op *op = &plan->ops[i];

		/* lp:1 and lp:2 of integers would be exact, but the name promises
		 * nothing of the kind. */
		if (!op_has_exact(&job->ops[i].spec, plan->input.dtype, false) ||
		    (op->spec.op != OP_COUNT && plan->accums[op->accum].accum <= ACCUM_LOGSUM))
			return refuse_op(plan, i, err);
	}
	return STATUS_OK;
}

/* The accumulator that a term is merged as. */
static enum accum accum_of(enum partial_term term, enum domain domain)
{
	static const struct {
		enum accum floats, integers;
	} accums[TERM_COUNT] = {
		[TERM_SUM] = {ACCUM_EXACT_SUM, ACCUM_INT_SUM},
		[TERM_ABS] = {ACCUM_EXACT_ABS, ACCUM_INT_ABS},
		[TERM_SQUARE] = {ACCUM_EXACT_SQUARE, ACCUM_INT_SQUARE},
		[TERM_DOT] = {ACCUM_EXACT_DOT, ACCUM_INT_DOT},
		[TERM_PRODUCT] = {ACCUM_COUNT, ACCUM_INT_PROD},
		[TERM_MIN] = {ACCUM_MIN, ACCUM_MIN},
		[TERM_MAX] = {ACCUM_MAX, ACCUM_MAX},
		[TERM_MAX_ABS] = {ACCUM_MAX_ABS, ACCUM_MAX_ABS},
		[TERM_TALLY] = {ACCUM_TALLY, ACCUM_TALLY},
	};

	return domain == DOMAIN_F64 ? accums[term].floats : accums[term].integers;
}

unsigned partial_terms_of(enum accum accum)
{
	if (accum == ACCUM_EXACT_MOMENTS || accum == ACCUM_INT_MOMENTS)
		return 1u << TERM_SUM | 1u << TERM_SQUARE;
	for (unsigned term = 0; term < TERM_COUNT; term++)
		if (accum_of(term, DOMAIN_F64) == accum || accum_of(term, DOMAIN_I64) == accum)
			return 1u << term;
	return 0;
}

bool partial_has(const struct partial *partial, enum partial_term term)
{
	return (partial->terms >> term & 1) != 0;
}

void *partial_slot(struct partial *partial, enum partial_term term)
{
	switch (term) {
	case TERM_PRODUCT:
		return &partial->product;
	case TERM_MIN:
	case TERM_MAX:
	case TERM_MAX_ABS:
		return &partial->extremes[term - TERM_MIN];
	case TERM_TALLY:
		return &partial->tally;
	default:
		return &partial->sums[term];
	}
}

const void *partial_term(const struct partial *partial, enum partial_term term)
{
	return partial_slot((struct partial *)partial, term);
}

static bool has_op(const struct partial *partial, enum op op)
{
	for (unsigned i = 0; i < partial->job.op_count; i++)
		if (partial->job.ops[i].spec.op == op)
			return true;
	return false;
}

bool partial_indexed(const struct partial *partial, enum partial_term term)
{
	return (term == TERM_MIN && has_op(partial, OP_ARGMIN)) ||
	       (term == TERM_MAX && has_op(partial, OP_ARGMAX));
}

bool partial_signs_zero(const struct partial *partial, enum partial_term term)
{
	return term == TERM_DOT ||
	       (term == TERM_SUM && (has_op(partial, OP_SUM) || has_op(partial, OP_MEAN)));
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct job_op *)a)->spec.key, ((const struct job_op *)b)->spec.key);
}

/* What of the job decides about the state. Where the overflow rule means
 * nothing it is always the same one. */
static void take_job(struct job *out, const struct job *job, enum dtype dtype)
{
	*out = (struct job){
		.kind = JOB_REDUCE,
		.op_count = job->op_count,
		.determinism = DETERMINISM_EXACT,
		.nan = job->nan,
		.overflow = OVERFLOW_ERROR,
	};
	for (unsigned i = 0; i < job->op_count; i++) {
		out->ops[i].spec = job->ops[i].spec;
		if (op_may_overflow(job->ops[i].spec.op) && !dtype_is_float(dtype))
			out->overflow = job->overflow;
	}
	qsort(out->ops, out->op_count, sizeof(out->ops[0]), by_key);
}

struct partial *partial_blank(const struct plan *plan)
{
	struct partial *partial = calloc(1, sizeof(*partial));

	if (partial == NULL)
		return NULL;
	take_job(&partial->job, plan->job, plan->input.dtype);
	partial->dtype = plan->input.dtype;
	for (unsigned i = 0; i < plan->accum_count; i++)
		partial->terms |= partial_terms_of(plan->accums[i].accum);
	for (unsigned term = 0; term < TERM_SUMS; term++)
		if (dtype_is_float(partial->dtype))
			exactsum_init(&partial->sums[term].exact);
	intprod_init(&partial->product);
	return partial;
}

static void take_moments(struct partial *partial, enum accum accum, const void *value)
{
	const struct exact_moments *exact = value;
	const struct int_moments *integer = value;

	if (accum == ACCUM_EXACT_MOMENTS) {
		partial->sums[TERM_SUM].exact = exact->sum;
		partial->sums[TERM_SQUARE].exact = exact->squares;
	} else {
		partial->sums[TERM_SUM].integer = integer->sum;
		partial->sums[TERM_SQUARE].integer = integer->squares;
	}
}

static bool is_moments(enum accum accum)
{
	return accum == ACCUM_EXACT_MOMENTS || accum == ACCUM_INT_MOMENTS;
}

/* Indices count from the first element of the whole from now on. */
static enum status move_indices(struct partial *partial, uint64_t base, struct error *err)
{
	for (unsigned term = TERM_MIN; term <= TERM_MAX_ABS; term++) {
		struct extreme *extreme = &partial->extremes[term - TERM_MIN];

		if (!partial_indexed(partial, term) || !extreme->any)
			extreme->index = 0;
		else if (__builtin_add_overflow(extreme->index, base, &extreme->index) ||
			 extreme->index > INT64_MAX)
			return fail_at(err, STATUS_BAD_VALUE, "/index_base",
				       "the index of the %s would be no int64",
				       term == TERM_MIN ? "minimum" : "maximum");
	}
	return STATUS_OK;
}

enum status partial_create(const struct plan *plan, void *const *values, uint64_t count,
			   uint64_t length, struct partial **out, struct error *err)
{
	struct partial *partial = partial_blank(plan);
	enum status status;

	if (partial == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a partial result");
	partial->length = length;
	partial->count = count;
	for (unsigned i = 0; i < plan->accum_count; i++)
		if (is_moments(plan->accums[i].accum))
			take_moments(partial, plan->accums[i].accum, values[i]);
	/* After the moments: a sum that was asked for knows its zero's sign. */
	for (unsigned i = 0; i < plan->accum_count; i++)
		if (!is_moments(plan->accums[i].accum)) {
			unsigned terms = partial_terms_of(plan->accums[i].accum);

			memcpy(partial_slot(partial, (enum partial_term)__builtin_ctz(terms)),
			       values[i], accum_size(plan->accums[i].accum));
		}
	status = move_indices(partial, plan->job->index_base, err);
	if (status != STATUS_OK) {
		partial_destroy(partial);
		return status;
	}
	*out = partial;
	return STATUS_OK;
}

void partial_destroy(struct partial *partial)
{
	free(partial);
}

static void list_ops(const struct partial *partial, char *out, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < partial->job.op_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? "," : "",
					 partial->job.ops[i].spec.key);
}

static bool same_ops(const struct partial *a, const struct partial *b)
{
	if (a->job.op_count != b->job.op_count)
		return false;
	for (unsigned i = 0; i < a->job.op_count; i++)
		if (strcmp(a->job.ops[i].spec.key, b->job.ops[i].spec.key) != 0)
			return false;
	return true;
}

static enum status check_same(const struct partial *a, const struct partial *b, struct error *err)
{
	static const char *const nan_rules[] = {
		[NAN_PROPAGATE] = "propagate", [NAN_OMIT] = "omit", [NAN_ERROR] = "error"};
	static const char *const overflow_rules[] = {[OVERFLOW_ERROR] = "error",
						     [OVERFLOW_WRAP] = "wrap",
						     [OVERFLOW_SATURATE] = "saturate"};
	char a_ops[128], b_ops[128];

	if (!same_ops(a, b)) {
		list_ops(a, a_ops, sizeof(a_ops));
		list_ops(b, b_ops, sizeof(b_ops));
		return fail(err, STATUS_PARTIALS_DIFFER, "the operations differ: %s and %s", a_ops,
			    b_ops);
	}
	if (a->dtype != b->dtype)
		return fail(err, STATUS_PARTIALS_DIFFER, "the element types differ: %s and %s",
			    dtype_name(a->dtype), dtype_name(b->dtype));
	if (a->job.nan != b->job.nan)
		return fail(err, STATUS_PARTIALS_DIFFER, "the NaN rules differ: %s and %s",
			    nan_rules[a->job.nan], nan_rules[b->job.nan]);
	if (a->job.overflow != b->job.overflow)
		return fail(err, STATUS_PARTIALS_DIFFER, "the overflow rules differ: %s and %s",
			    overflow_rules[a->job.overflow], overflow_rules[b->job.overflow]);
	return STATUS_OK;
}

enum status partial_check_length(enum dtype dtype, uint64_t a, uint64_t b, struct error *err)
{
	uint64_t most = INT64_MAX / dtype_size(dtype);

	if (a <= most && b <= most - a)
		return STATUS_OK;
	return fail(err, STATUS_BAD_VALUE, "more than %llu elements of %s: no array has so many",
		    (unsigned long long)most, dtype_name(dtype));
}

enum status partial_merge(struct partial *into, const struct partial *other, struct error *err)
{
	enum domain domain = dtype_domain(into->dtype);
	enum status status = check_same(into, other, err);

	if (status == STATUS_OK)
		status = partial_check_length(into->dtype, into->length, other->length, err);
	if (status != STATUS_OK)
		return status;
	into->length += other->length;
	into->count += other->count;
	for (unsigned term = 0; term < TERM_COUNT; term++)
		if (partial_has(into, term))
			accum_combine(accum_of(term, domain), domain, partial_slot(into, term),
				      partial_term(other, term));
	return STATUS_OK;
}
