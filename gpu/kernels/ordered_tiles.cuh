/* ordered_tiles.cuh - tiles of long lines, and lines of a tile that are few. */
#ifndef GPU_KERNELS_ORDERED_TILES_CUH
#define GPU_KERNELS_ORDERED_TILES_CUH

#include "gpu/kernels/ordered_fold.cuh"
#include "gpu/kernels/ordered_kernels.cuh"
#include "gpu/kernels/ordered_mailbox.cuh"
#include "gpu/kernels/ordered_warp.cuh"

/* Tile `slot` of equal lines. */
template <enum accum A, class R>
__device__ __forceinline__ struct piece equal_piece(const ordered_job<A, R> &job, uint64_t slot)
{
	uint64_t line = job.tiles == 1 ? slot : job.lines == 1 ? 0 : slot / job.tiles;
	uint64_t from = (slot - line * job.tiles) * ORDER_TILE;

	return {line, line * job.length + from,
		(unsigned)min((uint64_t)ORDER_TILE, job.length - from)};
}

/* The two pieces of a unit, lines by offsets; who writes notes their lines. */
template <enum accum A, class R>
__device__ __forceinline__ void note_pieces(const ordered_job<A, R> &job, uint64_t unit,
					    uint64_t *known, bool writes, struct piece *piece)
{
	pieces_of(job.offsets, job.lines, unit, known, &piece[0], &piece[1]);
	if (writes) {
		job.units.later_line[unit] = piece[0].line;
		job.units.first_line[unit] = piece[1].line;
	}
}

/* Elements of 16 bits: loads by single elements would be too many. slots: tiles of
 * equal lines, or units. */
template <enum accum A, enum dtype D>
__global__ void __launch_bounds__(LINES_THREADS, 2)
	ordered_warps(ordered_job<A, typed_reader<D>> job, uint64_t slots)
{
	const bool writes = threadIdx.x % WARP == 0;
	uint64_t slot = ((uint64_t)blockIdx.x * LINES_WARPS + threadIdx.x / WARP) * job.share;
	const uint64_t end = min(slot + job.share, slots);
	struct piece piece[2] = {};
	uint64_t known = 0;

	let_followers_start();
	if (job.offsets != nullptr && *job.any_long == 0)
		return;
#pragma unroll 1
	for (unsigned which = 0; slot < end; which ^= 1) {
		if (which == 0 && job.offsets == nullptr)
			piece[0] = equal_piece(job, slot);
		else if (which == 0)
			note_pieces(job, slot, &known, writes, piece);
		if (piece[0].count != 0) {
			auto v = warp_tile<A, typed_reader<D>>::of(
					 job.x.elements + piece[0].begin,
					 A == ACCUM_DOT ? job.y.elements + piece[0].begin : nullptr,
					 piece[0].count, job.omit, job.p)
					 .whole();

			if (writes)
				(job.offsets == nullptr ? job.tile_values
				 : which == 0           ? job.units.later
							: job.units.first)[slot] = v;
		}
		slot += which;
		piece[0] = piece[1];
	}
}

/* A thread's lane of a tile; WHOLE: it has all its rows. */
template <bool WHOLE, enum accum A, class R>
__device__ __forceinline__ double simple_lane(const R &x, const R &y, unsigned count, bool omit,
					      double p)
{
	constexpr bool PAIR = A == ACCUM_DOT;
	constexpr unsigned ROWS = ORDER_TILE / ORDER_LANES;
	typename R::kept a[ROWS], b[PAIR ? ROWS : 1];
	double lane = ordered<A>::identity();

#pragma unroll
	for (unsigned r = 0; r < ROWS; r++) {
		unsigned e = r * ORDER_LANES + threadIdx.x;

		/* Loaded without condition, so that all are under way at once. */
		if (!WHOLE)
			e = min(e, count - 1);
		a[r] = (typename R::kept)x(e);
		if (PAIR)
			b[r] = (typename R::kept)y(e);
	}
#pragma unroll
	for (unsigned r = 0; r < ROWS; r++) {
		bool nan = a[r] != a[r] || (PAIR && b[PAIR ? r : 0] != b[PAIR ? r : 0]);

		if ((WHOLE || r * ORDER_LANES + threadIdx.x < count) && !(omit && nan))
			ordered<A>::template add<R::NARROW>(lane, a[r], PAIR ? b[PAIR ? r : 0] : 0,
							    p);
	}
	return lane;
}

/* Lines of at most a tile, a block each, simple values of one number: the shortest
 * way from a launch to a result. */
template <enum accum A, class R>
__global__ void __launch_bounds__(ORDER_LANES, 4) ordered_one(ordered_job<A, R> job)
{
	__shared__ double all[ORDER_LANES];
	const auto combine = [](double a, double b) { return ordered<A>::combine(a, b); };
	const unsigned count = (unsigned)job.length, thread = threadIdx.x;
	const R x = job.x.from(blockIdx.x * job.length), y = job.y.from(blockIdx.x * job.length);
	double lane = count == ORDER_TILE ? simple_lane<true, A>(x, y, count, job.omit, job.p)
					  : simple_lane<false, A>(x, y, count, job.omit, job.p);

	all[thread] = lane;
	__syncthreads();
	if (thread >= WARP)
		return;
	lane = combine(combine(all[thread], all[thread + 64]),
		       combine(all[thread + 32], all[thread + 96]));
#pragma unroll
	for (unsigned h = WARP / 2; h > 0; h /= 2)
		lane = combine(lane, __shfl_down_sync(WHOLE_WARP, lane, h));
	if (thread == 0)
		job.out[blockIdx.x] = lane;
}

/* At least so many blocks an SM: it bounds the registers, of which the compiler
 * would take more than the loads under way need. */
template <enum accum A, class R>
constexpr unsigned BLOCKS_PER_SM = A == ACCUM_MOMENTS ? (R::NARROW ? 4 : 5)
				   : A == ACCUM_DOT   ? (R::NARROW ? 5 : 3)
						      : (R::NARROW ? 8 : 5);

/* The value of a piece by a block. */
template <enum accum A, class R>
__device__ __forceinline__ typename ordered<A>::value
block_value(const ordered_job<A, R> &job, const struct piece &piece, struct lanes_shared *shared)
{
	constexpr bool PAIR = A == ACCUM_DOT;
	const R x = job.x.from(piece.begin), y = job.y.from(PAIR ? piece.begin : 0);

	/* Whole tiles in registers, without tests for each element, if no element
	 * is special. */
	if constexpr (DEPTH < A >> 1) {
		if (piece.count == ORDER_TILE) {
			/* Moments need every element twice: converted once. */
			using kept =
				std::conditional_t<A == ACCUM_MOMENTS, double, typename R::kept>;
			tile_in_registers<kept, PAIR> tile;
			bool special = false;

			tile.shared = shared;
			tile.turn = 0;
			tile.load(x, y);
			if (job.omit)
				special = __syncthreads_or(tile.nan());
			if constexpr (A == ACCUM_SCALED) {
				double sum = -0.0;

#pragma unroll
				for (unsigned r = 0; r < tile.ROWS; r++) {
					special |= small_for_scaling(tile.x[r]);
					sum = sum + (double)tile.x[r] * tile.x[r];
				}
				if (!__syncthreads_or(special || big_for_scaling(sum)))
					return {-0.0,
						halve_block(sum, shared, tile.turn, add_doubles()),
						-0.0};
			} else if constexpr (A == ACCUM_MOMENTS) {
				double sum = sum_of(tile);

				if (!special && values::is_finite(sum))
					return moments_about(tile, (double)ORDER_TILE,
							     sum / ORDER_TILE);
				/* One that is not goes the long way, which begins with the
				 * buffer that others may be reading. */
				__syncthreads();
			} else if (!special) {
				return value_of<A, R::NARROW>(tile, false, job.p);
			}
		}
	}

	tile_in_memory<R, ORDER_LANES, DEPTH<A>, PAIR> tile = {x,        y,      piece.count,
							       job.omit, shared, 0};

	return value_of<A, R::NARROW>(tile, job.omit, job.p);
}

template <enum accum A, class R>
__global__ void __launch_bounds__(ORDER_LANES, BLOCKS_PER_SM<A, R>)
	ordered_blocks(ordered_job<A, R> job)
{
	using value = typename ordered<A>::value;
	__shared__ struct lanes_shared shared;
	__shared__ bool last;
	uint64_t slot = blockIdx.x * job.share, known = 0;
	const uint64_t end = min(slot + job.share, job.units.count);
	struct piece piece[2] = {};
	unsigned turn = 0;
	value v = ordered<A>::identity();

	let_followers_start();
	if (job.offsets != nullptr && (*job.any_long == 0 || slot >= end))
		return;
		/* A tile of equal lines, or both of each unit: one copy of the code. */
#pragma unroll 1
	for (unsigned which = 0;; which ^= 1) {
		if (which == 0 && job.offsets == nullptr)
			piece[0] = equal_piece(job, slot);
		else if (which == 0)
			note_pieces(job, slot, &known, threadIdx.x == 0, piece);
		if (piece[0].count != 0) {
			v = block_value(job, piece[0], &shared);
			__syncthreads(); /* shared is free again */
		}
		if (job.offsets == nullptr)
			break;
		if (piece[0].count != 0 && threadIdx.x == 0)
			(which == 0 ? job.units.later : job.units.first)[slot] = v;
		slot += which;
		if (slot >= end)
			return;
		piece[0] = piece[1];
	}

	if constexpr (sizeof(value) == sizeof(double)) {
		if (job.mailbox != nullptr) {
			uint64_t *slots = job.mailbox + piece[0].line * job.tiles;

			if (threadIdx.x == 0)
				post(job.mailbox + slot, v);
			if (slot != (piece[0].line + 1) * job.tiles - 1)
				return;
			v = fold_posted<FOLDED_AS<A>>(slots, (unsigned)job.tiles, &shared, turn);
			if (threadIdx.x == 0)
				job.out[piece[0].line] = v;
			return;
		}
	}
	if (threadIdx.x == 0)
		job.tile_values[slot] = v;
	if constexpr (sizeof(value) != sizeof(double)) {
		if (job.tickets == nullptr)
			return;
		if (threadIdx.x == 0) {
			__threadfence();
			last = atomicAdd(job.tickets + piece[0].line, 1u) == job.tiles - 1;
		}
		__syncthreads();
		if (!last)
			return;
		__threadfence();

		const value *mine = job.tile_values + piece[0].line * job.tiles;

		v = fold_values<FOLDED_AS<A>, ORDER_LANES>(
			(unsigned)job.tiles, [=](unsigned k) { return load_value(mine + k); },
			&shared, turn);
		if (threadIdx.x == 0) {
			job.out[piece[0].line] = v;
			job.tickets[piece[0].line] = 0;
		}
	}
}

#endif
