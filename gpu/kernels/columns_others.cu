/* columns_others.cu - products of columns, sums of powers and of exponentials. */
#include "config.h"

#include "gpu/kernels/columns_kinds.h"
#include "gpu/kernels/ordered_columns.cuh"

cudaError_t columns_prod(const struct columns_work *work)
{
	return columns_of_any_type<ACCUM_PROD>(work);
}

cudaError_t columns_power(const struct columns_work *work)
{
	return columns_of_any_type<ACCUM_POWER>(work);
}

cudaError_t columns_logsum(const struct columns_work *work)
{
	return columns_of_any_type<ACCUM_LOGSUM>(work);
}
