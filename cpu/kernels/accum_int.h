/* accum_int.h - the exact integer accumulators, for accum_i64.c and
 * accum_u64.c, which differ in the element's sign alone.
 *
 * Terms of 64 bits are added as vectors. A term of 128 bits, a product, has 64
 * unless an element is wide; tiles with wide elements are added one by one. */
#ifndef CPU_ACCUM_INT_H
#define CPU_ACCUM_INT_H

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/ahead.h"
#include "cpu/kernels/vector.h"
#include "engine/combine.h"

#define INT_VECTORS 4u /* at a time */
#define INT_STEP (INT_VECTORS * VECTOR_F64)

/* Terms and their elements, as vectors and one by one. Signed terms are two's
 * complement. */
typedef vu64 (*int_term)(vu64 x, vu64 y);
typedef __int128 (*int_wide_term)(uint64_t x, uint64_t y);

/* What a kind of sum is made of; constant where it is used. */
struct int_kind {
	int_term term;
	int_wide_term wide; /* the exact term, modulo 2^128 */
	bool pair;          /* elements have a y */
	bool signed_terms;  /* else a term is at least 0 */
	bool signed_elements;
	bool product; /* has 64 bits only of elements of 32 */
};

VECTOR_INLINE void int_add(struct int192 *value, uint64_t w0, uint64_t w1, uint64_t w2)
{
	unsigned __int128 carry = (unsigned __int128)value->word[0] + w0;

	value->word[0] = (uint64_t)carry;
	carry = (carry >> 64) + value->word[1] + w1;
	value->word[1] = (uint64_t)carry;
	value->word[2] += w2 + (uint64_t)(carry >> 64);
}

/* A term of 128 bits. */
VECTOR_INLINE void int_add_wide(struct int192 *value, __int128 term, bool is_signed)
{
	int_add(value, (uint64_t)term, (uint64_t)((unsigned __int128)term >> 64),
		is_signed && term < 0 ? UINT64_MAX : 0);
}

/* Sums of many 64-bit terms, each raised by 2^63 if they have signs: modulo
 * 2^64, and of their upper halves. What the lower halves add up to has less
 * than 64 bits, and so follows from the two. */
struct int_sums {
	vu64 all, upper;
	vu64 seen; /* bits that elements have, but for copies of the sign */
};

VECTOR_INLINE void int_take(struct int_sums *sums, vu64 x, vu64 y, struct int_kind kind)
{
	vu64 term = kind.term(x, y);

	if (kind.signed_terms)
		term ^= (uint64_t)1 << 63;
	sums->all += term;
	sums->upper += term >> 32;
	if (!kind.product)
		return;
	sums->seen |= kind.signed_elements ? x ^ (vu64)((vi64)x < 0) : x;
	if (kind.pair)
		sums->seen |= kind.signed_elements ? y ^ (vu64)((vi64)y < 0) : y;
}

/* The elements from i on, fewer than INT_STEP; zeros have no part in a sum. */
VECTOR_INLINE void int_take_rest(struct int_sums *sums, const uint64_t *x, const uint64_t *y,
				 uint64_t rest, struct int_kind kind)
{
	uint64_t last_x[INT_STEP] = {0}, last_y[INT_STEP] = {0};

	memcpy(last_x, x, rest * sizeof(*x));
	memcpy(last_y, y, rest * sizeof(*y));
	VECTOR_UNROLL
	for (unsigned k = 0; k < INT_VECTORS; k++)
		int_take(&sums[k], vector_load_u64(last_x + k * VECTOR_F64),
			 vector_load_u64(last_y + k * VECTOR_F64), kind);
}

VECTOR_INLINE void int_tile(struct int192 *value, const struct tile *tile, struct int_kind kind)
{
	const uint64_t *x = tile->x, *y = kind.pair ? tile->y : tile->x;
	struct int_sums sums[INT_VECTORS] = {{.all = {0}}};
	struct ahead ahead = ahead_of(tile);
	const uint64_t lines = ahead_share(&ahead, tile->count / INT_STEP);
	uint64_t i = 0, taken = tile->count, upper, lower;
	__int128 total;

	for (; i + INT_STEP <= tile->count; i += INT_STEP) {
		VECTOR_UNROLL
		for (unsigned k = 0; k < INT_VECTORS; k++)
			int_take(&sums[k], vector_load_u64(x + i + k * VECTOR_F64),
				 vector_load_u64(y + i + k * VECTOR_F64), kind);
		ahead_fetch(&ahead, lines);
	}
	if (i < tile->count) {
		int_take_rest(sums, x + i, y + i, tile->count - i, kind);
		taken = i + INT_STEP;
	}
	for (unsigned k = 1; k < INT_VECTORS; k++) {
		sums[0].all += sums[k].all;
		sums[0].upper += sums[k].upper;
		sums[0].seen |= sums[k].seen;
	}
	for (unsigned k = 1; k < VECTOR_F64; k++)
		sums[0].seen[0] |= sums[0].seen[k];
	if (sums[0].seen[0] >> (kind.signed_elements ? 31 : 32) != 0) {
		for (i = 0; i < tile->count; i++)
			int_add_wide(value, kind.wide(x[i], y[i]), kind.signed_terms);
		return;
	}
	upper = vector_total_u64(sums[0].upper);
	lower = vector_total_u64(sums[0].all) - (upper << 32);
	total = ((__int128)upper << 32) + lower;
	if (kind.signed_terms)
		total -= (__int128)taken << 63;
	int_add_wide(value, total, true);
}

VECTOR_INLINE void int_step(struct int192 *runs, const uint64_t *x, const uint64_t *y,
			    uint64_t count, struct int_kind kind)
{
	for (uint64_t i = 0; i < count; i++)
		int_add_wide(&runs[i], kind.wide(x[i], kind.pair ? y[i] : x[i]), kind.signed_terms);
}

static inline void accum_int_init(void *value)
{
	*(struct int192 *)value = (struct int192){{0, 0, 0}};
}

static inline void accum_prod_init(void *value)
{
	intprod_init(value);
}

static inline void accum_int_moments_init(void *value)
{
	*(struct int_moments *)value = (struct int_moments){{{0, 0, 0}}, {{0, 0, 0}}};
}

/* A class of a free accumulator whose open run is the value. */
#define ACCUM_INT_CLASS(CLASS, VALUE, INIT, COMBINE) \
	const struct accum_class accum_##CLASS = {   \
		.name = #CLASS,                      \
		.ordered = false,                    \
		.size = sizeof(VALUE),               \
		.init = INIT,                        \
		.tile = CLASS##_tile,                \
		.work_size = sizeof(VALUE),          \
		.work_init = INIT,                   \
		.run_size = sizeof(VALUE),           \
		.run_init = INIT,                    \
		.step = CLASS##_step,                \
		.combine = COMBINE,                  \
	}

/* A class CLASS of sums of a struct int_kind KIND. */
#define ACCUM_INT_SUM_CLASS(CLASS, KIND)                                                   \
	static void CLASS##_tile(void *value, const struct tile *tile,                     \
				 const struct accum_args *args)                            \
	{                                                                                  \
		(void)args;                                                                \
		int_tile(value, tile, KIND);                                               \
	}                                                                                  \
                                                                                           \
	static void CLASS##_step(void *runs, const void *x, const void *y, uint64_t count, \
				 uint64_t position, const struct accum_args *args)         \
	{                                                                                  \
		(void)position;                                                            \
		(void)args;                                                                \
		int_step(runs, x, y, count, KIND);                                         \
	}                                                                                  \
                                                                                           \
	ACCUM_INT_CLASS(CLASS, struct int192, accum_int_init, combine_int192)

#define ACCUM_INT_PROD_CLASS(CLASS, ELEMENT, MULTIPLY)                                     \
	static void CLASS##_tile(void *value, const struct tile *tile,                     \
				 const struct accum_args *args)                            \
	{                                                                                  \
		(void)args;                                                                \
		for (uint64_t i = 0; i < tile->count; i++)                                 \
			MULTIPLY(value, ((const ELEMENT *)tile->x)[i]);                    \
	}                                                                                  \
                                                                                           \
	static void CLASS##_step(void *runs, const void *x, const void *y, uint64_t count, \
				 uint64_t position, const struct accum_args *args)         \
	{                                                                                  \
		(void)y;                                                                   \
		(void)position;                                                            \
		(void)args;                                                                \
		for (uint64_t i = 0; i < count; i++)                                       \
			MULTIPLY((struct intprod *)runs + i, ((const ELEMENT *)x)[i]);     \
	}                                                                                  \
                                                                                           \
	ACCUM_INT_CLASS(CLASS, struct intprod, accum_prod_init, combine_intprod)

/* Sums of SUM and of SQUARE, each a struct int_kind. */
#define ACCUM_INT_MOMENTS_CLASS(CLASS, SUM, SQUARE)                                        \
	static void CLASS##_tile(void *value, const struct tile *tile,                     \
				 const struct accum_args *args)                            \
	{                                                                                  \
		struct int_moments *moments = value;                                       \
                                                                                           \
		(void)args;                                                                \
		int_tile(&moments->sum, tile, SUM);                                        \
		int_tile(&moments->squares, tile, SQUARE);                                 \
	}                                                                                  \
                                                                                           \
	static void CLASS##_step(void *runs, const void *x, const void *y, uint64_t count, \
				 uint64_t position, const struct accum_args *args)         \
	{                                                                                  \
		struct int_moments *run = runs;                                            \
		const uint64_t *element = x;                                               \
                                                                                           \
		(void)y;                                                                   \
		(void)position;                                                            \
		(void)args;                                                                \
		for (uint64_t i = 0; i < count; i++) {                                     \
			int_step(&run[i].sum, element + i, NULL, 1, SUM);                  \
			int_step(&run[i].squares, element + i, NULL, 1, SQUARE);           \
		}                                                                          \
	}                                                                                  \
                                                                                           \
	ACCUM_INT_CLASS(CLASS, struct int_moments, accum_int_moments_init, combine_int_moments)

#endif
