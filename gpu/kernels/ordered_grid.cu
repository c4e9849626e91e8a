/* ordered_grid.cu - the strided order over lines of any layout. A thread takes a
 * run of a line, neighbouring threads neighbouring lines; what comes of the runs
 * is folded as columns are. */
#include "config.h"

#include "gpu/kernels/columns_fold.cuh"
#include "gpu/kernels/columns_kinds.h"
#include "gpu/kernels/grid_walk.cuh"
#include "gpu/kernels/load.cuh"

template <enum accum A>
__global__ void grid_runs(const struct elements elements, const struct grid_shape shape,
			  uint64_t runs, typename ordered<A>::value *out)
{
	using acc = ordered<A>;
	const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; at < shape.lines * runs;
	     at += threads) {
		const uint64_t line = at % shape.lines, first = at / shape.lines * ORDER_RUN;
		const uint64_t left = first < shape.length ? shape.length - first : 0;
		const unsigned count = left < ORDER_RUN ? (unsigned)left : ORDER_RUN;
		typename acc::run run = acc::begin();
		grid_walk walk(shape, line, first);

		for (unsigned k = 0; k < count; k++, walk.next(shape)) {
			double x = load_float(elements.x, elements.dtype, walk.position());
			double y = A == ACCUM_DOT
					   ? load_float(elements.y, elements.dtype, walk.position())
					   : x;

			if (!elements.omit || !(values::is_nan(x) || values::is_nan(y)))
				acc::step(run, x, y, elements.p);
		}
		out[at] = acc::end(run);
	}
}

template <enum accum A>
static cudaError_t grid_of(const struct launch *launch, const struct elements *elements,
			   const struct grid *grid, void *values)
{
	using value = typename ordered<A>::value;
	const uint64_t runs = columns_chunks(grid->length, 1);
	const struct columns columns = {1, grid->length, grid->lines};
	value *out = (value *)(runs == 1 ? values : launch->scratch);

	grid_runs<A><<<columns_blocks(grid->lines * runs, FOLD_GRID), FOLD_THREADS, 0,
		       launch->stream>>>(*elements, grid_shape_of(grid), runs, out);
	if (cudaError_t code = cudaGetLastError(); code != cudaSuccess || runs == 1)
		return code;
	return columns_fold<A>(launch, &columns, runs, out, (value *)values);
}

/* A value for each run, and what the first step of folding makes of them. */
size_t ordered_grid_scratch(enum accum accum, const struct grid *grid)
{
	const uint64_t runs = columns_chunks(grid->length, 1);

	return grid->lines * (runs + runs / FOLD_GROUP + 1) * accum_size(accum);
}

cudaError_t ordered_grid(const struct launch *launch, enum accum accum,
			 const struct elements *elements, const struct grid *grid, void *values)
{
	if (grid->lines == 0)
		return cudaSuccess;
	switch (accum) {
	case ACCUM_SUM:
		return grid_of<ACCUM_SUM>(launch, elements, grid, values);
	case ACCUM_ABS:
		return grid_of<ACCUM_ABS>(launch, elements, grid, values);
	case ACCUM_SQUARE:
		return grid_of<ACCUM_SQUARE>(launch, elements, grid, values);
	case ACCUM_DOT:
		return grid_of<ACCUM_DOT>(launch, elements, grid, values);
	case ACCUM_PROD:
		return grid_of<ACCUM_PROD>(launch, elements, grid, values);
	case ACCUM_SCALED:
		return grid_of<ACCUM_SCALED>(launch, elements, grid, values);
	case ACCUM_MOMENTS:
		return grid_of<ACCUM_MOMENTS>(launch, elements, grid, values);
	case ACCUM_POWER:
		return grid_of<ACCUM_POWER>(launch, elements, grid, values);
	case ACCUM_LOGSUM:
		return grid_of<ACCUM_LOGSUM>(launch, elements, grid, values);
	default:
		return cudaErrorInvalidValue;
	}
}
