/* exact_columns_single.cu - lines that are not long: terms that are binary64 numbers. */
#include "config.h"

#include "gpu/kernels/exact_columns.cuh"

cudaError_t exact_columns_single(const struct exact_work *work, const struct grid *grid)
{
	return exact_launch_columns<struct column_single>(work, grid);
}
