/* exact_long_narrow.cu - long lines of float32 and bfloat16: sums, squares, dot. */
#include "config.h"

#include "gpu/kernels/exact_long.cuh"
#include "gpu/kernels/exact_window.cuh"

template <enum accum A, enum dtype D, class CELLS, unsigned VECTORS>
using plan = exact_plan<A, D, CELLS, exact_no_cells, VECTORS, false>;

template <enum dtype D> static cudaError_t launch_typed(const struct exact_work *work)
{
	constexpr unsigned PER = 16 / sizeof(typename stored<D>::type);

	switch (work->accum) {
	case ACCUM_EXACT_SUM:
	case ACCUM_EXACT_ABS:
		return exact_launch_sum<plan<ACCUM_EXACT_SUM, D, exact_narrow_sum, 16 / PER>,
					plan<ACCUM_EXACT_SUM, D, exact_narrow_sum, 1>>(work);
	case ACCUM_EXACT_SQUARE:
		return exact_launch_long<
			plan<ACCUM_EXACT_SQUARE, D, exact_window_square<2, true>, 2>>(work);
	default:
		return exact_launch_long<
			plan<ACCUM_EXACT_DOT, D, exact_narrow_product<false, 2, true>, 8 / PER>>(
			work);
	}
}

cudaError_t exact_long_narrow(const struct exact_work *work)
{
	return work->elements->dtype == DTYPE_FLOAT32 ? launch_typed<DTYPE_FLOAT32>(work)
						      : launch_typed<DTYPE_BFLOAT16>(work);
}
