/* columns_sums.cu - sums of columns. */
#include "config.h"

#include "gpu/kernels/columns_kinds.h"
#include "gpu/kernels/ordered_columns.cuh"

cudaError_t columns_sum(const struct columns_work *work)
{
	return columns_of_type<ACCUM_SUM>(work);
}

cudaError_t columns_abs(const struct columns_work *work)
{
	return columns_of_type<ACCUM_ABS>(work);
}

cudaError_t columns_square(const struct columns_work *work)
{
	return columns_of_type<ACCUM_SQUARE>(work);
}

cudaError_t columns_dot(const struct columns_work *work)
{
	return columns_of_type<ACCUM_DOT>(work);
}
