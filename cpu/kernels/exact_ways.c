#include "config.h"
#include "cpu/kernels/exact_ways.h"

#define INLINE VECTOR_INLINE

#define NARROW_BINS 2
#define SAMPLE 64u     /* elements that place the first bins */
#define SAMPLE_SPARE 2 /* exponents by which others may be greater */

#define NARROW_VECTORS (VECTOR_BYTES == 64 ? 8 : 4)
#define MORE_VECTORS (VECTOR_BYTES == 64 ? 4 : 2)

bool exact_ways_reopen(struct exact_bins *bins, int count, int top, struct exactsum *sum)
{
	exact_bins_empty(bins, sum);
	bins->count = 0;
	return exact_bins_open(bins, count, top);
}

static int exponent(int64_t magnitude)
{
	int biased = (int)(magnitude >> 52);

	return (biased == 0 ? 1 : biased) - 1023;
}

/* The greatest magnitude's bits. */
INLINE int64_t greatest(const vf64 *v, int number)
{
	vi64 most = {0};
	int64_t all = 0;

	VECTOR_UNROLL
	for (int n = 0; n < number; n++) {
		vi64 bits = (vi64)vector_abs(v[n]);

		most = (vi64)vector_select(bits > most, (vf64)bits, (vf64)most);
	}
	for (unsigned i = 0; i < VECTOR_F64; i++)
		all = most[i] > all ? most[i] : all;
	return all;
}

/* Open bins for what the first elements look like. */
INLINE bool open_by_sample(struct exact_bins *bins, const struct exact_input *in, exact_load load,
			   struct exactsum *sum)
{
	struct exact_input from = {in->x, in->y, in->count < SAMPLE ? in->count : SAMPLE, in->size};
	struct exact_rest rest;
	vf64 v[SAMPLE / VECTOR_F64];

	if (from.count < SAMPLE)
		from = exact_input_rest(&from, 0, SAMPLE, &rest);
	VECTOR_UNROLL
	for (unsigned n = 0; n < SAMPLE / VECTOR_F64; n++)
		v[n] = load(from.x, from.y, (uint64_t)n * VECTOR_F64);
	return exact_ways_reopen(bins, NARROW_BINS,
				 exponent(greatest(v, SAMPLE / VECTOR_F64)) + SAMPLE_SPARE, sum);
}

/* Two bins, without flags. */

static bool fits_two(int top, int bottom)
{
	return top + EXACT_BINS_ROOM - EXACT_BINS_STEP - 52 <= bottom;
}

INLINE bool two(struct exact_bins *bins, const struct exact_input *in, exact_load load,
		struct exactsum *sum)
{
	if (bins->count != NARROW_BINS && !open_by_sample(bins, in, load, sum))
		return false;
	return exact_bins_add(bins, in, NARROW_BINS, NARROW_VECTORS, load, sum);
}

INLINE bool more(struct exact_bins *bins, const struct exact_input *in, exact_load load,
		 struct exactsum *sum)
{
	switch (bins->count) {
	case 2:
		return exact_bins_add(bins, in, 2, NARROW_VECTORS, load, sum);
#if VECTOR_BYTES >= 32
	case 3:
		return exact_bins_add(bins, in, 3, MORE_VECTORS, load, sum);
#endif
#if VECTOR_BYTES == 64
	case 4:
		return exact_bins_add(bins, in, 4, MORE_VECTORS, load, sum);
	case 5:
		return exact_bins_add(bins, in, 5, MORE_VECTORS, load, sum);
	case 6:
		return exact_bins_add(bins, in, 6, MORE_VECTORS, load, sum);
	case 7:
		return exact_bins_add(bins, in, 7, MORE_VECTORS, load, sum);
#endif
	default:
		return false;
	}
}

#ifdef EXACT_FLAGS

/* Lane sums of a tile from nothing, which the flags prove, added to bins: so few
 * that how many bins is no matter. */

#define LANE_BINS 3

INLINE bool add_lanes(struct exact_bins *bins, const vf64 *v, int number, struct exactsum *sum)
{
	int64_t most;

	if (bins->count == LANE_BINS && exact_bins_add_lanes(bins, v, number, LANE_BINS, sum))
		return true;
	most = greatest(v, number);
	if (most == 0)
		return true;
	/* NaN and infinities have too high an exponent. */
	if (exact_ways_reopen(bins, LANE_BINS, exponent(most), sum) &&
	    exact_bins_add_lanes(bins, v, number, LANE_BINS, sum))
		return true;
	exact_flags_set(EXACT_MXCSR); /* sums of bins are inexact by design */
	return false;
}

#define LANE_VECTORS 8

/* Lanes get 2^9 elements of a tile at most. */
static bool fits_lanes(int top, int bottom)
{
	return top + 1 + 9 - bottom <= 53;
}

/* Sums of the elements as they are, of float32 or of float64 with few bits. */
INLINE bool lanes(struct exact_bins *bins, const struct exact_input *in, exact_load load,
		  struct exactsum *sum)
{
	const uint64_t round = (uint64_t)LANE_VECTORS * VECTOR_F64;
	struct exact_input from = *in;
	struct exact_rest rest;
	vf64 a[LANE_VECTORS];
	uint64_t i;

	VECTOR_UNROLL
	for (int u = 0; u < LANE_VECTORS; u++)
		a[u] = exact_flags_pin((vf64){0});
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < LANE_VECTORS; u++)
				a[u] += load(from.x, from.y, i + (uint64_t)u * VECTOR_F64);
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	VECTOR_UNROLL
	for (int half = LANE_VECTORS / 2; half > 0; half /= 2) {
		VECTOR_UNROLL
		for (int u = 0; u < half; u++)
			a[u] += a[u + half];
	}
	a[0] = exact_flags_pin(a[0]);
	return !exact_flags_lost() && add_lanes(bins, a, 1, sum);
}

#ifdef VECTOR_512

static bool fits_narrow_f64(int top, int bottom)
{
	return fits_two(top, bottom);
}

INLINE bool narrow_f64(struct exact_bins *bins, const struct exact_input *in, exact_load load,
		       struct exactsum *sum)
{
	if (bins->count != NARROW_BINS && !open_by_sample(bins, in, load, sum))
		return false;
	return exact_bins_add_flagged(bins, in, NARROW_BINS, NARROW_VECTORS, load, sum);
}

INLINE bool more_flagged(struct exact_bins *bins, const struct exact_input *in, exact_load load,
			 struct exactsum *sum)
{
	switch (bins->count) {
	case 2:
		return exact_bins_add_flagged(bins, in, 2, NARROW_VECTORS, load, sum);
	case 3:
		return exact_bins_add_flagged(bins, in, 3, MORE_VECTORS, load, sum);
	case 4:
		return exact_bins_add_flagged(bins, in, 4, MORE_VECTORS, load, sum);
	case 5:
		return exact_bins_add_flagged(bins, in, 5, MORE_VECTORS, load, sum);
	case 6:
		return exact_bins_add_flagged(bins, in, 6, MORE_VECTORS, load, sum);
	case 7:
		return exact_bins_add_flagged(bins, in, 7, MORE_VECTORS, load, sum);
	default:
		return false;
	}
}

#else

/* Without additions that set no flag an element is cut in two by a mask, each
 * half of at most 27 bits summed by itself. */

#define HALF_VECTORS 4
#define LOWER_HALF (((int64_t)1 << 27) - 1)

/* The upper half is a multiple of 2^27 times the element's last bit; lanes get
 * 2^9 elements at most. */
static bool fits_narrow_f64(int top, int bottom)
{
	return top + 1 + 9 - (bottom + 27) <= 53;
}

INLINE bool narrow_f64(struct exact_bins *bins, const struct exact_input *in, exact_load load,
		       struct exactsum *sum)
{
	const uint64_t round = (uint64_t)HALF_VECTORS * VECTOR_F64;
	vf64 upper[HALF_VECTORS], lower[HALF_VECTORS], both[2];
	struct exact_input from = *in;
	struct exact_rest rest;
	uint64_t i;

	VECTOR_UNROLL
	for (int u = 0; u < HALF_VECTORS; u++)
		upper[u] = lower[u] = exact_flags_pin((vf64){0});
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < HALF_VECTORS; u++) {
				vf64 v = load(from.x, from.y, i + (uint64_t)u * VECTOR_F64);
				vf64 h = (vf64)((vi64)v & ~LOWER_HALF);

				upper[u] += h;
				lower[u] += v - h;
			}
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	both[0] = exact_flags_pin((upper[0] + upper[1]) + (upper[2] + upper[3]));
	both[1] = exact_flags_pin((lower[0] + lower[1]) + (lower[2] + lower[3]));
	return !exact_flags_lost() && add_lanes(bins, both, 2, sum);
}

#endif
#endif

/* Loops are only worth it with their kind of element built in. */
#define WAY(NAME, BODY, LOAD)                                                   \
	static bool NAME(struct exact_bins *bins, const struct exact_input *in, \
			 struct exactsum *sum)                                  \
	{                                                                       \
		return BODY(bins, in, LOAD, sum);                               \
	}

WAY(two_f64, two, exact_load_f64)
WAY(two_abs_f64, two, exact_load_abs_f64)
WAY(two_f32, two, exact_load_f32)
WAY(two_abs_f32, two, exact_load_abs_f32)
WAY(more_f64, more, exact_load_f64)
WAY(more_abs_f64, more, exact_load_abs_f64)
WAY(more_f32, more, exact_load_f32)
WAY(more_abs_f32, more, exact_load_abs_f32)

const struct exact_ways exact_ways_plain[2][2] = {
	{{fits_two, two_f64, more_f64}, {fits_two, two_abs_f64, more_abs_f64}},
	{{fits_two, two_f32, more_f32}, {fits_two, two_abs_f32, more_abs_f32}},
};

#ifdef EXACT_FLAGS

WAY(narrow_plain_f64, narrow_f64, exact_load_f64)
WAY(narrow_abs_f64, narrow_f64, exact_load_abs_f64)
WAY(lanes_f32, lanes, exact_load_f32)
WAY(lanes_abs_f32, lanes, exact_load_abs_f32)
#ifdef VECTOR_512
WAY(more_flagged_f64, more_flagged, exact_load_f64)
WAY(more_flagged_abs_f64, more_flagged, exact_load_abs_f64)
WAY(more_flagged_f32, more_flagged, exact_load_f32)
WAY(more_flagged_abs_f32, more_flagged, exact_load_abs_f32)
#else
#define more_flagged_f64 more_f64
#define more_flagged_abs_f64 more_abs_f64
#define more_flagged_f32 more_f32
#define more_flagged_abs_f32 more_abs_f32
#endif

const struct exact_ways exact_ways_flagged[2][2] = {
	{{fits_narrow_f64, narrow_plain_f64, more_flagged_f64},
	 {fits_narrow_f64, narrow_abs_f64, more_flagged_abs_f64}},
	{{fits_lanes, lanes_f32, more_flagged_f32},
	 {fits_lanes, lanes_abs_f32, more_flagged_abs_f32}},
};

#else

const struct exact_ways exact_ways_flagged[2][2] = {
	{{fits_two, two_f64, more_f64}, {fits_two, two_abs_f64, more_abs_f64}},
	{{fits_two, two_f32, more_f32}, {fits_two, two_abs_f32, more_abs_f32}},
};

#endif
