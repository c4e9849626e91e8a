/* exact_long_wide_product.cu - long lines of float64: squares, dot, moments. */
#include "config.h"

#include "gpu/kernels/exact_long.cuh"

template <enum accum A, class FIRST, class SECOND, unsigned VECTORS>
using plan = exact_plan<A, DTYPE_FLOAT64, FIRST, SECOND, VECTORS, true>;

cudaError_t exact_long_wide_product(const struct exact_work *work)
{
	switch (work->accum) {
	case ACCUM_EXACT_SQUARE:
		return exact_launch_long<plan<ACCUM_EXACT_SQUARE, exact_wide_product<true, 4, true>,
					      exact_no_cells, 4>>(work);
	case ACCUM_EXACT_DOT:
		return exact_launch_long<plan<ACCUM_EXACT_DOT, exact_wide_product<false, 4, true>,
					      exact_no_cells, 2>>(work);
	default:
		return exact_launch_long<plan<ACCUM_EXACT_MOMENTS, exact_wide_sum<4>,
					      exact_wide_product<true, 2, false>, 4>>(work);
	}
}
