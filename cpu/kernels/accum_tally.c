/* accum_tally.c - how many elements are not zero: order-free. NaN is not zero,
 * unless it takes no part. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/ahead.h"
#include "cpu/kernels/vector.h"
#include "engine/combine.h"

#define TALLY_VECTORS 4u /* at a time */

static void tally_init(void *value)
{
	((struct tally *)value)->nonzero = 0;
}

VECTOR_INLINE bool counts(double x, bool omit)
{
	return x != 0.0 && !(omit && x != x);
}

/* -1 where an element counts. */
VECTOR_INLINE vi64 counts_f64(vf64 x, bool omit)
{
	vi64 nonzero = x != 0.0;

	return omit ? nonzero & (x == x) : nonzero;
}

VECTOR_INLINE vi32 counts_f32(vf32 x, bool omit)
{
	vi32 nonzero = x != 0.0f;

	return omit ? nonzero & (x == x) : nonzero;
}

VECTOR_INLINE vi64 counts_u64(vu64 x, bool omit)
{
	(void)omit;
	return x != 0;
}

/* A tile has few enough elements for 32-bit counts. */
#define TALLY_TILE(TYPE, ELEMENT, COUNTS, TOTAL, WIDTH)                                  \
	VECTOR_INLINE void TYPE##_tally(void *value, const struct tile *tile, bool omit) \
	{                                                                                \
		const uint64_t step = (uint64_t)TALLY_VECTORS * (WIDTH);                 \
		const ELEMENT *x = tile->x;                                              \
		struct ahead ahead = ahead_of(tile);                                     \
		const uint64_t lines = ahead_share(&ahead, tile->count / step);          \
		COUNTS count[TALLY_VECTORS] = {{0}};                                     \
		uint64_t nonzero = 0, i = 0;                                             \
                                                                                         \
		for (; i + step <= tile->count; i += step) {                             \
			VECTOR_UNROLL                                                    \
			for (unsigned k = 0; k < TALLY_VECTORS; k++)                     \
				count[k] -= (COUNTS)counts_##TYPE(                       \
					vector_load_##TYPE(x + i + k * (WIDTH)), omit);  \
			ahead_fetch(&ahead, lines);                                      \
		}                                                                        \
		for (; i < tile->count; i++)                                             \
			nonzero += counts((double)x[i], omit);                           \
		nonzero += TOTAL((count[0] + count[1]) + (count[2] + count[3]));         \
		((struct tally *)value)->nonzero += nonzero;                             \
	}

TALLY_TILE(f64, double, vu64, vector_total_u64, VECTOR_F64)
TALLY_TILE(f32, float, vu32, vector_total_u32, VECTOR_F32)
TALLY_TILE(u64, uint64_t, vu64, vector_total_u64, VECTOR_F64)

static void f64_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		f64_tally(value, tile, true);
	else
		f64_tally(value, tile, false);
}

static void f64_tile_f32(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		f32_tally(value, tile, true);
	else
		f32_tally(value, tile, false);
}

static void f64_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args)
{
	struct tally *run = runs;
	const double *element = x;

	(void)y;
	(void)position;
	if (args->omit)
		for (uint64_t i = 0; i < count; i++)
			run[i].nonzero += counts(element[i], true);
	else
		for (uint64_t i = 0; i < count; i++)
			run[i].nonzero += counts(element[i], false);
}

static void i64_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	(void)args;
	u64_tally(value, tile, false);
}

static void i64_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args)
{
	struct tally *run = runs;
	const uint64_t *element = x;

	(void)y;
	(void)position;
	(void)args;
	for (uint64_t i = 0; i < count; i++)
		run[i].nonzero += element[i] != 0;
}

const struct accum_class accum_f64_tally = {
	.name = "f64_tally",
	.ordered = false,
	.size = sizeof(struct tally),
	.init = tally_init,
	.tile = f64_tile,
	.tile_f32 = f64_tile_f32,
	.work_size = sizeof(struct tally),
	.work_init = tally_init,
	.run_size = sizeof(struct tally),
	.run_init = tally_init,
	.step = f64_step,
	.combine = combine_tally,
};

const struct accum_class accum_i64_tally = {
	.name = "i64_tally",
	.ordered = false,
	.size = sizeof(struct tally),
	.init = tally_init,
	.tile = i64_tile,
	.work_size = sizeof(struct tally),
	.work_init = tally_init,
	.run_size = sizeof(struct tally),
	.run_init = tally_init,
	.step = i64_step,
	.combine = combine_tally,
};
