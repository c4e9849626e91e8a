/* exact_few_single.cu - very short lines whose terms are binary64 numbers. */
#include "config.h"

#include "gpu/kernels/exact_few.cuh"

cudaError_t exact_few_single(const struct exact_work *work)
{
	return exact_launch_few<3>(work);
}
