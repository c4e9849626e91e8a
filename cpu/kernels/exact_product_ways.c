#include "config.h"
#include "cpu/kernels/exact_product_ways.h"

#include <string.h>
#include "cpu/kernels/exact_two.h"
#include "cpu/kernels/exact_ways.h"

#define SAMPLE 64u     /* elements that place the first bins */
#define SAMPLE_SPARE 1 /* exponents by which factors may be greater */

/* Tiles until two bins are tried again. Chosen. */
#define LONGEST_HOLD 64u

/* Vectors that take elements in turn, of two bins and of three. */
#define SINGLES(count) ((count) == 2 && VECTOR_BYTES == 64 ? 8 : 4)
#define PAIRS (VECTOR_BYTES == 64 ? 4 : 2)

/* Without flags, no bin is looked at while it is added to. Bins are at most half
 * of their way out before a tile. Elements below 2^(top + 1) for which bins were
 * opened, and what they leave, take it no farther than another half: a lane gets
 * at most 2^(EXACT_BINS_SHARE + 2) of them. */
_Static_assert(PAIRS *VECTOR_F64 *(4u << EXACT_BINS_SHARE) >= ORDER_TILE, "lanes get more");

VECTOR_INLINE vf64 load_product_f32(const void *x, const void *y, uint64_t at)
{
	return vector_load_widened((const float *)x + at) *
	       vector_load_widened((const float *)y + at);
}

VECTOR_INLINE vf64 load_square_f32(const void *x, const void *y, uint64_t at)
{
	vf64 v = vector_load_widened((const float *)x + at);

	(void)y;
	return v * v;
}

/* The greatest magnitude is below 2^(this + 1). */
static int top_f64(const double *x, uint64_t count)
{
	uint64_t most = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= INT64_MAX;
		most = bits > most ? bits : most;
	}
	return (int)(most >> 52) - 1023;
}

static int top_f32(const float *x, uint64_t count)
{
	uint32_t most = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= INT32_MAX;
		most = bits > most ? bits : most;
	}
	return (int)(most >> 23) - 127;
}

/* The greatest bits of a finite magnitude below 2^(top + 1). */
static int64_t most_bits(int top)
{
	int biased = top + 1 + 1023;

	if (biased <= 0)
		return 0;
	return ((int64_t)(biased < 2047 ? biased : 2047) << 52) - 1;
}

/* Bins for factors below 2^(x + 1) and 2^(y + 1); `pairs`: for the rest too. */
static bool reopen(struct exact_product_bins *bins, int count, int x, int y, bool pairs,
		   struct exactsum *sum)
{
	int top = x + y + 1;

	bins->most = most_bits(top);
	bins->most_x = most_bits(x);
	bins->most_y = most_bits(y);
	if (bins->most_x > EXACT_TWO_GREATEST)
		bins->most_x = EXACT_TWO_GREATEST;
	if (bins->most_y > EXACT_TWO_GREATEST)
		bins->most_y = EXACT_TWO_GREATEST;
	bins->tiles = 0;
	return exact_ways_reopen(&bins->high, count, top, sum) &&
	       (!pairs || exact_ways_reopen(&bins->low, count, top - 53, sum));
}

/* exact_bins_step() of what is known to keep to the binades. */
VECTOR_INLINE void step(exact_bins_copy copy, int count, int u, vf64 v, vu64 *lost)
{
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		vf64 s = copy[k][u] + v;

		v -= s - copy[k][u];
		copy[k][u] = s;
	}
	*lost |= (vu64)v << 1; /* -0 is nothing */
}

/* Products of float32, which are exact. */
VECTOR_INLINE bool singles_plain(struct exact_product_bins *bins, const struct exact_input *in,
				 int count, int vectors, exact_load load, struct exactsum *sum)
{
	const uint64_t round = (uint64_t)vectors * VECTOR_F64;
	const vi64 most = (vi64)vector_set_u64((uint64_t)bins->most);
	vu64 lost = {0}, outside = {0};
	struct exact_input from = *in;
	struct exact_after after;
	struct exact_rest rest;
	exact_bins_copy copy;
	uint64_t i;

	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++)
			copy[k][u] = bins->high.bin[k][u];
	}
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < vectors; u++) {
				vf64 v = load(from.x, from.y, i + (uint64_t)u * VECTOR_F64);

				outside |= (vu64)(most - (vi64)vector_abs(v));
				step(copy, count, u, v, &lost);
			}
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	if (exact_bins_or(outside) >> 63 != 0 || exact_bins_or(lost) != 0)
		return false;
	after = exact_bins_after(&bins->high, copy, count, vectors);
	if ((exact_bins_or(after.outside) & EXACT_BINS_BINADE) != 0)
		return false;
	exact_bins_keep(&bins->high, copy, count, vectors, &after, sum);
	return true;
}

/* What a tile of float64 is added to: copies of both parts' bins. */
struct pair_copies {
	exact_bins_copy high, low;
};

VECTOR_INLINE void copy_bins(struct pair_copies *copies, const struct exact_product_bins *bins,
			     int count)
{
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < PAIRS; u++) {
			copies->high[k][u] = bins->high.bin[k][u];
			copies->low[k][u] = bins->low.bin[k][u];
		}
	}
}

/* False: some bin was left. */
VECTOR_INLINE bool keep_bins(struct exact_product_bins *bins, struct pair_copies *copies, int count,
			     struct exactsum *sum)
{
	struct exact_after high = exact_bins_after(&bins->high, copies->high, count, PAIRS);
	struct exact_after low = exact_bins_after(&bins->low, copies->low, count, PAIRS);

	if ((exact_bins_or(high.outside | low.outside) & EXACT_BINS_BINADE) != 0)
		return false;
	exact_bins_keep(&bins->high, copies->high, count, PAIRS, &high, sum);
	exact_bins_keep(&bins->low, copies->low, count, PAIRS, &low, sum);
	return true;
}

VECTOR_INLINE bool pairs_plain(struct exact_product_bins *bins, const struct exact_input *in,
			       int count, bool square, struct exactsum *sum)
{
	const uint64_t round = (uint64_t)PAIRS * VECTOR_F64;
	vu64 lost = {0}, outside = {0};
	struct exact_input from = *in;
	struct pair_copies copies;
	struct exact_rest rest;
	uint64_t i;

	copy_bins(&copies, bins, count);
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < PAIRS; u++) {
				uint64_t at = i + (uint64_t)u * VECTOR_F64;
				vf64 x = vector_load_f64((const double *)from.x + at), y = x;
				vf64 high;

				if (!square) {
					y = vector_load_f64((const double *)from.y + at);
					outside |= (vu64)exact_two_outside(y, bins->most_y);
				}
				outside |= (vu64)exact_two_outside(x, bins->most_x);
				high = x * y;
				step(copies.low, count, u, exact_two_rest(x, y, high), &lost);
				step(copies.high, count, u, high, &lost);
			}
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	return exact_bins_or(outside) >> 63 == 0 && exact_bins_or(lost) == 0 &&
	       keep_bins(bins, &copies, count, sum);
}

#if defined(EXACT_FLAGS) && defined(VECTOR_512)

VECTOR_INLINE void pin(exact_bins_copy copy, int count)
{
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < PAIRS; u++)
			copy[k][u] = exact_flags_pin(copy[k][u]);
	}
}

/* All sums but the last one set no flag. */
VECTOR_INLINE void step_flagged(exact_bins_copy copy, int count, int u, vf64 v, vf64 one)
{
	VECTOR_UNROLL
	for (int k = 0; k < count - 1; k++) {
		vf64 s = exact_bins_quiet(copy[k][u], v, one);

		v -= s - copy[k][u];
		copy[k][u] = s;
	}
	copy[count - 1][u] += v;
}

/* The flags prove x*y - high exact too, whatever high is. */
VECTOR_INLINE bool pairs_flagged(struct exact_product_bins *bins, const struct exact_input *in,
				 int count, bool square, struct exactsum *sum)
{
	const uint64_t round = (uint64_t)PAIRS * VECTOR_F64;
	vf64 one = exact_flags_pin(vector_set_f64(1.0));
	struct exact_input from = *in;
	struct pair_copies copies;
	struct exact_rest rest;
	uint64_t i;

	copy_bins(&copies, bins, count);
	pin(copies.high, count);
	pin(copies.low, count);
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < PAIRS; u++) {
				uint64_t at = i + (uint64_t)u * VECTOR_F64;
				vf64 x = vector_load_f64((const double *)from.x + at), y = x;
				vf64 high;

				if (!square)
					y = vector_load_f64((const double *)from.y + at);
				high = (vf64)_mm512_mul_round_pd((__m512d)x, (__m512d)y,
								 _MM_FROUND_TO_NEAREST_INT |
									 _MM_FROUND_NO_EXC);
				step_flagged(copies.low, count, u, exact_two_rest(x, y, high), one);
				step_flagged(copies.high, count, u, high, one);
			}
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	pin(copies.high, count);
	pin(copies.low, count);
	return !exact_flags_lost() && keep_bins(bins, &copies, count, sum);
}

#endif

/* The loops for two bins and for three, of squares and of products. */

#define SINGLES_OF(NAME, ADD)                                                                 \
	static bool NAME(struct exact_product_bins *bins, const struct exact_input *in,       \
			 struct exactsum *sum)                                                \
	{                                                                                     \
		if (bins->high.count == 2)                                                    \
			return in->y == NULL                                                  \
				       ? ADD(bins, in, 2, SINGLES(2), load_square_f32, sum)   \
				       : ADD(bins, in, 2, SINGLES(2), load_product_f32, sum); \
		return in->y == NULL ? ADD(bins, in, 3, SINGLES(3), load_square_f32, sum)     \
				     : ADD(bins, in, 3, SINGLES(3), load_product_f32, sum);   \
	}
SINGLES_OF(add_singles, singles_plain)

#define PAIRS_OF(NAME, ADD)                                                                        \
	static bool NAME(struct exact_product_bins *bins, const struct exact_input *in,            \
			 struct exactsum *sum)                                                     \
	{                                                                                          \
		if (bins->high.count == 2)                                                         \
			return in->y == NULL ? ADD(bins, in, 2, true, sum)                         \
					     : ADD(bins, in, 2, false, sum);                       \
		return in->y == NULL ? ADD(bins, in, 3, true, sum) : ADD(bins, in, 3, false, sum); \
	}
PAIRS_OF(add_pairs, pairs_plain)

#if defined(EXACT_FLAGS) && defined(VECTOR_512)
#define SINGLES_FLAGGED(bins, in, count, vectors, load, sum) \
	exact_bins_add_flagged(&(bins)->high, in, count, vectors, load, sum)
SINGLES_OF(add_singles_flagged, SINGLES_FLAGGED)
PAIRS_OF(add_pairs_flagged, pairs_flagged)
#else
#define add_singles_flagged add_singles
#define add_pairs_flagged add_pairs
#endif

/* To the bins as they are, or to the fewest that hold the tile. */
VECTOR_INLINE bool add(struct exact_product_bins *bins, const struct exact_input *in, bool pairs,
		       bool trust, struct exactsum *sum)
{
	bool (*add_tile)(struct exact_product_bins *, const struct exact_input *,
			 struct exactsum *) = pairs ? (trust ? add_pairs_flagged : add_pairs)
						    : (trust ? add_singles_flagged : add_singles);
	const void *right = in->y != NULL ? in->y : in->x;
	uint64_t few = in->count < SAMPLE ? in->count : SAMPLE;
	bool opened = bins->high.count != 0 && (!pairs || bins->low.count != 0);
	int x, y;

	if (!opened) {
		x = pairs ? top_f64(in->x, few) : top_f32(in->x, few);
		y = pairs ? top_f64(right, few) : top_f32(right, few);
		opened = reopen(bins, 2, x + SAMPLE_SPARE, y + SAMPLE_SPARE, pairs, sum);
	}
	if (opened && (bins->high.count == 2 || bins->tiles < LONGEST_HOLD) &&
	    add_tile(bins, in, sum)) {
		bins->tiles++;
		return true;
	}
	x = pairs ? top_f64(in->x, in->count) : top_f32(in->x, in->count);
	y = pairs ? top_f64(right, in->count) : top_f32(right, in->count);
	for (int count = 2; count <= 3; count++)
		if (reopen(bins, count, x, y, pairs, sum) && add_tile(bins, in, sum))
			return true;
	return false;
}

bool exact_product_ways_f64(struct exact_product_bins *bins, const double *x, const double *y,
			    uint64_t count, bool trust, struct exactsum *sum)
{
	const struct exact_input in = {x, y, count, sizeof(double)};

	return add(bins, &in, true, trust, sum);
}

bool exact_product_ways_f32(struct exact_product_bins *bins, const float *x, const float *y,
			    uint64_t count, bool trust, struct exactsum *sum)
{
	const struct exact_input in = {x, y, count, sizeof(float)};

	return add(bins, &in, false, trust, sum);
}
