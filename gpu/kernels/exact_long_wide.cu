/* exact_long_wide.cu - long lines of float64: sums. */
#include "config.h"

#include "gpu/kernels/exact_long.cuh"

template <unsigned VECTORS>
using plan = exact_plan<ACCUM_EXACT_SUM, DTYPE_FLOAT64, exact_wide_sum<4>, exact_no_cells, VECTORS,
			true>;

cudaError_t exact_long_wide(const struct exact_work *work)
{
	return exact_launch_sum<plan<4>, plan<1>>(work);
}
