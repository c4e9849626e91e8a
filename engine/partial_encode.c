#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "engine/crc32.h"
#include "engine/partial_code.h"
#include "engine/partial_state.h"

struct writer {
	unsigned char bytes[PARTIAL_MAX_SIZE];
	size_t size;
};

/* The low `size` bytes of a number, lowest first. */
static void put(struct writer *w, uint64_t value, unsigned size)
{
	assert(w->size + size <= sizeof(w->bytes));
	for (; size > 0; size--, value >>= 8)
		w->bytes[w->size++] = (unsigned char)value;
}

static void put_head(struct writer *w, const struct partial *partial)
{
	memcpy(w->bytes, PARTIAL_MAGIC, 4);
	w->size = 4;
	put(w, PARTIAL_VERSION, 4);
	put(w, 0, 4); /* the checksum, at the end */
	put(w, partial->dtype, 1);
	put(w, partial->job.nan, 1);
	put(w, partial->job.overflow, 1);
	put(w, partial->job.op_count, 1);
	put(w, partial->length, 8);
	put(w, partial->count, 8);
	for (unsigned i = 0; i < partial->job.op_count; i++) {
		const char *key = partial->job.ops[i].spec.key;
		size_t length = strlen(key);

		put(w, length, 1);
		for (size_t k = 0; k < length; k++)
			put(w, (unsigned char)key[k], 1);
	}
}

/* Digits of 32 bits from the first that is not 0 to the last. */
static void put_digits(struct writer *w, const struct bigint *magnitude, int64_t exponent)
{
	uint32_t first = 0, end = 2 * magnitude->used;

	assert(exponent % 32 == 0);
#define DIGIT(i) ((uint32_t)(magnitude->word[(i) / 2] >> (i) % 2 * 32))
	while (DIGIT(first) == 0)
		first++;
	while (DIGIT(end - 1) == 0)
		end--;
	put(w, (uint64_t)(exponent / 32 + first), 2);
	put(w, end - first, 2);
	for (uint32_t i = first; i < end; i++)
		put(w, DIGIT(i), 4);
#undef DIGIT
}

static void put_exact(struct writer *w, const struct exactsum *value, bool signs_zero)
{
	struct exactsum sum = *value; /* it will be normalized */
	struct bigint magnitude;
	double special;
	bool negative;
	int64_t exponent;

	if (!exactsum_is_finite(&sum, &special)) {
		put(w,
		    special != special ? PARTIAL_SUM_NAN
		    : special > 0      ? PARTIAL_SUM_INFINITY
				       : PARTIAL_SUM_NEGATIVE_INFINITY,
		    1);
		return;
	}
	exactsum_value(&sum, &magnitude, &negative, &exponent);
	if (magnitude.used == 0) {
		put(w,
		    signs_zero && value->neg_zero && !value->other ? PARTIAL_SUM_NEGATIVE_ZERO
								   : PARTIAL_SUM_ZERO,
		    1);
		return;
	}
	put(w, negative ? PARTIAL_SUM_NEGATIVE : PARTIAL_SUM_POSITIVE, 1);
	put_digits(w, &magnitude, exponent);
}

static void put_product(struct writer *w, const struct intprod *product)
{
	if (product->zero) {
		put(w, PARTIAL_PRODUCT_ZERO, 1);
	} else if (product->huge) {
		put(w, product->negative ? PARTIAL_PRODUCT_NEGATIVE_HUGE : PARTIAL_PRODUCT_HUGE, 1);
		put(w, product->low, 8);
	} else {
		put(w, product->negative ? PARTIAL_PRODUCT_NEGATIVE : PARTIAL_PRODUCT_POSITIVE, 1);
		put(w, product->used, 1);
		for (uint32_t i = 0; i < product->used; i++)
			put(w, product->word[i], 8);
	}
}

static void put_extreme(struct writer *w, const struct extreme *extreme, bool indexed)
{
	put(w, extreme->nan ? PARTIAL_EXTREME_NAN : PARTIAL_EXTREME_NUMBER, 1);
	if (!extreme->nan)
		put(w, extreme->value.u, 8);
	if (indexed)
		put(w, extreme->index, 8);
}

static void put_term(struct writer *w, const struct partial *partial, enum partial_term term)
{
	switch (term) {
	case TERM_PRODUCT:
		put_product(w, &partial->product);
		return;
	case TERM_MIN:
	case TERM_MAX:
	case TERM_MAX_ABS:
		put_extreme(w, partial_term(partial, term), partial_indexed(partial, term));
		return;
	case TERM_TALLY:
		put(w, partial->tally.nonzero, 8);
		return;
	default:
		break;
	}
	if (dtype_is_float(partial->dtype)) {
		put_exact(w, &partial->sums[term].exact, partial_signs_zero(partial, term));
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		put(w, partial->sums[term].integer.word[i], 8);
}

enum status partial_encode(const struct partial *partial, unsigned char **out, size_t *size,
			   struct error *err)
{
	struct writer w;
	unsigned char *bytes;
	uint32_t crc;

	put_head(&w, partial);
	for (unsigned term = 0; term < TERM_COUNT; term++)
		if (partial->count > 0 && partial_has(partial, term))
			put_term(&w, partial, term);
	crc = crc32_of(w.bytes + PARTIAL_BODY_OFFSET, w.size - PARTIAL_BODY_OFFSET);
	for (unsigned i = 0; i < 4; i++)
		w.bytes[PARTIAL_CRC_OFFSET + i] = (unsigned char)(crc >> 8 * i);

	bytes = malloc(w.size);
	if (bytes == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a partial result");
	memcpy(bytes, w.bytes, w.size);
	*out = bytes;
	*size = w.size;
	return STATUS_OK;
}
