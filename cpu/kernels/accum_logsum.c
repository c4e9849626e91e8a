/* accum_logsum.c - log(sum exp x) as a maximum and a sum of exp(x - maximum).
 * An infinite or NaN maximum decides alone; its sum is then 0 (-inf), 1 a
 * term (+inf) or NaN. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/lanes.h"
#include "cpu/kernels/vector_exp.h"
#include "engine/elementary.h"

#define MINUS_INFINITY (-0x1p+1023 * 2.0)

LANES_INLINE void term_plain(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x;
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

/* The largest number of a tile, -inf without one; whether there is a NaN. */
static double largest(const struct tile *tile, bool *nan)
{
	const double *x = tile->x;
	vf64 max = vector_set_f64(MINUS_INFINITY);
	vector_flags nans = VECTOR_NO_FLAGS;
	double result = MINUS_INFINITY;
	bool rest = false;
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= tile->count; i += VECTOR_F64) {
		vf64 v = vector_load_f64(x + i);

		nans |= vector_unordered_f64(v, v);
		max = vector_max_f64(v, max);
	}
	for (; i < tile->count; i++) {
		result = x[i] > result ? x[i] : result;
		rest |= x[i] != x[i];
	}
	for (unsigned v = 0; v < VECTOR_F64; v++)
		result = max[v] > result ? max[v] : result;
	*nan = rest || vector_any(nans);
	/* Of zeros the first: its sign is seen in the value. */
	for (i = 0; result == 0.0 && i < tile->count; i++)
		if (x[i] == 0.0)
			return x[i];
	return result;
}

static double term_of(double x, double max)
{
	if (x != x)
		return -0.0; /* omitted */
	if (x == max)
		return 1.0; /* +inf - +inf has no difference */
	return elementary_exp(x - max);
}

/* One for each element. */
static void terms_of(double *term, const double *x, uint64_t count, double max)
{
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= count; i += VECTOR_F64) {
		vf64 v = vector_load_f64(x + i), d = v - max;
		vf64 e = vector_exp(d);

		if (vector_any(vector_flagged((d < VECTOR_EXP_LEAST) & (d >= VECTOR_EXP_ZERO)))) {
			for (unsigned k = 0; k < VECTOR_F64; k++)
				term[i + k] = term_of(x[i + k], max);
			continue;
		}
		e = vector_select(d < VECTOR_EXP_ZERO, (vf64){0}, e);
		e = vector_select(v == max, vector_set_f64(1.0), e);
		e = vector_select(v == v, e, vector_set_f64(-0.0));
		memcpy(term + i, &e, sizeof(e));
	}
	for (; i < count; i++)
		term[i] = term_of(x[i], max);
}

static void logsum_tile(void *value, const struct tile *tile, const struct accum_args *args)
{
	struct logsum *out = value;
	double term[ORDER_TILE];
	struct lanes lanes = lanes_of_tile(tile, false, false, 1, -0.0);
	bool nan;
	double max = largest(tile, &nan);

	logsum_init(out);
	if (nan && !args->omit) {
		out->max = out->sum = elementary_from_bits(0x7ff8000000000000u);
		return;
	}
	if (max == MINUS_INFINITY)
		return;
	terms_of(term, tile->x, tile->count, max);
	lanes.x = term;
	out->max = max;
	lanes_reduce(&out->sum, &lanes, term_plain, lanes_add);
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
	.lingers = true,
	.size = sizeof(struct logsum),
	.init = logsum_init,
	.tile = logsum_tile,
	.run_size = sizeof(struct logsum),
	.run_init = logsum_init,
	.step = logsum_step,
	.combine = logsum_combine,
};
