/* accum_tally.c - how many elements are not zero: order-free. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"

static void tally_init(void *value)
{
	((struct tally *)value)->nonzero = 0;
}

static void tally_combine(void *left, const void *right)
{
	((struct tally *)left)->nonzero += ((const struct tally *)right)->nonzero;
}

/* NaN is not zero, unless it takes no part. */
static inline uint64_t f64_counts(double x, bool omit)
{
	return x != 0.0 && !(omit && x != x);
}

static void f64_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	const double *x = tile->x;
	uint64_t nonzero = 0;

	for (uint64_t i = 0; i < tile->count; i++)
		nonzero += f64_counts(x[i], args->omit);
	((struct tally *)value)->nonzero += nonzero;
}

static void f64_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args)
{
	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++)
		((struct tally *)runs)[i].nonzero += f64_counts(((const double *)x)[i], args->omit);
}

static void i64_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	const uint64_t *x = tile->x;
	uint64_t nonzero = 0;

	(void)args;
	for (uint64_t i = 0; i < tile->count; i++)
		nonzero += x[i] != 0;
	((struct tally *)value)->nonzero += nonzero;
}

static void i64_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args)
{
	(void)y;
	(void)position;
	(void)args;
	for (uint64_t i = 0; i < count; i++)
		((struct tally *)runs)[i].nonzero += ((const uint64_t *)x)[i] != 0;
}

const struct accum_class accum_f64_tally = {
	.name = "f64_tally",
	.ordered = false,
	.size = sizeof(struct tally),
	.init = tally_init,
	.tile = f64_tile,
	.run_size = sizeof(struct tally),
	.run_init = tally_init,
	.step = f64_step,
	.combine = tally_combine,
};

const struct accum_class accum_i64_tally = {
	.name = "i64_tally",
	.ordered = false,
	.size = sizeof(struct tally),
	.init = tally_init,
	.tile = i64_tile,
	.run_size = sizeof(struct tally),
	.run_init = tally_init,
	.step = i64_step,
	.combine = tally_combine,
};
