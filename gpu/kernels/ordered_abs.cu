/* ordered_abs.cu - sums of magnitudes in the canonical order. */
#include "config.h"

#include "gpu/kernels/ordered_dispatch.cuh"

cudaError_t ordered_abs_lines(const struct lines_work *work)
{
	return lines_of_type<ACCUM_ABS>(work);
}
