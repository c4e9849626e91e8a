/* exact_columns_narrow.cu - lines that are not long: sums of float32 and narrower. */
#include "config.h"

#include "gpu/kernels/exact_columns.cuh"

cudaError_t exact_columns_narrow(const struct exact_work *work, const struct grid *grid)
{
	return exact_launch_columns<struct column_narrow>(work, grid);
}
