/* exact_long_half.cu - long lines of float16: no rows, a few numbers a thread. */
#include "config.h"

#include "gpu/kernels/exact_long.cuh"

template <enum accum A, class FIRST, class SECOND, unsigned VECTORS>
using plan = exact_plan<A, DTYPE_FLOAT16, FIRST, SECOND, VECTORS, false>;

cudaError_t exact_long_half(const struct exact_work *work)
{
	switch (work->accum) {
	case ACCUM_EXACT_SUM:
	case ACCUM_EXACT_ABS:
		return exact_launch_long<plan<ACCUM_EXACT_SUM, exact_half_sum, exact_no_cells, 4>>(
			work);
	case ACCUM_EXACT_SQUARE:
		return exact_launch_long<plan<ACCUM_EXACT_SQUARE, exact_half_product<true, true>,
					      exact_no_cells, 4>>(work);
	case ACCUM_EXACT_DOT:
		return exact_launch_long<
			plan<ACCUM_EXACT_DOT, exact_half_product<false, true>, exact_no_cells, 2>>(
			work);
	default:
		return exact_launch_long<plan<ACCUM_EXACT_MOMENTS, exact_half_sum,
					      exact_half_product<true, false>, 4>>(work);
	}
}
