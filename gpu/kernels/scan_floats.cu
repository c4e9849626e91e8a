/* scan_floats.cu - sums, products and log-sum-exp of floats in the scan's order. */
#include "config.h"

#include "gpu/kernels/scan_dispatch.cuh"

cudaError_t scan_float_sum(const struct scan_call *call)
{
	if (call->job->omit)
		return scan_any_float<scan_omitting_sum>(call);
	if (scan_is_long<float>(call, DTYPE_FLOAT32))
		return scan_long<scan_ordered<ACCUM_SUM>, float>(call);
	if (scan_is_long<double>(call, DTYPE_FLOAT64))
		return scan_long<scan_ordered<ACCUM_SUM>, double>(call);
	switch (call->job->input) {
	case DTYPE_FLOAT32:
		return scan_typed<scan_ordered<ACCUM_SUM>, DTYPE_FLOAT32>(call);
	case DTYPE_FLOAT64:
		return scan_typed<scan_ordered<ACCUM_SUM>, DTYPE_FLOAT64>(call);
	default:
		return scan_any_float<scan_ordered<ACCUM_SUM>>(call);
	}
}

cudaError_t scan_float_prod(const struct scan_call *call)
{
	return scan_long_or_any_float<scan_ordered<ACCUM_PROD>, scan_ordered<ACCUM_PROD>>(call);
}

cudaError_t scan_float_logsum(const struct scan_call *call)
{
	return scan_any_float<scan_ordered<ACCUM_LOGSUM>>(call);
}
