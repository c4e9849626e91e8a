/* accum_terms.c - the ordered accumulators whose value is one double: a term of
 * each element, added or multiplied in the canonical order. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/shared_sums.h"
#include "engine/elementary.h"

LANES_INLINE void term_plain(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x;
}

LANES_INLINE void term_abs(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = vector_abs(x);
}

LANES_INLINE void term_square(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x * x;
}

LANES_INLINE void term_product(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)common;
	terms[0] = x * y;
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

static void combine_sum_all(void *left, const void *right, uint64_t count)
{
	double *a = left;
	const double *b = right;

	for (uint64_t i = 0; i < count; i++)
		a[i] += b[i];
}

static void combine_product_all(void *left, const void *right, uint64_t count)
{
	double *a = left;
	const double *b = right;

	for (uint64_t i = 0; i < count; i++)
		a[i] *= b[i];
}

/* pair: elements have a y. */
LANES_INLINE void term_tile(double *value, const struct tile *tile, bool narrow, bool omit,
			    bool pair, double identity, lanes_terms terms, lanes_fold fold)
{
	struct lanes lanes = lanes_of_tile(tile, narrow, omit, 1, identity);

	lanes.y = pair ? tile->y : NULL;
	lanes_reduce(value, &lanes, terms, fold);
}

LANES_INLINE void term_step(double *values, const void *x, const void *y, uint64_t count, bool omit,
			    double identity, lanes_terms terms, lanes_fold fold)
{
	struct lanes lanes = {
		.x = x, .y = y, .omit = omit, .kinds = 1, .count = count, .identity = identity};

	lanes_step(values, &lanes, terms, fold);
}

/* Whether the tile's sum, or its sum of squares, is shared; then it is put into
 * value. */
LANES_INLINE bool take_shared(double *value, const struct tile *tile, const struct accum_args *args,
			      bool narrow, bool square)
{
	const struct tile_shared *shared;

	if (tile->shared == NULL)
		return false;
	shared = shared_sums(tile, narrow, args->omit && tile->nans > 0);
	*value = square ? shared->square : shared->sum;
	return true;
}

LANES_INLINE bool not_shared(double *value, const struct tile *tile, const struct accum_args *args,
			     bool narrow, bool square)
{
	(void)value;
	(void)tile;
	(void)args;
	(void)narrow;
	(void)square;
	return false;
}

/* Two loops each: one without the NaN test. tile->nans says which will do.
 * FOLD_F32 is FOLD, for terms of float32. */
#define TERM_CLASS(NAME, TERM, FOLD, FOLD_F32, IDENTITY, PAIR, INIT, COMBINE, SHARED)        \
	static void NAME##_tile(void *value, const struct tile *tile,                        \
				const struct accum_args *args)                               \
	{                                                                                    \
		if (SHARED(value, tile, args, false, TERM == term_square))                   \
			return;                                                              \
		if (args->omit && tile->nans > 0)                                            \
			term_tile(value, tile, false, true, PAIR, IDENTITY, TERM, FOLD);     \
		else                                                                         \
			term_tile(value, tile, false, false, PAIR, IDENTITY, TERM, FOLD);    \
	}                                                                                    \
                                                                                             \
	static void NAME##_tile_f32(void *value, const struct tile *tile,                    \
				    const struct accum_args *args)                           \
	{                                                                                    \
		if (SHARED(value, tile, args, true, TERM == term_square))                    \
			return;                                                              \
		if (args->omit && tile->nans > 0)                                            \
			term_tile(value, tile, true, true, PAIR, IDENTITY, TERM, FOLD_F32);  \
		else                                                                         \
			term_tile(value, tile, true, false, PAIR, IDENTITY, TERM, FOLD_F32); \
	}                                                                                    \
                                                                                             \
	static void NAME##_step(void *runs, const void *x, const void *y, uint64_t count,    \
				uint64_t position, const struct accum_args *args)            \
	{                                                                                    \
		const void *pair = (PAIR) ? y : NULL;                                        \
                                                                                             \
		(void)position;                                                              \
		if (args->omit)                                                              \
			term_step(runs, x, pair, count, true, IDENTITY, TERM, FOLD);         \
		else                                                                         \
			term_step(runs, x, pair, count, false, IDENTITY, TERM, FOLD);        \
	}                                                                                    \
                                                                                             \
	const struct accum_class accum_##NAME = {                                            \
		.name = #NAME,                                                               \
		.ordered = true,                                                             \
		.size = sizeof(double),                                                      \
		.init = INIT,                                                                \
		.tile = NAME##_tile,                                                         \
		.tile_f32 = NAME##_tile_f32,                                                 \
		.run_size = sizeof(double),                                                  \
		.run_init = INIT,                                                            \
		.step = NAME##_step,                                                         \
		.rows = rows_##NAME,                                                         \
		.rows_f32 = rows_##NAME##_f32,                                               \
		.combine = COMBINE,                                                          \
		.combine_all = COMBINE##_all,                                                \
	}

TERM_CLASS(sum, term_plain, lanes_add, lanes_add_aside, -0.0, false, init_sum, combine_sum,
	   take_shared);
TERM_CLASS(abs, term_abs, lanes_add, lanes_add_aside, -0.0, false, init_sum, combine_sum,
	   not_shared);
TERM_CLASS(square, term_square, lanes_add, lanes_add, -0.0, false, init_sum, combine_sum,
	   take_shared);
TERM_CLASS(dot, term_product, lanes_add, lanes_add, -0.0, true, init_sum, combine_sum, not_shared);
TERM_CLASS(prod, term_plain, lanes_multiply, lanes_multiply, 1.0, false, init_product,
	   combine_product, not_shared);

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
	struct tile of_terms = *tile;

	for (uint64_t i = 0; i < tile->count; i++)
		term[i] = power_term(x[i], args);
	of_terms.x = term;
	term_tile(value, &of_terms, false, false, false, -0.0, term_plain, lanes_add);
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
	.combine_all = combine_sum_all,
};
