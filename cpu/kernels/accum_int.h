/* accum_int.h - the exact integer accumulators, for accum_i64.c and
 * accum_u64.c, which differ in the element's type alone. */
#ifndef CPU_ACCUM_INT_H
#define CPU_ACCUM_INT_H

#include <stddef.h>
#include "cpu/kernels/accum_table.h"

/* Adding many: 128-bit products are split in halves whose sums cannot
 * overflow within 2^63 elements. */
struct accum_int_sum {
	unsigned __int128 low; /* of the products modulo 2^64 */
	__int128 high;         /* of floor(product / 2^64) */
};

static inline void accum_int_flush(struct int192 *value, const struct accum_int_sum *sum)
{
	struct int192 high = {{0, (uint64_t)(unsigned __int128)sum->high,
			       (uint64_t)((unsigned __int128)sum->high >> 64)}};

	int192_add_u128(value, sum->low);
	int192_add(value, &high);
}

static inline void accum_int_init(void *value)
{
	*(struct int192 *)value = (struct int192){{0, 0, 0}};
}

static inline void accum_int_combine(void *left, const void *right)
{
	int192_add(left, right);
}

static inline void accum_prod_init(void *value)
{
	intprod_init(value);
}

static inline void accum_prod_combine(void *left, const void *right)
{
	intprod_mul(left, right);
}

static inline void accum_int_moments_init(void *value)
{
	*(struct int_moments *)value = (struct int_moments){{{0, 0, 0}}, {{0, 0, 0}}};
}

static inline void accum_int_moments_combine(void *left, const void *right)
{
	struct int_moments *a = left;
	const struct int_moments *b = right;

	int192_add(&a->sum, &b->sum);
	int192_add(&a->squares, &b->squares);
}

/* A class CLASS of sums of TERM(x, y), of type WIDE (128 bits), over elements
 * of type ELEMENT. */
#define ACCUM_INT_SUM_CLASS(CLASS, ELEMENT, WIDE, TERM, PAIR)                                \
	static void CLASS##_tile(void *value, const struct tile *tile,                       \
				 const struct accum_args *args)                              \
	{                                                                                    \
		const ELEMENT *x = tile->x, *y = (PAIR) ? tile->y : tile->x;                 \
		struct accum_int_sum sum = {0, 0};                                           \
                                                                                             \
		(void)args;                                                                  \
		for (uint64_t i = 0; i < tile->count; i++) {                                 \
			WIDE term = TERM(x[i], y[i]);                                        \
                                                                                             \
			sum.low += (uint64_t)term;                                           \
			sum.high += (__int128)(term >> 64);                                  \
		}                                                                            \
		accum_int_flush(value, &sum);                                                \
	}                                                                                    \
                                                                                             \
	static void CLASS##_step(void *runs, const void *x, const void *y, uint64_t count,   \
				 uint64_t position, const struct accum_args *args)           \
	{                                                                                    \
		const ELEMENT *a = x, *b = (PAIR) ? y : x;                                   \
                                                                                             \
		(void)position;                                                              \
		(void)args;                                                                  \
		for (uint64_t i = 0; i < count; i++) {                                       \
			WIDE term = TERM(a[i], b[i]);                                        \
			struct accum_int_sum sum = {(uint64_t)term, (__int128)(term >> 64)}; \
                                                                                             \
			accum_int_flush((struct int192 *)runs + i, &sum);                    \
		}                                                                            \
	}                                                                                    \
                                                                                             \
	const struct accum_class accum_##CLASS = {                                           \
		.name = #CLASS,                                                              \
		.ordered = false,                                                            \
		.size = sizeof(struct int192),                                               \
		.init = accum_int_init,                                                      \
		.tile = CLASS##_tile,                                                        \
		.run_size = sizeof(struct int192),                                           \
		.run_init = accum_int_init,                                                  \
		.step = CLASS##_step,                                                        \
		.combine = accum_int_combine,                                                \
	}

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
	const struct accum_class accum_##CLASS = {                                         \
		.name = #CLASS,                                                            \
		.ordered = false,                                                          \
		.size = sizeof(struct intprod),                                            \
		.init = accum_prod_init,                                                   \
		.tile = CLASS##_tile,                                                      \
		.run_size = sizeof(struct intprod),                                        \
		.run_init = accum_prod_init,                                               \
		.step = CLASS##_step,                                                      \
		.combine = accum_prod_combine,                                             \
	}

/* Out of the classes of the sum and of the squares. */
#define ACCUM_INT_MOMENTS_CLASS(CLASS, ELEMENT, ADD, WIDE, SQUARE_TILE)                      \
	static void CLASS##_tile(void *value, const struct tile *tile,                       \
				 const struct accum_args *args)                              \
	{                                                                                    \
		struct int_moments *moments = value;                                         \
		const ELEMENT *x = tile->x;                                                  \
                                                                                             \
		for (uint64_t i = 0; i < tile->count; i++)                                   \
			ADD(&moments->sum, x[i]);                                            \
		SQUARE_TILE(&moments->squares, tile, args);                                  \
	}                                                                                    \
                                                                                             \
	static void CLASS##_step(void *runs, const void *x, const void *y, uint64_t count,   \
				 uint64_t position, const struct accum_args *args)           \
	{                                                                                    \
		struct int_moments *run = runs;                                              \
		const ELEMENT *element = x;                                                  \
                                                                                             \
		(void)y;                                                                     \
		(void)position;                                                              \
		(void)args;                                                                  \
		for (uint64_t i = 0; i < count; i++) {                                       \
			ADD(&run[i].sum, element[i]);                                        \
			int192_add_u128(&run[i].squares,                                     \
					(unsigned __int128)((WIDE)element[i] * element[i])); \
		}                                                                            \
	}                                                                                    \
                                                                                             \
	const struct accum_class accum_##CLASS = {                                           \
		.name = #CLASS,                                                              \
		.ordered = false,                                                            \
		.size = sizeof(struct int_moments),                                          \
		.init = accum_int_moments_init,                                              \
		.tile = CLASS##_tile,                                                        \
		.run_size = sizeof(struct int_moments),                                      \
		.run_init = accum_int_moments_init,                                          \
		.step = CLASS##_step,                                                        \
		.combine = accum_int_moments_combine,                                        \
	}

#endif
