/* accum_scaled.c - the sum of squares that neither overflows nor underflows:
 * three sums, each of terms that can be squared after a fixed scaling (Blue,
 * ACM TOMS 4, 1978; thresholds by Anderson, ACM TOMS 44, 2017). */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "cpu/kernels/rows.h"
#include "engine/elementary.h"

/* Which sum takes an element: |x| > 2^486 the big one, 0 < |x| < 2^-511 the
 * small one, all others (0 and NaN too) the one in the middle; the other two
 * sums take the identity, -0.0. */
LANES_INLINE vi64 is_big(vf64 x)
{
	return vector_abs(x) > 0x1p+486;
}

LANES_INLINE vi64 is_small(vf64 x)
{
	return (vector_abs(x) < 0x1p-511) & (x != 0.0);
}

/* Big, mid, small. */
LANES_INLINE void term_scaled(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	const vf64 none = vector_set_f64(-0.0);
	vi64 big = is_big(x), small = is_small(x);
	vf64 down = x * 0x1p-538, up = x * 0x1p+537;

	(void)y;
	(void)common;
	terms[0] = vector_select(big, down * down, none);
	terms[1] = vector_select(big | small, none, x * x);
	terms[2] = vector_select(small, up * up, none);
}

LANES_INLINE void term_square(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x * x;
}

static void scaled_init(void *value)
{
	*(struct scaled_squares *)value = (struct scaled_squares){-0.0, -0.0, -0.0};
}

/* No element of a tile is small, one by one. */
static bool none_small(const double *x, uint64_t count)
{
	bool small = false;

	for (uint64_t i = 0; i < count; i++)
		small |= elementary_abs(x[i]) < 0x1p-511 && x[i] != 0.0;
	return !small;
}

/* Most tiles have elements of the middle range alone. No sum of squares of such
 * a tile is below any of its terms, so one that is small enough vouches for all
 * of them; the square of a small element is subnormal or 0. */
LANES_INLINE void reduce(struct scaled_squares *value, const struct tile *tile, bool omit)
{
	struct lanes lanes = lanes_of_tile(tile, false, omit, 1, -0.0);
	const uint64_t rest = tile->count % ORDER_LANES;
	double sums[3], least = LANES_INFINITY;

	lanes.least = &least;
	lanes_reduce(sums, &lanes, term_square, lanes_add);
	*value = (struct scaled_squares){-0.0, sums[0], -0.0};
	if (sums[0] <= 0x1p+972 && /* no NaN */
	    (least >= 0x1p-1022 || none_small(tile->x, tile->count - rest)) &&
	    none_small((const double *)tile->x + tile->count - rest, rest))
		return;
	lanes.least = NULL;
	lanes.kinds = 3;
	lanes_reduce(sums, &lanes, term_scaled, lanes_add);
	*value = (struct scaled_squares){sums[0], sums[1], sums[2]};
}

static void scaled_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		reduce(value, tile, true);
	else
		reduce(value, tile, false);
}

/* The scalar form of term_scaled, for runs. */
static inline void run_add(struct scaled_squares *run, double x)
{
	double magnitude = elementary_abs(x);

	if (magnitude > 0x1p+486)
		run->big += (x * 0x1p-538) * (x * 0x1p-538);
	else if (magnitude < 0x1p-511 && x != 0.0)
		run->small += (x * 0x1p+537) * (x * 0x1p+537);
	else
		run->mid += x * x;
}

static void scaled_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
			const struct accum_args *args)
{
	struct scaled_squares *run = runs;
	const double *element = x;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++)
		if (!args->omit || element[i] == element[i])
			run_add(&run[i], element[i]);
}

static void scaled_combine(void *left, const void *right)
{
	struct scaled_squares *a = left;
	const struct scaled_squares *b = right;

	a->big += b->big;
	a->mid += b->mid;
	a->small += b->small;
}

static void scaled_combine_all(void *left, const void *right, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		scaled_combine((struct scaled_squares *)left + i,
			       (const struct scaled_squares *)right + i);
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
	.rows = rows_scaled,
	.combine = scaled_combine,
	.combine_all = scaled_combine_all,
};
