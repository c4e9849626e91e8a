/* scan_kernels.cuh - prefixes in the scan's order (docs/orders.md, section 6). A
 * warp is the 32 lanes of a row and goes down the rows of a tile.
 *
 * Equal lines of several tiles take three steps: the tiles' aggregates, then
 * what comes before each group of 32 tiles, then the prefixes. Of a line of one
 * tile, and of lines by offsets, a warp takes the whole. */
#ifndef GPU_KERNELS_SCAN_KERNELS_CUH
#define GPU_KERNELS_SCAN_KERNELS_CUH

#include "engine/order.h"
#include "gpu/kernels/ordered_lanes.cuh"
#include "gpu/kernels/scan_values.cuh"

constexpr unsigned SCAN_THREADS = 128;
constexpr unsigned SCAN_WARPS = SCAN_THREADS / 32;
constexpr unsigned SCAN_ALL = 0xffffffffu;
constexpr unsigned CHAIN_THREADS = 256;

template <class S, class R> struct scan_work {
	using value = typename S::value;

	R x;
	bool omit, exclusive;
	uint64_t lines, length;
	const int64_t *offsets;
	uint64_t tiles, groups; /* of each line */
	value *aggregates;      /* lines x tiles; then inclusive within groups */
	value *totals;          /* lines x groups; then what comes before each */
	struct scan_output out;
};

template <class T> __device__ __forceinline__ T lane_up(const T &v, unsigned by)
{
	return exchange(v, [=](uint32_t word) { return __shfl_up_sync(SCAN_ALL, word, by); });
}

template <class T> __device__ __forceinline__ T of_lane(const T &v, unsigned lane)
{
	return exchange(v, [=](uint32_t word) { return __shfl_sync(SCAN_ALL, word, lane); });
}

/* KS of rule 6.2. */
template <class S>
__device__ __forceinline__ typename S::value kogge_stone(typename S::value v, unsigned lane)
{
#pragma unroll
	for (unsigned d = 1; d < SCAN_LANES; d *= 2) {
		const typename S::value left = lane_up(v, d);

		if (lane >= d)
			v = S::combine(left, v);
	}
	return v;
}

/* The four elements of a lane, from `at` of the line on. */
template <class S, class R> struct scan_quad {
	typename S::value of[SCAN_VECTOR];

	__device__ __forceinline__ scan_quad(const R &x, uint64_t first, uint64_t at,
					     uint64_t length, bool omit)
	{
#pragma unroll
		for (unsigned k = 0; k < SCAN_VECTOR; k++) {
			of[k] = S::identity();
			if (at + k < length) {
				const typename S::wide e = x(first + at + k);

				if (!(omit && e != e))
					of[k] = S::of(e);
			}
		}
	}
	__device__ __forceinline__ typename S::value sum() const
	{
		return S::combine(S::combine(S::combine(of[0], of[1]), of[2]), of[3]);
	}
};

/* The aggregate of a tile whose elements begin at `at` of a line (rule 6.4). */
template <class S, class R>
__device__ __forceinline__ typename S::value tile_aggregate(const scan_work<S, R> &work,
							    uint64_t first, uint64_t at,
							    uint64_t length, unsigned lane)
{
	const uint64_t end = at + SCAN_TILE < length ? at + SCAN_TILE : length;
	typename S::value rows = S::identity();

	for (; at < end; at += SCAN_ROW) {
		const scan_quad<S, R> quad(work.x, first, at + lane * SCAN_VECTOR, length,
					   work.omit);

		rows = S::combine(rows, of_lane(kogge_stone<S>(quad.sum(), lane), SCAN_LANES - 1));
	}
	return rows;
}

/* The prefixes of a tile (rule 6.6); its aggregate is given back. */
template <class S, class R>
__device__ __forceinline__ typename S::value
tile_prefixes(const scan_work<S, R> &work, const typename S::value &before, uint64_t first,
	      uint64_t at, uint64_t length, unsigned lane)
{
	const uint64_t end = at + SCAN_TILE < length ? at + SCAN_TILE : length;
	typename S::value rows = S::identity();

	for (; at < end; at += SCAN_ROW) {
		const uint64_t mine = at + lane * SCAN_VECTOR;
		const scan_quad<S, R> quad(work.x, first, mine, length, work.omit);
		const typename S::value inclusive = kogge_stone<S>(quad.sum(), lane);
		typename S::value left = lane_up(inclusive, 1);

		if (lane == 0)
			left = S::identity();

		typename S::value run = S::combine(before, S::combine(rows, left));

#pragma unroll
		for (unsigned k = 0; k < SCAN_VECTOR; k++) {
			if (mine + k >= length)
				break;
			if (work.exclusive)
				S::store(run, mine + k == 0, work.out, first + mine + k);
			run = S::combine(run, quad.of[k]);
			if (!work.exclusive)
				S::store(run, false, work.out, first + mine + k);
		}
		rows = S::combine(rows, of_lane(inclusive, SCAN_LANES - 1));
	}
	return rows;
}

/* --- equal lines ------------------------------------------------------------- */

template <class S, class R>
__global__ void __launch_bounds__(SCAN_THREADS) scan_aggregates(const scan_work<S, R> work)
{
	const unsigned lane = threadIdx.x % 32;
	const uint64_t warps = (uint64_t)gridDim.x * SCAN_WARPS;

	for (uint64_t tile = (uint64_t)blockIdx.x * SCAN_WARPS + threadIdx.x / 32;
	     tile < work.lines * work.tiles; tile += warps) {
		const uint64_t line = tile / work.tiles, at = tile % work.tiles * SCAN_TILE;
		const typename S::value v =
			tile_aggregate(work, line * work.length, at, work.length, lane);

		if (lane == 0)
			work.aggregates[tile] = v;
	}
}

/* KS within groups of tiles (rule 6.5). */
template <class S, class R>
__global__ void __launch_bounds__(SCAN_THREADS) scan_groups(const scan_work<S, R> work)
{
	const unsigned lane = threadIdx.x % 32;
	const uint64_t warps = (uint64_t)gridDim.x * SCAN_WARPS;

	for (uint64_t group = (uint64_t)blockIdx.x * SCAN_WARPS + threadIdx.x / 32;
	     group < work.lines * work.groups; group += warps) {
		const uint64_t line = group / work.groups;
		const uint64_t tile = group % work.groups * SCAN_LANES + lane;
		typename S::value v = S::identity();

		if (tile < work.tiles)
			v = work.aggregates[line * work.tiles + tile];
		v = kogge_stone<S>(v, lane);
		if (tile < work.tiles)
			work.aggregates[line * work.tiles + tile] = v;
		if (lane == SCAN_LANES - 1)
			work.totals[group] = v;
	}
}

/* What comes before each group: one after another, a block a line; what it will
 * need is in shared memory by then. */
template <class S, class R>
__global__ void __launch_bounds__(CHAIN_THREADS) scan_chain(const scan_work<S, R> work)
{
	__shared__ typename S::value part[CHAIN_THREADS];
	typename S::value before = S::identity();

	for (uint64_t line = blockIdx.x; line < work.lines; line += gridDim.x) {
		typename S::value *totals = work.totals + line * work.groups;

		before = S::identity();
		for (uint64_t first = 0; first < work.groups; first += CHAIN_THREADS) {
			const uint64_t left = work.groups - first;
			const unsigned count =
				left < CHAIN_THREADS ? (unsigned)left : CHAIN_THREADS;

			if (threadIdx.x < count)
				part[threadIdx.x] = totals[first + threadIdx.x];
			__syncthreads();
			if (threadIdx.x == 0) {
				for (unsigned i = 0; i < count; i++) {
					const typename S::value total = part[i];

					part[i] = before;
					before = S::combine(before, total);
				}
			}
			__syncthreads();
			if (threadIdx.x < count)
				totals[first + threadIdx.x] = part[threadIdx.x];
			__syncthreads();
		}
	}
}

template <class S, class R>
__global__ void __launch_bounds__(SCAN_THREADS) scan_prefixes(const scan_work<S, R> work)
{
	const unsigned lane = threadIdx.x % 32;
	const uint64_t warps = (uint64_t)gridDim.x * SCAN_WARPS;

	for (uint64_t tile = (uint64_t)blockIdx.x * SCAN_WARPS + threadIdx.x / 32;
	     tile < work.lines * work.tiles; tile += warps) {
		const uint64_t line = tile / work.tiles, t = tile % work.tiles;
		typename S::value before = S::identity();

		if (work.tiles > 1) {
			before = work.totals[line * work.groups + t / SCAN_LANES];
			if (t % SCAN_LANES != 0)
				before = S::combine(before, work.aggregates[tile - 1]);
		}
		tile_prefixes(work, before, line * work.length, t * SCAN_TILE, work.length, lane);
	}
}

/* --- lines by offsets -------------------------------------------------------- */

template <class S, class R>
__global__ void __launch_bounds__(SCAN_THREADS) scan_whole_lines(const scan_work<S, R> work)
{
	const unsigned lane = threadIdx.x % 32;
	const uint64_t warps = (uint64_t)gridDim.x * SCAN_WARPS;

	for (uint64_t line = (uint64_t)blockIdx.x * SCAN_WARPS + threadIdx.x / 32;
	     line < work.lines; line += warps) {
		const uint64_t first = (uint64_t)work.offsets[line];
		const uint64_t length = (uint64_t)work.offsets[line + 1] - first;
		typename S::value groups = S::identity(), before = S::identity();
		typename S::value aggregate = S::identity(); /* lane q: of tile q of the group */

		for (uint64_t t = 0; t * SCAN_TILE < length; t++) {
			const unsigned q = t % SCAN_LANES;
			const typename S::value v =
				tile_prefixes(work, before, first, t * SCAN_TILE, length, lane);

			if (q == 0)
				aggregate = S::identity();
			if (lane == q)
				aggregate = v;
			before = S::combine(groups, of_lane(kogge_stone<S>(aggregate, lane), q));
			if (q == SCAN_LANES - 1)
				groups = before;
		}
	}
}

#endif
