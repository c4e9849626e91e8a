/* scan_others.cu - scans with one right answer: extremes, and sums of integers. */
#include "config.h"

#include "gpu/kernels/scan_dispatch.cuh"

cudaError_t scan_float_extremes(const struct scan_call *call)
{
	if (call->job->op == OP_MAX)
		return scan_long_or_any_float<scan_ring_extreme<true>, scan_float_extreme<true>>(
			call);
	return scan_long_or_any_float<scan_ring_extreme<false>, scan_float_extreme<false>>(call);
}

cudaError_t scan_integer_sums(const struct scan_call *call)
{
	if (call->job->domain == DOMAIN_I64)
		return scan_any_integer<scan_integer_sum<int64_t>>(call);
	return scan_any_integer<scan_integer_sum<uint64_t>>(call);
}

cudaError_t scan_integer_extremes(const struct scan_call *call)
{
	const bool max = call->job->op == OP_MAX;

	if (call->job->domain == DOMAIN_I64)
		return max ? scan_any_integer<scan_integer_extreme<int64_t, true>>(call)
			   : scan_any_integer<scan_integer_extreme<int64_t, false>>(call);
	return max ? scan_any_integer<scan_integer_extreme<uint64_t, true>>(call)
		   : scan_any_integer<scan_integer_extreme<uint64_t, false>>(call);
}
