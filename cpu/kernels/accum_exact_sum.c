/* accum_exact_sum.c - exact sums of elements and of their magnitudes. */
#include "config.h"

#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/exact_sum.h"
#include "engine/combine.h"
#include "engine/elementary.h"

#define INLINE static inline __attribute__((always_inline))

static void sum_init(void *value)
{
	exactsum_init(value);
}

static void sum_begin(void *work)
{
	exact_sum_init(work);
}

static void sum_end(void *work, void *value)
{
	exact_sum_end(work, value);
}

/* Omitted elements leave no term, not even a zero: a sum of -0 stays one. */
#define SOME 1024u

static void add_without_nans(struct exact_sum_work *work, const double *x, uint64_t count,
			     bool magnitude)
{
	double some[SOME];
	uint64_t used = 0;

	for (uint64_t i = 0; i < count; i++) {
		some[used] = x[i];
		used += x[i] == x[i];
		if (used == SOME) {
			exact_sum_add_f64(work, some, used, magnitude);
			used = 0;
		}
	}
	exact_sum_add_f64(work, some, used, magnitude);
}

static void add_without_nans_f32(struct exact_sum_work *work, const float *x, uint64_t count,
				 bool magnitude)
{
	float some[SOME];
	uint64_t used = 0;

	for (uint64_t i = 0; i < count; i++) {
		some[used] = x[i];
		used += x[i] == x[i];
		if (used == SOME) {
			exact_sum_add_f32(work, some, used, magnitude);
			used = 0;
		}
	}
	exact_sum_add_f32(work, some, used, magnitude);
}

INLINE void add_tile(void *work, const struct tile *tile, bool magnitude)
{
	if (tile->nans > 0)
		add_without_nans(work, tile->x, tile->count, magnitude);
	else
		exact_sum_add_f64(work, tile->x, tile->count, magnitude);
}

INLINE void add_tile_f32(void *work, const struct tile *tile, bool magnitude)
{
	if (tile->nans > 0)
		add_without_nans_f32(work, tile->x, tile->count, magnitude);
	else
		exact_sum_add_f32(work, tile->x, tile->count, magnitude);
}

INLINE void step(struct exactsum *sums, const double *x, uint64_t count, bool magnitude, bool omit)
{
	for (uint64_t i = 0; i < count; i++) {
		if (omit && x[i] != x[i])
			continue;
		exactsum_add(&sums[i], magnitude ? elementary_abs(x[i]) : x[i]);
	}
}

#define EXACT_SUM_CLASS(NAME, MAGNITUDE)                                                  \
	static void NAME##_tile(void *work, const struct tile *tile,                      \
				const struct accum_args *args)                            \
	{                                                                                 \
		(void)args;                                                               \
		add_tile(work, tile, MAGNITUDE);                                          \
	}                                                                                 \
                                                                                          \
	static void NAME##_tile_f32(void *work, const struct tile *tile,                  \
				    const struct accum_args *args)                        \
	{                                                                                 \
		(void)args;                                                               \
		add_tile_f32(work, tile, MAGNITUDE);                                      \
	}                                                                                 \
                                                                                          \
	static void NAME##_step(void *runs, const void *x, const void *y, uint64_t count, \
				uint64_t position, const struct accum_args *args)         \
	{                                                                                 \
		(void)y;                                                                  \
		(void)position;                                                           \
		step(runs, x, count, MAGNITUDE, args->omit);                              \
	}                                                                                 \
                                                                                          \
	const struct accum_class accum_exact_##NAME = {                                   \
		.name = "exact_" #NAME,                                                   \
		.ordered = false,                                                         \
		.size = sizeof(struct exactsum),                                          \
		.init = sum_init,                                                         \
		.tile = NAME##_tile,                                                      \
		.tile_f32 = NAME##_tile_f32,                                              \
		.work_size = sizeof(struct exact_sum_work),                               \
		.work_init = sum_begin,                                                   \
		.work_end = sum_end,                                                      \
		.run_size = sizeof(struct exactsum),                                      \
		.run_init = sum_init,                                                     \
		.step = NAME##_step,                                                      \
		.combine = combine_exactsum,                                              \
	}

EXACT_SUM_CLASS(sum, false);
EXACT_SUM_CLASS(abs, true);
