/* accum_terms.c - the ordered accumulators whose value is one double: a term of
 * each element, added or multiplied in the canonical order. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "engine/elementary.h"

LANES_INLINE double term_plain(double x, double y)
{
	(void)y;
	return x;
}

LANES_INLINE double term_abs(double x, double y)
{
	(void)y;
	return elementary_abs(x);
}

LANES_INLINE double term_square(double x, double y)
{
	(void)y;
	return x * x;
}

LANES_INLINE double term_product(double x, double y)
{
	return x * y;
}

/* -0.0 is the identity of addition: -0.0 + x is x for every x. */
static void init_sum(void *value)
{
	*(double *)value = -0.0;
}

static void init_product(void *value)
{
	*(double *)value = 1.0;
}

static void combine_sum(void *left, const void *right)
{
	*(double *)left += *(const double *)right;
}

static void combine_product(void *left, const void *right)
{
	*(double *)left *= *(const double *)right;
}

/* Two loops each: one without the NaN test. tile->nans says which will do. */
#define TERM_CLASS(NAME, TERM, FOLD, IDENTITY, PAIR, INIT, COMBINE)                                \
	static void NAME##_tile(void *value, const struct tile *tile,                              \
				const struct accum_args *args)                                     \
	{                                                                                          \
		const double *y = (PAIR) ? tile->y : NULL;                                         \
                                                                                                   \
		if (args->omit && tile->nans > 0)                                                  \
			*(double *)value =                                                         \
				lanes_reduce(tile->x, y, tile->count, true, IDENTITY, TERM, FOLD); \
		else                                                                               \
			*(double *)value = lanes_reduce(tile->x, y, tile->count, false, IDENTITY,  \
							TERM, FOLD);                               \
	}                                                                                          \
                                                                                                   \
	static void NAME##_step(void *runs, const void *x, const void *y, uint64_t count,          \
				uint64_t position, const struct accum_args *args)                  \
	{                                                                                          \
		(void)position;                                                                    \
		if (args->omit)                                                                    \
			lanes_step(runs, x, (PAIR) ? y : NULL, count, true, IDENTITY, TERM, FOLD); \
		else                                                                               \
			lanes_step(runs, x, (PAIR) ? y : NULL, count, false, IDENTITY, TERM,       \
				   FOLD);                                                          \
	}                                                                                          \
                                                                                                   \
	const struct accum_class accum_##NAME = {                                                  \
		.name = #NAME,                                                                     \
		.ordered = true,                                                                   \
		.size = sizeof(double),                                                            \
		.init = INIT,                                                                      \
		.tile = NAME##_tile,                                                               \
		.run_size = sizeof(double),                                                        \
		.run_init = INIT,                                                                  \
		.step = NAME##_step,                                                               \
		.combine = COMBINE,                                                                \
	}

TERM_CLASS(sum, term_plain, lanes_add, -0.0, false, init_sum, combine_sum);
TERM_CLASS(abs, term_abs, lanes_add, -0.0, false, init_sum, combine_sum);
TERM_CLASS(square, term_square, lanes_add, -0.0, false, init_sum, combine_sum);
TERM_CLASS(dot, term_product, lanes_add, -0.0, true, init_sum, combine_sum);
TERM_CLASS(prod, term_plain, lanes_multiply, 1.0, false, init_product, combine_product);

/* |x|^p: the terms first, since pow does not vectorise, then their sum. */
static double power_term(double x, const struct accum_args *args)
{
	if (args->omit && x != x)
		return -0.0;
	return elementary_pow(elementary_abs(x), args->p);
}

static void power_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	double term[ORDER_TILE];
	const double *x = tile->x;

	for (uint64_t i = 0; i < tile->count; i++)
		term[i] = power_term(x[i], args);
	*(double *)value =
		lanes_reduce(term, NULL, tile->count, false, -0.0, term_plain, lanes_add);
}

static void power_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		       const struct accum_args *args)
{
	double *values = runs;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++)
		values[i] += power_term(((const double *)x)[i], args);
}

const struct accum_class accum_power = {
	.name = "power",
	.ordered = true,
	.size = sizeof(double),
	.init = init_sum,
	.tile = power_tile,
	.run_size = sizeof(double),
	.run_init = init_sum,
	.step = power_step,
	.combine = combine_sum,
};
