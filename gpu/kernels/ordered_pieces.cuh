/* ordered_pieces.cuh - which tiles of which lines a warp or block works on.
 *
 * Equal lines: piece s is tile s % tiles of line s / tiles.
 *
 * Lines by offsets, those longer than a tile: elements are cut into units of
 * ORDER_TILE, counted from the first line's first element, and a unit has the
 * tiles that begin in it. These are at most two: one of a line that has begun
 * before the unit (`later`), and the first one of a line that begins in the
 * unit (`first`): it covers the rest of it. So tiles are found by two searches
 * among the offsets, and the k-th tile, k > 0, of a line that begins in unit u
 * is `later` of unit u + k. Tile values, cut into units again, have the same
 * shape. */
#ifndef GPU_KERNELS_ORDERED_PIECES_CUH
#define GPU_KERNELS_ORDERED_PIECES_CUH

#include "gpu/kernels/ordered_lanes.cuh"

constexpr uint64_t NO_LINE = UINT64_MAX;

/* Values of the tiles of one level, by unit; lines as in `line`, NO_LINE. */
template <class V> struct units {
	V *first, *later;
	uint64_t *first_line, *later_line;
	uint64_t count;
};

/* How many of offsets[0 .. count - 1] are not above position, relative to the
 * first; at least 1. All threads of a warp ask the same and know the answer. */
__device__ __forceinline__ uint64_t offsets_up_to(const int64_t *offsets, uint64_t count,
						  uint64_t position)
{
	const unsigned thread = threadIdx.x % WARP;
	const int64_t limit = offsets[0] + (int64_t)position;
	uint64_t low = 0, high = count; /* offsets[low] <= limit < offsets[high] */

	while (high - low > 1) {
		uint64_t step = (high - low + WARP - 1) / WARP;
		uint64_t i = low + thread * step;
		unsigned found = __ballot_sync(WHOLE_WARP, i < high && __ldg(offsets + i) <= limit);
		uint64_t last = low + (31 - __clz(found)) * step;

		low = last;
		high = min(high, last + step);
	}
	return low + 1;
}

struct piece {
	uint64_t line, begin; /* begin: of its first element in the array */
	unsigned count;       /* elements; 0: there is no such piece */
};

/* The two pieces of a unit; called by whole warps. known: 0, or what it became for
 * an earlier unit: then one look at the offsets that follow mostly is enough. */
__device__ __forceinline__ void pieces_of(const int64_t *offsets, uint64_t lines, uint64_t unit,
					  uint64_t *known, struct piece *later, struct piece *first)
{
	const uint64_t from = unit * ORDER_TILE, to = from + ORDER_TILE;
	const int64_t base = offsets[0];

	later->count = first->count = 0;
	later->line = first->line = NO_LINE;
	if (*known == 0)
		*known = offsets_up_to(offsets, lines + 1, from);

	/* The last offset that is known not to be above, and those behind it. */
	const uint64_t window = *known - 1, i = window + threadIdx.x % WARP;
	const uint64_t mine = i <= lines ? (uint64_t)(__ldg(offsets + i) - base) : UINT64_MAX;

	for (unsigned which = 0; which < 2; which++) {
		uint64_t position = which == 0 ? from : to - 1, line, begin, end;
		unsigned found = __ballot_sync(WHOLE_WARP, mine <= position);

		if (found != WHOLE_WARP) {
			unsigned last = __popc(found) - 1;

			line = window + last;
			begin = __shfl_sync(WHOLE_WARP, mine, last);
			end = __shfl_sync(WHOLE_WARP, mine, last + 1);
		} else {
			line = offsets_up_to(offsets, lines + 1, position) - 1;
			begin = (uint64_t)(offsets[line] - base);
			end = line == lines ? 0 : (uint64_t)(offsets[line + 1] - base);
		}
		*known = line + 1;
		/* A line longer than a tile that begins on the right side of `from`. */
		if (line == lines || end - begin <= ORDER_TILE || (begin < from) != (which == 0))
			continue;

		uint64_t at = begin;

		if (which == 0)
			at += (from - begin + ORDER_TILE - 1) / ORDER_TILE * ORDER_TILE;
		if (at < end)
			*(which == 0 ? later
				     : first) = {line, at + (uint64_t)base,
						 (unsigned)min((uint64_t)ORDER_TILE, end - at)};
	}
}

#endif
