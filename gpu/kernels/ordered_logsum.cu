/* ordered_logsum.cu - sums of exponentials in the canonical order. */
#include "config.h"

#include "gpu/kernels/ordered_dispatch.cuh"

cudaError_t ordered_logsum_lines(const struct lines_work *work)
{
	return lines_of_any_type<ACCUM_LOGSUM>(work);
}
