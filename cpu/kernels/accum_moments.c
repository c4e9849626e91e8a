/* accum_moments.c - count, mean and sum of squared deviations in the canonical
 * order. The arithmetic, operation by operation, is in docs/orders.md. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "cpu/kernels/moments_run.h"
#include "cpu/kernels/rows.h"
#include "cpu/kernels/shared_sums.h"
#include "engine/elementary.h"

static void moments_init(void *value)
{
	*(struct moments *)value = (struct moments){0.0, 0.0, 0.0};
}

static bool infinite(double x)
{
	return elementary_abs(x) > 0x1.fffffffffffffp+1023 && x == x;
}

/* squares - sum*sum/n, not below 0. Squares that overflowed stay infinite:
 * then so is what is subtracted, unless the elements are. */
static double centred(double squares, double sum, double n)
{
	double m2;

	if (infinite(squares) && sum - sum == 0.0)
		return squares;
	m2 = squares - sum * (sum / n);
	return m2 < 0.0 ? 0.0 : m2;
}

LANES_INLINE void term_deviation(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	terms[0] = vector_subtract_aside(x, common.shift, common.one);
}

LANES_INLINE void term_deviation_and_square(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	terms[0] = vector_subtract_aside(x, common.shift, common.one);
	terms[1] = terms[0] * terms[0];
}

LANES_INLINE double element_of(const struct tile *tile, uint64_t i, bool narrow)
{
	return narrow ? (double)((const float *)tile->x)[i] : ((const double *)tile->x)[i];
}

static bool is_finite(double x)
{
	return elementary_abs(x) <= 0x1.fffffffffffffp+1023;
}

/* The mean where the plain sum left the range (or an element is no number): the
 * sum of deviations from the first element that takes part. */
LANES_INLINE double shifted_mean(struct lanes *lanes, const struct tile *tile, bool narrow,
				 bool omit, double n)
{
	double shift = element_of(tile, 0, narrow), sum;

	for (uint64_t i = 1; omit && shift != shift; i++)
		shift = element_of(tile, i, narrow);
	lanes->kinds = 1;
	lanes->common.shift = vector_set_f64(shift);
	lanes_reduce(&sum, lanes, term_deviation, lanes_add);
	return shift + sum / n;
}

/* Two passes; the first may have been made for another accumulator. Each fetches
 * its share of what is ahead. omit: there are NaNs to leave out. */
LANES_INLINE void tile_moments(struct moments *out, const struct tile *tile, bool narrow, bool omit)
{
	struct lanes lanes = lanes_of_tile(tile, narrow, omit, 2, -0.0);
	struct tile first = *tile;
	struct tile_shared own = {false, false, 0.0, 0.0};
	double n = (double)(tile->count - (omit ? tile->nans : 0));
	double sum, guess, sums[2];

	moments_init(out);
	if (n == 0.0)
		return;
	if (tile->shared == NULL)
		first.shared = &own;
	if (!first.shared->known) {
		first.ahead_bytes /= 2;
		lanes.ahead.next += first.ahead_bytes;
		lanes.ahead.lines -= first.ahead_bytes / AHEAD_LINE;
	}
	sum = shared_sums(&first, narrow, omit)->sum;
	guess = is_finite(sum) ? sum / n : shifted_mean(&lanes, tile, narrow, omit, n);

	lanes.kinds = 2;
	lanes.first_aside = true;
	lanes.common.shift = vector_set_f64(guess);
	lanes_reduce(sums, &lanes, term_deviation_and_square, lanes_add);
	/* The second pass's own sum takes away what the rounding of the guess
	 * did (Chan, Golub, LeVeque, The American Statistician 37, 1983). */
	out->count = n;
	out->mean = infinite(sums[1]) ? guess : guess + sums[0] / n;
	out->m2 = infinite(sums[1]) ? sums[1] : centred(sums[1], sums[0], n);
}

static void moments_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		tile_moments(value, tile, false, true);
	else
		tile_moments(value, tile, false, false);
}

static void moments_tile_f32(void *value, const struct tile *tile, const struct accum_args *args)
{
	if (args->omit && tile->nans > 0)
		tile_moments(value, tile, true, true);
	else
		tile_moments(value, tile, true, false);
}

static void run_init(void *run)
{
	*(struct moments_run *)run = (struct moments_run){0.0, 0.0, -0.0, -0.0};
}

static void moments_step(void *runs, const void *x, const void *y, uint64_t count,
			 uint64_t position, const struct accum_args *args)
{
	struct moments_run *run = runs;
	const double *element = x;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++) {
		double d;

		if (args->omit && element[i] != element[i])
			continue;
		if (run[i].count == 0.0)
			run[i].first = element[i];
		d = element[i] - run[i].first;
		run[i].count += 1.0;
		run[i].sum += d;
		run[i].squares += d * d;
	}
}

static void moments_run_end(void *value, const void *run)
{
	const struct moments_run *r = run;
	struct moments *out = value;

	moments_init(out);
	if (r->count == 0.0)
		return;
	out->count = r->count;
	out->mean = r->first + r->sum / r->count;
	out->m2 = centred(r->squares, r->sum, r->count);
}

/* Chan, Golub, LeVeque (1979). */
static void moments_combine(void *left, const void *right)
{
	struct moments *a = left;
	const struct moments *b = right;
	double n, delta, weight;

	if (b->count == 0.0)
		return;
	if (a->count == 0.0) {
		*a = *b;
		return;
	}
	n = a->count + b->count;
	delta = b->mean - a->mean;
	weight = b->count / n;
	a->m2 = (a->m2 + b->m2) + (delta * delta) * (a->count * weight);
	a->mean = a->mean + delta * weight;
	a->count = n;
}

static void moments_combine_all(void *left, const void *right, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		moments_combine((struct moments *)left + i, (const struct moments *)right + i);
}

const struct accum_class accum_moments = {
	.name = "moments",
	.ordered = true,
	.lingers = true,
	.size = sizeof(struct moments),
	.init = moments_init,
	.tile = moments_tile,
	.tile_f32 = moments_tile_f32,
	.run_size = sizeof(struct moments_run),
	.run_init = run_init,
	.step = moments_step,
	.run_end = moments_run_end,
	.rows = rows_moments,
	.rows_f32 = rows_moments_f32,
	.combine = moments_combine,
	.combine_all = moments_combine_all,
};
