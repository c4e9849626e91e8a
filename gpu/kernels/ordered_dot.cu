/* ordered_dot.cu - dot products in the canonical order. */
#include "config.h"

#include "gpu/kernels/ordered_dispatch.cuh"

cudaError_t ordered_dot_lines(const struct lines_work *work)
{
	return lines_of_type<ACCUM_DOT>(work);
}
