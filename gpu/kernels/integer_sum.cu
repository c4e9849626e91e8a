/* integer_sum.cu - sums, and sums of magnitudes, of integers. */
#include "gpu/kernels/integer_terms.cuh"

cudaError_t integer_sum(const struct free_job *job, bool absolute)
{
	return integer_fold<TERM_PLAIN>(job, absolute);
}
