/* accum_logsum.c - log(sum exp x) as a maximum and a sum of exp(x - maximum).
 * An infinite or NaN maximum decides alone; its sum is then 0 (-inf), 1 a
 * term (+inf) or NaN. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "engine/elementary.h"

#define MINUS_INFINITY (-0x1p+1023 * 2.0)

LANES_INLINE double term_plain(double x, double y)
{
	(void)y;
	return x;
}

static void logsum_init(void *value)
{
	*(struct logsum *)value = (struct logsum){MINUS_INFINITY, 0.0};
}

static void logsum_combine(void *left, const void *right)
{
	struct logsum *a = left;
	const struct logsum *b = right;

	if (a->max != a->max)
		return;
	if (b->max != b->max) {
		*a = *b;
	} else if (b->max == a->max) {
		a->sum = a->sum + b->sum;
	} else if (b->max < a->max) {
		a->sum = a->sum + b->sum * elementary_exp(b->max - a->max);
	} else {
		a->sum = a->sum * elementary_exp(a->max - b->max) + b->sum;
		a->max = b->max;
	}
}

static void logsum_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	struct logsum *out = value;
	const double *x = tile->x;
	double term[ORDER_TILE];
	double max = MINUS_INFINITY;

	logsum_init(out);
	if (tile->nans > 0 && !args->omit) {
		out->max = out->sum = elementary_from_bits(0x7ff8000000000000u);
		return;
	}
	for (uint64_t i = 0; i < tile->count; i++)
		max = x[i] > max ? x[i] : max;
	if (max == MINUS_INFINITY)
		return;

	for (uint64_t i = 0; i < tile->count; i++) {
		if (x[i] != x[i])
			term[i] = -0.0; /* omitted */
		else if (x[i] == max)
			term[i] = 1.0; /* +inf - +inf has no difference */
		else
			term[i] = elementary_exp(x[i] - max);
	}
	out->max = max;
	out->sum = lanes_reduce(term, NULL, tile->count, false, -0.0, term_plain, lanes_add);
}

static void logsum_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
			const struct accum_args *args)
{
	struct logsum *run = runs;
	const double *element = x;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++) {
		struct logsum one = {element[i], 1.0};

		if (args->omit && element[i] != element[i])
			continue;
		if (element[i] == MINUS_INFINITY)
			continue;
		logsum_combine(&run[i], &one);
	}
}

const struct accum_class accum_logsum = {
	.name = "logsum",
	.ordered = true,
	.size = sizeof(struct logsum),
	.init = logsum_init,
	.tile = logsum_tile,
	.run_size = sizeof(struct logsum),
	.run_init = logsum_init,
	.step = logsum_step,
	.combine = logsum_combine,
};
