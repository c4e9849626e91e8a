/* ordered_fold.cu - the kernels that fold tile values, one set for each way of
 * combining. */
#include "config.h"

#include "gpu/kernels/ordered_fold.cuh"

constexpr unsigned WARPS = 4; /* of a block: ORDER_LANES threads */

/* Up to so many tiles a warp folds a line alone. Chosen: four rows. */
constexpr uint64_t WARP_TILES = 512;

/* A block for each group of ORDER_TILE values of a line. */
template <enum accum A>
__global__ void __launch_bounds__(ORDER_LANES, 4)
	fold_by_block(const typename ordered<A>::value *in, uint64_t tiles, uint64_t groups,
		      typename ordered<A>::value *out)
{
	__shared__ struct lanes_shared shared;
	unsigned turn = 0;
	uint64_t line = blockIdx.x / groups, group = blockIdx.x % groups;
	uint64_t from = group * ORDER_TILE;
	const typename ordered<A>::value *mine = in + line * tiles + from;

	let_followers_start();
	wait_for_predecessor();

	typename ordered<A>::value v = fold_values<A, ORDER_LANES>(
		(unsigned)min((uint64_t)ORDER_TILE, tiles - from),
		[=](unsigned k) { return load_value(mine + k); }, &shared, turn);

	if (threadIdx.x == 0)
		out[blockIdx.x] = v;
}

template <enum accum A>
__global__ void __launch_bounds__(ORDER_LANES, 4)
	fold_by_warp(const typename ordered<A>::value *in, uint64_t lines, unsigned tiles,
		     typename ordered<A>::value *out)
{
	uint64_t line = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
	const typename ordered<A>::value *mine = in + line * tiles;
	unsigned turn = 0;

	let_followers_start();
	wait_for_predecessor();
	if (line >= lines)
		return;

	typename ordered<A>::value v = fold_values<A, WARP>(
		tiles, [=](unsigned k) { return load_value(mine + k); }, nullptr, turn);

	if (threadIdx.x % WARP == 0)
		out[line] = v;
}

/* A warp for each unit of this level: the lines that begin in it, and those of
 * which a group of ORDER_TILE units begins in it. `tile`: elements of a unit. */
template <enum accum A>
__global__ void __launch_bounds__(ORDER_LANES, 4)
	fold_unit_lines(struct units<typename ordered<A>::value> in,
			struct units<typename ordered<A>::value> next, uint64_t unit_elements,
			const int64_t *offsets, const uint32_t *any_long,
			typename ordered<A>::value *out)
{
	using value = typename ordered<A>::value;
	const uint64_t step = (uint64_t)gridDim.x * WARPS;
	uint64_t unit = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
	unsigned turn = 0;

	if (*any_long == 0)
		return;
	for (unsigned which = 0; unit < in.count; unit += which == 0 ? 0 : step, which ^= 1) {
		uint64_t line = which == 0 ? in.first_line[unit] : in.later_line[unit];

		if (line == NO_LINE)
			continue;

		uint64_t length = (uint64_t)(offsets[line + 1] - offsets[line]);
		uint64_t tiles = (length + unit_elements - 1) / unit_elements;
		uint64_t begin = (uint64_t)(offsets[line] - offsets[0]) / unit_elements;
		uint64_t k = unit - begin; /* of the line's tiles, the first one here */

		if (tiles == 1 || k % ORDER_TILE != 0 || (k == 0) != (which == 0))
			continue;

		const struct units<value> from = in;
		value v = fold_values<A, WARP>(
			(unsigned)min((uint64_t)ORDER_TILE, tiles - k),
			[=](unsigned i) {
				return load_value(i == 0 && k == 0 ? from.first + unit
								   : from.later + unit + i);
			},
			nullptr, turn);

		if (threadIdx.x % WARP != 0)
			continue;
		if (tiles <= ORDER_TILE) {
			out[line] = v;
		} else {
			uint64_t to = unit / ORDER_TILE;

			(which == 0 ? next.first : next.later)[to] = v;
			(which == 0 ? next.first_line : next.later_line)[to] = line;
		}
	}
}

template <enum accum A>
cudaError_t fold_lines(const struct launch *launch, uint64_t lines, uint64_t tiles,
		       const typename ordered<A>::value *tile_values,
		       typename ordered<A>::value *between, typename ordered<A>::value *out)
{
	const typename ordered<A>::value *in = tile_values;

	for (;;) {
		uint64_t groups = (tiles + ORDER_TILE - 1) / ORDER_TILE;
		typename ordered<A>::value *to = groups == 1 ? out : between;
		cudaError_t code;

		if (tiles <= WARP_TILES && lines > 1)
			code = launch_behind(launch->stream, (lines + WARPS - 1) / WARPS,
					     ORDER_LANES, fold_by_warp<A>, in, lines, tiles, to);
		else
			code = launch_behind(launch->stream, lines * groups, ORDER_LANES,
					     fold_by_block<A>, in, tiles, groups, to);
		if (code != cudaSuccess)
			return code;
		if (groups == 1)
			return cudaSuccess;
		in = to;
		between += lines * groups;
		tiles = groups;
	}
}

template <enum accum A>
cudaError_t fold_units(const struct launch *launch, const struct lines *lines, unsigned levels,
		       const struct units<typename ordered<A>::value> *level,
		       const uint32_t *any_long, typename ordered<A>::value *out)
{
	uint64_t unit_elements = ORDER_TILE;

	for (unsigned i = 0; i < levels; i++, unit_elements *= ORDER_TILE) {
		uint64_t blocks = (level[i].count + WARPS - 1) / WARPS;
		const uint64_t most = 16 * launch->multiprocessors;
		cudaError_t code;

		fold_unit_lines<A><<<(unsigned)(blocks < most ? blocks : most), ORDER_LANES, 0,
				     launch->stream>>>(level[i], level[i + 1 < levels ? i + 1 : i],
						       unit_elements, lines->offsets, any_long,
						       out);
		code = cudaGetLastError();
		if (code != cudaSuccess)
			return code;
	}
	return cudaSuccess;
}

#define FOLDS(A)                                                                                  \
	template cudaError_t fold_lines<A>(                                                       \
		const struct launch *, uint64_t, uint64_t, const typename ordered<A>::value *,    \
		typename ordered<A>::value *, typename ordered<A>::value *);                      \
	template cudaError_t fold_units<A>(const struct launch *, const struct lines *, unsigned, \
					   const units<typename ordered<A>::value> *,             \
					   const uint32_t *, typename ordered<A>::value *);

FOLDS(ACCUM_SUM)
FOLDS(ACCUM_PROD)
FOLDS(ACCUM_SCALED)
FOLDS(ACCUM_MOMENTS)
FOLDS(ACCUM_LOGSUM)
