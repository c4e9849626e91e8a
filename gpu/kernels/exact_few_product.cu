/* exact_few_product.cu - very short lines of squares and products of float64. */
#include "config.h"

#include "gpu/kernels/exact_few.cuh"

cudaError_t exact_few_product(const struct exact_work *work)
{
	return exact_launch_few<5>(work);
}
