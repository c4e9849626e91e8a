/* exact_long_narrow_moments.cu - long lines of float32 and bfloat16: sums of the
 * elements and of their squares from one reading. */
#include "config.h"

#include "gpu/kernels/exact_long.cuh"

template <enum dtype D>
using plan = exact_plan<ACCUM_EXACT_MOMENTS, D, exact_narrow_sum,
			exact_narrow_product<true, 1, false>, 2, false>;

cudaError_t exact_long_narrow_moments(const struct exact_work *work)
{
	return work->elements->dtype == DTYPE_FLOAT32
		       ? exact_launch_long<plan<DTYPE_FLOAT32>>(work)
		       : exact_launch_long<plan<DTYPE_BFLOAT16>>(work);
}
