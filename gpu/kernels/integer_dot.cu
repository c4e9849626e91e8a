/* integer_dot.cu - sums of products of two arrays of integers. */
#include "gpu/kernels/integer_terms.cuh"

cudaError_t integer_dot(const struct free_job *job)
{
	return integer_fold<TERM_PRODUCT>(job, false);
}
