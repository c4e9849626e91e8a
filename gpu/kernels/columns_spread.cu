/* columns_spread.cu - columns' moments, and sums of squares of any range. */
#include "config.h"

#include "gpu/kernels/columns_kinds.h"
#include "gpu/kernels/ordered_columns.cuh"

cudaError_t columns_moments(const struct columns_work *work)
{
	return columns_of_type<ACCUM_MOMENTS>(work);
}

/* Of float64 alone; other types need no scaling. */
cudaError_t columns_scaled(const struct columns_work *work)
{
	return columns_of_any_type<ACCUM_SCALED>(work);
}
