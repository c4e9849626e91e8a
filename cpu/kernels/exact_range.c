#include "config.h"
#include "cpu/kernels/exact_range.h"

#include <string.h>
#include "cpu/kernels/exact_bins.h"

#define EXPONENTS 2048
#define LEAST_Q (-1022)
#define GREATEST_Q 1022

/* Of the greatest and the least magnitude that is not 0, by their bits. */
static struct exact_range range(int64_t high, int64_t low, int fraction, int bias)
{
	if (high == 0)
		return (struct exact_range){true, 0, 0};
	high >>= fraction;
	low >>= fraction;
	return (struct exact_range){
		.finite = high <= 2 * bias,
		.top = (int)(high == 0 ? 1 : high) - bias,
		.bottom = (int)(low == 0 ? 1 : low) - bias - fraction,
	};
}

/* As numbers: not all instruction sets compare integers of 64 bits. */
struct exact_range exact_range_f64(const double *x, uint64_t count)
{
	const int64_t infinity = (int64_t)0x7ff << 52;
	vf64 most = {0}, least = (vf64)((vi64){0} + infinity);
	int64_t high = 0, low = infinity;
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= count; i += VECTOR_F64) {
		vf64 v = vector_abs(vector_load_f64(x + i));

		most = vector_max_f64(v, most);
		least = vector_min_f64((vf64)((vi64)v | ((vi64)(v == 0) & infinity)), least);
	}
	for (unsigned n = 0; n < VECTOR_F64; n++) {
		high = ((vi64)most)[n] > high ? ((vi64)most)[n] : high;
		low = ((vi64)least)[n] < low ? ((vi64)least)[n] : low;
	}
	for (; i < count; i++) {
		int64_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= INT64_MAX;
		high = bits > high ? bits : high;
		low = bits != 0 && bits < low ? bits : low;
	}
	return range(high, low, 52, 1023);
}

struct exact_range exact_range_f32(const float *x, uint64_t count)
{
	vi32 most = {0}, least = most + INT32_MAX, v;
	int32_t high = 0, low = INT32_MAX;
	uint64_t i = 0;

	for (; i + VECTOR_F32 <= count; i += VECTOR_F32) {
		memcpy(&v, x + i, sizeof(v));
		v &= INT32_MAX;
		most = (v & (v > most)) | (most & ~(v > most));
		v |= (v == 0) & INT32_MAX;
		least = (v & (v < least)) | (least & ~(v < least));
	}
	for (unsigned n = 0; n < VECTOR_F32; n++) {
		high = most[n] > high ? most[n] : high;
		low = least[n] < low ? least[n] : low;
	}
	for (; i < count; i++) {
		int32_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= INT32_MAX;
		high = bits > high ? bits : high;
		low = bits != 0 && bits < low ? bits : low;
	}
	return range(high, low, 23, 127);
}

int exact_range_bins(const struct exact_range *range)
{
	int below = range->top + EXACT_BINS_ROOM - 52 - range->bottom;

	return below <= 0 ? 1 : 1 + (below + EXACT_BINS_STEP - 1) / EXACT_BINS_STEP;
}

/* The highest exponent in use at or below e, or -1. */
static int used_below(const bool *used, int e)
{
	while (e >= 0 && !used[e])
		e--;
	return e;
}

/* used: by biased exponent, subnormals by that of the least normal. Elements are
 * multiples of 2^-fraction times their exponent's power. From the top: a bin;
 * then the next one either takes what greater elements leave, or begins at the
 * greatest element that lies below all of the last one. */
static int plan(const bool *used, int bias, int fraction, int most, int *q)
{
	int top = used_below(used, 2 * bias), place = GREATEST_Q, count = 0;

	while (top >= 0) {
		int here = top - bias + EXACT_BINS_ROOM;

		if (count == 0 && here > GREATEST_Q)
			return 0;
		if (count > 0 && here > place - EXACT_BINS_STEP)
			here = place - EXACT_BINS_STEP;
		place = here > LEAST_Q ? here : LEAST_Q;
		if (count == most)
			return 0;
		q[count++] = place;
		if (place == LEAST_Q)
			break;
		/* Multiples of the bin's unit, 2^(place - 52), are done with. */
		here = place - 53 + fraction + bias;
		top = used_below(used, here < top ? here : top);
	}
	return count;
}

#define PLAN(NAME, TYPE, BITS, FRACTION, BIAS)                                         \
	int NAME(const TYPE *x, uint64_t count, int most, int *q)                      \
	{                                                                              \
		bool used[2 * (BIAS) + 2] = {false};                                   \
                                                                                       \
		for (uint64_t i = 0; i < count; i++) {                                 \
			BITS bits;                                                     \
                                                                                       \
			memcpy(&bits, x + i, sizeof(bits));                            \
			used[bits >> (FRACTION) & (2 * (BIAS) + 1)] |= bits << 1 != 0; \
		}                                                                      \
		used[1] |= used[0];                                                    \
		used[0] = false;                                                       \
		return plan(used, BIAS, FRACTION, most, q);                            \
	}

PLAN(exact_range_plan_f64, double, uint64_t, 52, 1023)
PLAN(exact_range_plan_f32, float, uint32_t, 23, 127)
