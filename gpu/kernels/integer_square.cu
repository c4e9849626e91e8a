/* integer_square.cu - sums of squares of integers. */
#include "gpu/kernels/integer_terms.cuh"

cudaError_t integer_square(const struct free_job *job)
{
	return integer_fold<TERM_SQUARE>(job, true);
}
