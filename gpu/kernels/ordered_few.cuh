/* ordered_few.cuh - lines of at most a tile by warps that are on their own. */
#ifndef GPU_KERNELS_ORDERED_FEW_CUH
#define GPU_KERNELS_ORDERED_FEW_CUH

#include "gpu/kernels/ordered_kernels.cuh"
#include "gpu/kernels/ordered_warp.cuh"
#include "gpu/kernels/warp.cuh"

/* --- few --------------------------------------------------------------------- */

/* Threads with bit `offset` clear go on with a, the others with b; each sends the
 * other one. */
template <class T, class C>
__device__ __forceinline__ T meet(T a, T b, unsigned offset, const C &combine)
{
	if (threadIdx.x & offset) {
		T other = a;

		a = b;
		b = other;
	}
	return combine(
		a, exchange(b, [=](uint32_t w) { return __shfl_xor_sync(WHOLE_WARP, w, offset); }));
}

/* Simple values of `lines` lines from `first` on; begin, count: of line `thread`
 * of them. WIDE: up to a row, else up to a warp. Four lines a thread at once,
 * which the first two steps of halving make one. */
template <bool WIDE, enum accum A, class R>
__device__ __forceinline__ void simple_few(const ordered_job<A, R> &job, uint64_t first,
					   unsigned lines, uint64_t begin, unsigned count,
					   unsigned longest)
{
	using kind = ordered<A>;
	using value = typename kind::value;
	constexpr bool PAIR = A == ACCUM_DOT;
	constexpr unsigned MINE = WIDE ? ORDER_LANES / WARP : 1;
	const auto combine = [](const value &a, const value &b) { return kind::combine(a, b); };
	const unsigned thread = threadIdx.x % WARP;
	const unsigned width = WIDE ? WARP : longest <= 1 ? 1 : 1u << (32 - __clz(longest - 1));
	const unsigned at_once = WARP / width;

#pragma unroll 1
	for (unsigned from = 0; from < lines; from += 4 * at_once) {
		typename R::kept x[4][MINE], y[PAIR ? 4 : 1][MINE];
		unsigned n[4];
		value v[4];

#pragma unroll
		for (unsigned s = 0; s < 4; s++) {
			unsigned line = from + s * at_once + thread / width;
			uint64_t at = __shfl_sync(WHOLE_WARP, begin, line % WARP);

			n[s] = __shfl_sync(WHOLE_WARP, count, line % WARP);
			if (line >= lines)
				n[s] = 0;
#pragma unroll
			for (unsigned l = 0; l < MINE; l++) {
				unsigned e = thread % width + l * WARP;

				x[s][l] = e < n[s] ? (typename R::kept)job.x(at + e) : 0;
				if (PAIR)
					y[s][l] = e < n[s] ? (typename R::kept)job.y(at + e) : 0;
			}
		}
#pragma unroll
		for (unsigned s = 0; s < 4; s++) {
			value lane[MINE];

#pragma unroll
			for (unsigned l = 0; l < MINE; l++) {
				typename R::kept a = x[s][l], b = PAIR ? y[PAIR ? s : 0][l] : 0;

				lane[l] = kind::identity();
				if (thread % width + l * WARP < n[s] &&
				    !(job.omit && (a != a || b != b)))
					kind::template add<R::NARROW>(lane[l], a, b, job.p);
			}
			v[s] = WIDE ? combine(combine(lane[0], lane[2 % MINE]),
					      combine(lane[1 % MINE], lane[3 % MINE]))
				    : lane[0];
		}

		/* Which of the four this thread ends with: line `mine`, in a; of two
		 * or four that are left, the others in c and in b, c, d. */
		value a = v[0], b = v[1], c = v[2], d = v[3];
		unsigned h = width / 2, mine = 0;

		if (h > 0) {
			a = meet(a, b, h, combine);
			c = meet(c, d, h, combine);
			mine = thread & h ? 1 : 0;
			h /= 2;
		}
		if (h > 0) {
			a = meet(a, c, h, combine);
			mine += thread & h ? 2 : 0;
			h /= 2;
		}
		for (; h > 0; h /= 2)
			a = combine(a, exchange(a, [=](uint32_t w) {
					    return __shfl_xor_sync(WHOLE_WARP, w, h);
				    }));

		/* One thread of those that have the same line writes it. */
		unsigned low = width <= 4 ? 0 : width / 4 - 1;
		unsigned line = from + mine * at_once + thread / width;
		value *to = job.out + first + line;

		if ((thread & low) == 0) {
			if (line < lines)
				to[0] = a;
			if (width == 2 && line + 2 * at_once < lines)
				to[2 * at_once] = c;
			if (width == 1 && line + at_once < lines)
				to[at_once] = b;
			if (width == 1 && line + 2 * at_once < lines)
				to[2 * at_once] = c;
			if (width == 1 && line + 3 * at_once < lines)
				to[3 * at_once] = d;
		}
	}
}

/* The other values, of lines of up to a warp. */
template <enum accum A, class R>
__device__ __forceinline__ void other_few(const ordered_job<A, R> &job, uint64_t first,
					  unsigned lines, uint64_t begin, unsigned count,
					  unsigned longest)
{
	const unsigned thread = threadIdx.x % WARP;
	const unsigned width = longest <= 1 ? 1 : 1u << (32 - __clz(longest - 1));

#pragma unroll 1
	for (unsigned from = 0; from < lines; from += WARP / width) {
		struct tile_of_few tile;
		unsigned line = from + thread / width;
		uint64_t at = __shfl_sync(WHOLE_WARP, begin, line % WARP);
		unsigned n = __shfl_sync(WHOLE_WARP, count, line % WARP);

		tile.width = width;
		tile.element = thread % width;
		tile.count = line < lines ? n : 0;
		tile.present = tile.element < tile.count;
		tile.x = tile.present ? job.x(at + tile.element) : 0.0;
		tile.y = 0.0;
		if (job.omit && values::is_nan(tile.x))
			tile.present = false;

		typename ordered<A>::value v = value_of<A, R::NARROW>(tile, job.omit, job.p);

		if (tile.element == 0 && line < lines)
			job.out[first + line] = v;
	}
}

/* The lines of a warp: `each` of them, at most a warp. */
struct warp_lines {
	uint64_t first, begin; /* begin, count: of line `thread` of them */
	unsigned lines, count, longest;
};

template <enum accum A, class R>
__device__ __forceinline__ struct warp_lines lines_of_warp(const ordered_job<A, R> &job,
							   unsigned each)
{
	const unsigned thread = threadIdx.x % WARP;
	struct warp_lines mine = {};
	uint64_t length = 0;

	mine.first = ((uint64_t)blockIdx.x * LINES_WARPS + threadIdx.x / WARP) * each;
	if (mine.first >= job.lines)
		return mine;
	mine.lines = (unsigned)min((uint64_t)each, job.lines - mine.first);
	if (thread < mine.lines && job.offsets != nullptr) {
		mine.begin = (uint64_t)job.offsets[mine.first + thread];
		length = (uint64_t)job.offsets[mine.first + thread + 1] - mine.begin;
	} else if (thread < mine.lines) {
		mine.begin = (mine.first + thread) * job.length;
		length = job.length;
	}
	mine.count = length > ORDER_TILE ? ORDER_TILE + 1 : (unsigned)length;
	mine.longest = warp_greatest(mine.count);
	return mine;
}

template <enum accum A, class R>
__global__ void __launch_bounds__(LINES_THREADS, 4)
	ordered_few(ordered_job<A, R> job, unsigned each)
{
	const struct warp_lines mine = lines_of_warp(job, each);

	if (mine.longest > FEW<A>) {
		*job.any_medium = 1;
		return;
	}
	if constexpr (SIMPLE<A>) {
		if (mine.longest > WARP)
			simple_few<true>(job, mine.first, mine.lines, mine.begin, mine.count,
					 mine.longest);
		else
			simple_few<false>(job, mine.first, mine.lines, mine.begin, mine.count,
					  mine.longest);
	} else {
		other_few(job, mine.first, mine.lines, mine.begin, mine.count, mine.longest);
	}
}

/* --- medium ------------------------------------------------------------------ */

/* A line of at most a tile by a warp. */
template <enum accum A, class R>
__device__ __forceinline__ typename ordered<A>::value warp_line(const ordered_job<A, R> &job,
								uint64_t begin, unsigned count)
{
	if constexpr (SIMPLE<A> && !std::is_same_v<R, any_reader>) {
		return warp_tile<A, R>::of(job.x.elements + begin,
					   A == ACCUM_DOT ? job.y.elements + begin : nullptr, count,
					   job.omit, job.p)
			.part();
	} else {
		tile_in_memory<R, WARP, DEPTH<A> == 1 ? 1 : 2, A == ACCUM_DOT> tile = {
			job.x.from(begin), job.y.from(begin), count, job.omit, nullptr, 0};

		return value_of<A, R::NARROW>(tile, job.omit, job.p);
	}
}

/* Leaves the lines that the others do: longer than a tile, and, with any_medium,
 * those of warps that have no more than few elements each. */
template <enum accum A, class R>
__global__ void __launch_bounds__(LINES_THREADS, 3)
	ordered_medium(ordered_job<A, R> job, unsigned each)
{
	if (job.any_medium != nullptr && *job.any_medium == 0)
		return;

	const struct warp_lines mine = lines_of_warp(job, each);

	if (job.any_medium != nullptr && mine.longest <= FEW<A>)
		return;
	if (mine.longest > ORDER_TILE)
		*job.any_long = 1;
#pragma unroll 1
	for (unsigned i = 0; i < mine.lines; i++) {
		uint64_t begin = __shfl_sync(WHOLE_WARP, mine.begin, i);
		unsigned count = __shfl_sync(WHOLE_WARP, mine.count, i);

		if (count > ORDER_TILE)
			continue;

		typename ordered<A>::value v = warp_line(job, begin, count);

		if (threadIdx.x % WARP == 0)
			job.out[mine.first + i] = v;
	}
}

#endif
