/* accum_scaled.c - the sum of squares that neither overflows nor underflows:
 * three sums, each of terms that can be squared after a fixed scaling (Blue,
 * ACM TOMS 4, 1978; thresholds by Anderson, ACM TOMS 44, 2017). */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "engine/elementary.h"

/* Which sum takes an element: |x| > 2^486 the big one, 0 < |x| < 2^-511 the
 * small one, all others (0 and NaN too) the one in the middle; the other two
 * sums take the identity, -0.0. */
LANES_INLINE double term_big(double x, double y)
{
	double scaled = x * 0x1p-538;

	(void)y;
	return elementary_abs(x) > 0x1p+486 ? scaled * scaled : -0.0;
}

LANES_INLINE bool is_small(double x)
{
	return elementary_abs(x) < 0x1p-511 && x != 0.0;
}

LANES_INLINE double term_small(double x, double y)
{
	double scaled = x * 0x1p+537;

	(void)y;
	return is_small(x) ? scaled * scaled : -0.0;
}

LANES_INLINE double term_mid(double x, double y)
{
	(void)y;
	return elementary_abs(x) > 0x1p+486 || is_small(x) ? -0.0 : x * x;
}

static void scaled_init(void *value)
{
	*(struct scaled_squares *)value = (struct scaled_squares){-0.0, -0.0, -0.0};
}

LANES_INLINE void reduce(struct scaled_squares *value, const struct tile *tile, bool omit)
{
	const double *x = tile->x;

	value->big = lanes_reduce(x, NULL, tile->count, omit, -0.0, term_big, lanes_add);
	value->mid = lanes_reduce(x, NULL, tile->count, omit, -0.0, term_mid, lanes_add);
	value->small = lanes_reduce(x, NULL, tile->count, omit, -0.0, term_small, lanes_add);
}

static void scaled_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		reduce(value, tile, true);
	else
		reduce(value, tile, false);
}

static void scaled_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
			const struct accum_args *args)
{
	struct scaled_squares *run = runs;
	const double *element = x;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++) {
		run[i].big += lanes_element(element, NULL, i, args->omit, -0.0, term_big);
		run[i].mid += lanes_element(element, NULL, i, args->omit, -0.0, term_mid);
		run[i].small += lanes_element(element, NULL, i, args->omit, -0.0, term_small);
	}
}

static void scaled_combine(void *left, const void *right)
{
	struct scaled_squares *a = left;
	const struct scaled_squares *b = right;

	a->big += b->big;
	a->mid += b->mid;
	a->small += b->small;
}

const struct accum_class accum_scaled = {
	.name = "scaled",
	.ordered = true,
	.size = sizeof(struct scaled_squares),
	.init = scaled_init,
	.tile = scaled_tile,
	.run_size = sizeof(struct scaled_squares),
	.run_init = scaled_init,
	.step = scaled_step,
	.combine = scaled_combine,
};
