/* ordered_kernels.cuh - what the kernels of ordered accumulators over lines whose
 * elements are adjacent have in common:
 *
 *   ordered_few.cuh    few: lines of at most a row, several side by side in a warp;
 *                      medium: a warp a line of at most a tile
 *   ordered_tiles.cuh  one: a block a line of at most a tile, where lines are few;
 *                      warps: a warp a tile of 16-bit elements;
 *                      blocks: a block a tile, a thread a lane: everything else
 *
 * ordered_dispatch.cuh says which take what; each ordered_*.cu makes those of its
 * accumulator. */
#ifndef GPU_KERNELS_ORDERED_KERNELS_CUH
#define GPU_KERNELS_ORDERED_KERNELS_CUH

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_lanes.cuh"
#include "gpu/kernels/ordered_pieces.cuh"

constexpr unsigned LINES_THREADS = 256; /* of kernels whose warps are on their own */
constexpr unsigned LINES_WARPS = LINES_THREADS / WARP;

/* What all kernels of one launch know. R reads elements. */
template <enum accum A, class R> struct ordered_job {
	using value = typename ordered<A>::value;

	R x, y;
	bool omit;
	double p;
	uint64_t lines, length; /* equal lines */
	uint64_t tiles;         /* of each of these */
	const int64_t *offsets; /* or NULL */
	value *out;

	/* Equal lines: tile values, line by line; or whoever has a line's last
	 * tile folds it: by mailbox, slots line by line, or by ticket, one a line. */
	value *tile_values;
	uint64_t *mailbox;
	uint32_t *tickets;

	/* Lines by offsets. The flags: there are lines for the medium kernel
	 * (NULL: all are), and lines longer than a tile. */
	struct units<value> units;
	uint64_t share; /* units of a block, or of a warp: one after the other */
	uint32_t *any_medium, *any_long;
};

/* Values that are sums or products, componentwise, of terms. */
template <enum accum A>
constexpr bool SIMPLE = A != ACCUM_MOMENTS &&A != ACCUM_LOGSUM &&A != ACCUM_POWER;

/* Powers and exponentials take longer than any load and are long code: a loop
 * over memory serves them best. Rows of a block that are under way otherwise. */
template <enum accum A> constexpr unsigned DEPTH = A == ACCUM_LOGSUM || A == ACCUM_POWER ? 1 : 16;

/* Longest lines of the kernel of few elements. */
template <enum accum A> constexpr unsigned FEW = SIMPLE<A> ? ORDER_LANES : WARP;

#endif
