/* ordered_power.cu - sums of powers in the canonical order. */
#include "config.h"

#include "gpu/kernels/ordered_dispatch.cuh"

cudaError_t ordered_power_lines(const struct lines_work *work)
{
	return lines_of_any_type<ACCUM_POWER>(work);
}
