/* extreme_scan.h - one pass over a tile for its extreme, and the search for
 * where it stands. */
#ifndef CPU_KERNELS_EXTREME_SCAN_H
#define CPU_KERNELS_EXTREME_SCAN_H

#include "cpu/kernels/ahead.h"
#include "cpu/kernels/vector.h"
#include "engine/accum.h"

#define SCAN_INFINITY (0x1p+1023 * 2.0)
#define SCAN_VECTORS 4u /* at a time: their minima do not wait for one another */

/* best: among the numbers; zeros of both signs are taken for equal, and without
 * a number it is an infinity. nan: there is a NaN. */
struct scan_result {
	double best;
	bool nan;
};

VECTOR_INLINE vf64 scan_better_f64(vf64 x, vf64 best, bool max)
{
	return max ? vector_max_f64(x, best) : vector_min_f64(x, best);
}

VECTOR_INLINE vf32 scan_better_f32(vf32 x, vf32 best, bool max)
{
	return max ? vector_max_f32(x, best) : vector_min_f32(x, best);
}

VECTOR_INLINE vf64 scan_abs_f64(vf64 x)
{
	return vector_abs(x);
}

VECTOR_INLINE vf32 scan_abs_f32(vf32 x)
{
	return (vf32)((vi32)x & INT32_MAX);
}

/* One comparison tells of two vectors whether there is a NaN. */
#define SCAN_FLOAT(TYPE, ELEMENT, VECTOR, WIDTH)                                          \
	VECTOR_INLINE VECTOR scan_load_##TYPE(const ELEMENT *at, bool magnitude)          \
	{                                                                                 \
		VECTOR v = vector_load_##TYPE(at);                                        \
                                                                                          \
		return magnitude ? scan_abs_##TYPE(v) : v;                                \
	}                                                                                 \
                                                                                          \
	VECTOR_INLINE struct scan_result scan_##TYPE(const struct tile *tile, bool max,   \
						     bool magnitude) {                    \
		const uint64_t step = (uint64_t)2 * SCAN_VECTORS * (WIDTH);               \
		const ELEMENT *x = tile->x;                                               \
		struct ahead ahead = ahead_of(tile);                                      \
		const uint64_t lines = ahead_share(&ahead, tile->count / step);           \
		struct scan_result out = {max ? -SCAN_INFINITY : SCAN_INFINITY, false};   \
		VECTOR best[SCAN_VECTORS];                                                \
		vector_flags nans[2] = {VECTOR_NO_FLAGS, VECTOR_NO_FLAGS};                \
		uint64_t i = 0;                                                           \
                                                                                          \
		VECTOR_UNROLL                                                             \
		for (unsigned k = 0; k < SCAN_VECTORS; k++)                               \
			best[k] = vector_set_##TYPE((ELEMENT)out.best);                   \
		for (; i + step <= tile->count; i += step) {                              \
			VECTOR_UNROLL                                                     \
			for (unsigned k = 0; k < SCAN_VECTORS; k++) {                     \
				const ELEMENT *at = x + i + (uint64_t)2 * k * (WIDTH);    \
				VECTOR v = scan_load_##TYPE(at, magnitude);               \
				VECTOR w = scan_load_##TYPE(at + (WIDTH), magnitude);     \
                                                                                          \
				ahead_stream(at, 2 * k * sizeof(VECTOR));                 \
				ahead_stream(at + (WIDTH), (2 * k + 1) * sizeof(VECTOR)); \
				nans[k % 2] |= vector_unordered_##TYPE(v, w);             \
				best[k] = scan_better_##TYPE(v, best[k], max);            \
				best[k] = scan_better_##TYPE(w, best[k], max);            \
			}                                                                 \
			ahead_fetch(&ahead, lines);                                       \
		}                                                                         \
		for (unsigned k = 1; k < SCAN_VECTORS; k++)                               \
			best[0] = scan_better_##TYPE(best[k], best[0], max);              \
		for (unsigned k = 0; k < (WIDTH); k++)                                    \
			if (max ? best[0][k] > out.best : best[0][k] < out.best)          \
				out.best = best[0][k];                                    \
		out.nan = vector_any(nans[0] | nans[1]);                                  \
		for (; i < tile->count; i++) {                                            \
			ELEMENT e = magnitude && x[i] < 0 ? -x[i] : x[i];                 \
                                                                                          \
			out.nan |= e != e;                                                \
			if (max ? e > out.best : e < out.best)                            \
				out.best = e;                                             \
		}                                                                         \
		return out;                                                               \
	}

SCAN_FLOAT(f64, double, vf64, VECTOR_F64)
SCAN_FLOAT(f32, float, vf32, VECTOR_F32)

enum scan_order {
	SCAN_UNSIGNED,
	SCAN_SIGNED,
	SCAN_MAGNITUDE, /* of signed numbers, as unsigned ones */
};

VECTOR_INLINE vu64 scan_better_int(vu64 x, vu64 best, bool is_signed, bool max)
{
#ifdef VECTOR_512
	if (is_signed)
		return (vu64)(max ? _mm512_max_epi64((__m512i)x, (__m512i)best)
				  : _mm512_min_epi64((__m512i)x, (__m512i)best));
	return (vu64)(max ? _mm512_max_epu64((__m512i)x, (__m512i)best)
			  : _mm512_min_epu64((__m512i)x, (__m512i)best));
#else
	vi64 less = is_signed ? (vi64)x < (vi64)best : x < best;

	return max ? vector_select_u64(less, best, x) : vector_select_u64(less, x, best);
#endif
}

VECTOR_INLINE vu64 scan_magnitude(vu64 x)
{
	vu64 sign = (vu64)((vi64)x < 0);

	return (x ^ sign) - sign;
}

/* The extreme of count >= 1 elements, as bits. */
VECTOR_INLINE uint64_t scan_int(const struct tile *tile, enum scan_order order, bool max)
{
	const bool is_signed = order == SCAN_SIGNED;
	const uint64_t step = (uint64_t)SCAN_VECTORS * VECTOR_F64;
	const uint64_t *x = tile->x;
	struct ahead ahead = ahead_of(tile);
	const uint64_t lines = ahead_share(&ahead, tile->count / step);
	uint64_t first = order == SCAN_MAGNITUDE && (int64_t)x[0] < 0 ? 0 - x[0] : x[0];
	vu64 best[SCAN_VECTORS];
	uint64_t i = 0;

	VECTOR_UNROLL
	for (unsigned k = 0; k < SCAN_VECTORS; k++)
		best[k] = vector_set_u64(first);
	for (; i + step <= tile->count; i += step) {
		VECTOR_UNROLL
		for (unsigned k = 0; k < SCAN_VECTORS; k++) {
			vu64 v = vector_load_u64(x + i + k * VECTOR_F64);

			if (order == SCAN_MAGNITUDE)
				v = scan_magnitude(v);
			best[k] = scan_better_int(v, best[k], is_signed, max);
		}
		ahead_fetch(&ahead, lines);
	}
	for (unsigned k = 1; k < SCAN_VECTORS; k++)
		best[0] = scan_better_int(best[k], best[0], is_signed, max);
	for (; i < tile->count; i++) { /* in all places alike */
		vu64 v = vector_set_u64(x[i]);

		if (order == SCAN_MAGNITUDE)
			v = scan_magnitude(v);
		best[0] = scan_better_int(v, best[0], is_signed, max);
	}
	for (unsigned k = 1; k < VECTOR_F64; k++)
		best[0] = scan_better_int(vector_set_u64(best[0][k]), best[0], is_signed, max);
	return best[0][0];
}

/* The first place from `from` on where x, with the bits of ignore cleared, is
 * bits; count without one. */
#define SCAN_FIND(TYPE, ELEMENT, VECTOR, WIDTH)                                               \
	VECTOR_INLINE uint64_t scan_find_##TYPE(const void *elements, uint64_t from,          \
						uint64_t count, ELEMENT bits, ELEMENT ignore) \
	{                                                                                     \
		const uint64_t step = (uint64_t)SCAN_VECTORS * (WIDTH);                       \
		const ELEMENT *x = elements;                                                  \
		const ELEMENT keep = (ELEMENT)~ignore;                                        \
		const VECTOR wanted = vector_set_##TYPE(bits);                                \
                                                                                              \
		for (; from + step <= count; from += step) {                                  \
			vector_flags equal = VECTOR_NO_FLAGS;                                 \
                                                                                              \
			VECTOR_UNROLL                                                         \
			for (unsigned k = 0; k < SCAN_VECTORS; k++)                           \
				equal |= vector_equal_##TYPE(                                 \
					vector_load_##TYPE(x + from + k * (WIDTH)) & keep,    \
					wanted);                                              \
			if (vector_any(equal))                                                \
				break;                                                        \
		}                                                                             \
		while (from < count && (x[from] & keep) != bits)                              \
			from++;                                                               \
		return from;                                                                  \
	}

SCAN_FIND(u64, uint64_t, vu64, VECTOR_F64)
SCAN_FIND(u32, uint32_t, vu32, VECTOR_F32)

#endif
