/* accum_moments.c - count, mean and sum of squared deviations in the canonical
 * order. The arithmetic, operation by operation, is in docs/orders.md. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "engine/elementary.h"

/* A run of the strided order, shifted by its first element that takes part, so
 * that equal elements give exactly 0. */
struct moments_run {
	double count, first;
	double sum, squares; /* of x - first */
};

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

/* Lane sums of (x - shift) and of its square. */
LANES_INLINE void deviations(const double *x, uint64_t count, bool omit, double shift, double *sum,
			     double *squares)
{
	double lane[ORDER_LANES], lane_squares[ORDER_LANES];
	uint64_t width = lanes_width(count);

	for (uint64_t l = 0; l < width; l++)
		lane[l] = lane_squares[l] = -0.0;
	for (uint64_t row = 0; row < count; row += ORDER_LANES) {
		uint64_t in_row = count - row < ORDER_LANES ? count - row : ORDER_LANES;

		for (uint64_t l = 0; l < in_row; l++) {
			double d = x[row + l] - shift, square = d * d;

			if (omit && x[row + l] != x[row + l])
				d = square = -0.0;
			lane[l] += d;
			lane_squares[l] += square;
		}
	}
	*sum = lanes_halve(lane, width, lanes_add);
	*squares = lanes_halve(lane_squares, width, lanes_add);
}

static void moments_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	struct moments *out = value;
	const double *x = tile->x;
	bool omit = args->omit && tile->nans > 0;
	double n = (double)(tile->count - (omit ? tile->nans : 0));
	double sum, squares;
	uint64_t first = 0;

	moments_init(out);
	if (n == 0.0)
		return;
	while (omit && x[first] != x[first])
		first++;

	out->count = n;
	deviations(x, tile->count, omit, x[first], &sum, &squares);
	out->mean = x[first] + sum / n;
	deviations(x, tile->count, omit, out->mean, &sum, &squares);
	/* The second pass's own sum corrects for the mean's rounding (Chan,
	 * Golub, LeVeque, The American Statistician 37, 1983). */
	if (infinite(squares))
		out->m2 = squares;
	else
		out->m2 = centred(squares, sum, n);
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

const struct accum_class accum_moments = {
	.name = "moments",
	.ordered = true,
	.size = sizeof(struct moments),
	.init = moments_init,
	.tile = moments_tile,
	.run_size = sizeof(struct moments_run),
	.run_init = run_init,
	.step = moments_step,
	.run_end = moments_run_end,
	.combine = moments_combine,
};
