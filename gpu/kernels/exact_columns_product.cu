/* exact_columns_product.cu - lines that are not long: squares and products of float64. */
#include "config.h"

#include "gpu/kernels/exact_columns.cuh"

cudaError_t exact_columns_product(const struct exact_work *work, const struct grid *grid)
{
	return exact_launch_columns<struct column_product>(work, grid);
}
