/* exact_bins.h - bins: a sum held as a few doubles at fixed distances, in the
 * lanes of vectors, each element cut up among them by additions alone.
 *
 * A bin begins at 1.5*2^q and stays in that binade, so everything in it is a
 * multiple of u = 2^(q-52), its unit. Adding v to a bin a gives
 *	s = fl(a + v), h = s - a, r = v - h:
 * a and s are multiples of u less than 2^q apart, so h is exact; r is what the
 * rounding of a + v left over, which is a double (Knuth, TAOCP 2, 4.2.2), so r is
 * exact, and at most u/2. It goes on to the next bin; after the last one nothing
 * may be left. So it is proof enough that every s was in its binade and every
 * last r was 0: what planned the bins (exact_range.h) need not be trusted. After
 * Demmel and Nguyen, "Parallel reproducible summation" (IEEE TC 64, 2015), who
 * drop the last r.
 *
 * With flags (exact_flags.h) s may be anything: h, r and the last sum exact is
 * all that is needed, s + h' = a + v by itself. Binades are looked at once a
 * tile then, since the end counts on them.
 *
 * Elements of a tile are added to copies of the bins, which are kept or, without
 * proof, dropped. */
#ifndef CPU_KERNELS_EXACT_BINS_H
#define CPU_KERNELS_EXACT_BINS_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/exact_flags.h"
#include "cpu/kernels/exact_input.h"
#include "cpu/kernels/level.h"
#include "cpu/kernels/vector.h"
#include "engine/exactsum.h"
#include "engine/order.h"

#define EXACT_BINS_AHEAD 2048 /* bytes; measured */
#define EXACT_BINS_MAX 7
#define EXACT_BINS_VECTORS 8 /* that take elements in turn */

/* Elements one lane gets of a tile, when half of the vectors are in use: 2^this. */
#define EXACT_BINS_SHARE (VECTOR_F64 == 8 ? 7 : VECTOR_F64 == 4 ? 8 : 9)
_Static_assert(EXACT_BINS_VECTORS / 2 * VECTOR_F64 << EXACT_BINS_SHARE == ORDER_TILE,
	       "EXACT_BINS_SHARE");

/* From a bin to the next: what is left over of a tile's elements fills an
 * eighth of its room. */
#define EXACT_BINS_STEP (49 - EXACT_BINS_SHARE)

/* From the exponent of the greatest element to the first bin's q, likewise. */
#define EXACT_BINS_ROOM (EXACT_BINS_SHARE + 5)

struct exact_bins {
	int count;                  /* 0: closed */
	int q[EXACT_BINS_MAX];      /* descending */
	vf64 first[EXACT_BINS_MAX]; /* 1.5 * 2^q in every lane */
	vf64 bin[EXACT_BINS_MAX][EXACT_BINS_VECTORS];
};

#define exact_bins_open LEVEL(exact_bins_open)
#define exact_bins_open_at LEVEL(exact_bins_open_at)
#define exact_bins_empty LEVEL(exact_bins_empty)

/* Open closed bins, count of them, for elements below 2^(top + 1). False: such
 * exponents are too great for bins. */
bool exact_bins_open(struct exact_bins *bins, int count, int top);

/* Open them at q[0..count), within -1022..1022. */
void exact_bins_open_at(struct exact_bins *bins, int count, const int *q);

/* Add what is in them to sum; they stay open. */
void exact_bins_empty(struct exact_bins *bins, struct exactsum *sum);

/* Sign and exponent. */
#define EXACT_BINS_BINADE (UINT64_MAX << 52)
/* From half of the way to either end of the binade on. */
#define EXACT_BINS_FAR (UINT64_MAX << 51)

/* Bins after a tile. */
struct exact_after {
	vu64 far;     /* & EXACT_BINS_FAR: some are on their way out */
	vu64 outside; /* & EXACT_BINS_BINADE: some are out */
};

VECTOR_INLINE uint64_t exact_bins_or(vu64 v)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < VECTOR_F64; i++)
		all |= v[i];
	return all;
}

typedef vf64 exact_bins_copy[EXACT_BINS_MAX][EXACT_BINS_VECTORS];

/* Where the copies are; units above and below the middle of the binade are the
 * differences of the bits. */
VECTOR_INLINE struct exact_after exact_bins_after(const struct exact_bins *bins,
						  exact_bins_copy copy, int count, int vectors)
{
	struct exact_after after = {{0}, {0}};

	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		vu64 first = (vu64)bins->first[k];

		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++) {
			after.far |= (vu64)copy[k][u] - first + ((uint64_t)1 << 50);
			after.outside |= (vu64)copy[k][u] ^ first;
		}
	}
	return after;
}

VECTOR_INLINE void exact_bins_keep(struct exact_bins *bins, exact_bins_copy copy, int count,
				   int vectors, const struct exact_after *after,
				   struct exactsum *sum)
{
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++)
			bins->bin[k][u] = copy[k][u];
	}
	if ((exact_bins_or(after->far) & EXACT_BINS_FAR) != 0)
		exact_bins_empty(bins, sum);
}

/* v into one vector of each bin. What it does not take is or-ed into lost, and
 * bits of s that its bin never has into outside. */
VECTOR_INLINE void exact_bins_step(const struct exact_bins *bins, exact_bins_copy copy, int count,
				   int u, vf64 v, vu64 *lost, vu64 *outside)
{
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		vf64 s = copy[k][u] + v, h = s - copy[k][u];

		*outside |= (vu64)s ^ (vu64)bins->first[k];
		copy[k][u] = s;
		v -= h;
	}
	*lost |= (vu64)v << 1; /* -0 is nothing */
}

/* Add a tile to the first `count` bins, all that are open, with no flags. False:
 * no proof, the bins are as they were. */
VECTOR_INLINE bool exact_bins_add(struct exact_bins *bins, const struct exact_input *in, int count,
				  int vectors, exact_load load, struct exactsum *sum)
{
	uint64_t round = (uint64_t)vectors * VECTOR_F64, i = 0;
	struct exact_input from = *in;
	struct exact_after after;
	struct exact_rest rest;
	exact_bins_copy copy;
	vu64 lost = {0}, outside = {0};

	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++)
			copy[k][u] = bins->bin[k][u];
	}
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < vectors; u++)
				exact_bins_step(bins, copy, count, u,
						load(from.x, from.y, i + (uint64_t)u * VECTOR_F64),
						&lost, &outside);
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	if ((exact_bins_or(outside) & EXACT_BINS_BINADE) != 0 || exact_bins_or(lost) != 0)
		return false;
	after = exact_bins_after(bins, copy, count, vectors);
	exact_bins_keep(bins, copy, count, vectors, &after, sum);
	return true;
}

/* The same for vectors at hand: lane sums of a tile. */
VECTOR_INLINE bool exact_bins_add_lanes(struct exact_bins *bins, const vf64 *v, int number,
					int count, struct exactsum *sum)
{
	struct exact_after after;
	exact_bins_copy copy;
	vu64 lost = {0}, outside = {0};

	VECTOR_UNROLL
	for (int k = 0; k < count; k++)
		copy[k][0] = bins->bin[k][0];
	VECTOR_UNROLL
	for (int n = 0; n < number; n++)
		exact_bins_step(bins, copy, count, 0, v[n], &lost, &outside);
	if ((exact_bins_or(outside) & EXACT_BINS_BINADE) != 0 || exact_bins_or(lost) != 0)
		return false;
	after = exact_bins_after(bins, copy, count, 1);
	exact_bins_keep(bins, copy, count, 1, &after, sum);
	return true;
}

#ifdef EXACT_FLAGS

#ifdef VECTOR_512

/* The first sum of a bin, which sets no flag. As multiplications and additions
 * in one they go to other units than the plain additions, where a processor has
 * both. */
VECTOR_INLINE vf64 exact_bins_quiet(vf64 a, vf64 v, vf64 one)
{
	return (vf64)_mm512_fmadd_round_pd((__m512d)v, (__m512d)one, (__m512d)a,
					   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* exact_bins_add() with flags, which must be clear; they are clear after it. */
VECTOR_INLINE bool exact_bins_add_flagged(struct exact_bins *bins, const struct exact_input *in,
					  int count, int vectors, exact_load load,
					  struct exactsum *sum)
{
	uint64_t round = (uint64_t)vectors * VECTOR_F64, i = 0;
	vf64 one = exact_flags_pin(vector_set_f64(1.0));
	struct exact_input from = *in;
	struct exact_after after;
	struct exact_rest rest;
	exact_bins_copy copy;

	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++)
			copy[k][u] = exact_flags_pin(bins->bin[k][u]);
	}
	for (;;) {
		for (i = 0; i + round <= from.count; i += round) {
			VECTOR_UNROLL
			for (int u = 0; u < vectors; u++) {
				uint64_t at = i + (uint64_t)u * VECTOR_F64;
				vf64 v = load(from.x, from.y, at);

				exact_input_fetch((const char *)from.x + at * from.size,
						  EXACT_BINS_AHEAD);
				VECTOR_UNROLL
				for (int k = 0; k < count - 1; k++) {
					vf64 s = exact_bins_quiet(copy[k][u], v, one);

					v -= s - copy[k][u];
					copy[k][u] = s;
				}
				copy[count - 1][u] = (vf64)_mm512_fmadd_pd(
					(__m512d)v, (__m512d)one, (__m512d)copy[count - 1][u]);
			}
		}
		if (i == from.count)
			break;
		from = exact_input_rest(&from, i, round, &rest);
	}
	VECTOR_UNROLL
	for (int k = 0; k < count; k++) {
		VECTOR_UNROLL
		for (int u = 0; u < vectors; u++)
			copy[k][u] = exact_flags_pin(copy[k][u]);
	}
	if (exact_flags_lost())
		return false;
	after = exact_bins_after(bins, copy, count, vectors);
	if ((exact_bins_or(after.outside) & EXACT_BINS_BINADE) != 0)
		return false;
	exact_bins_keep(bins, copy, count, vectors, &after, sum);
	return true;
}

#endif
#endif
#endif
