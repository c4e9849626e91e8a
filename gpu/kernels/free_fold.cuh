/* free_fold.cuh - a policy meets the shape of its lines. */
#ifndef GPU_KERNELS_FREE_FOLD_CUH
#define GPU_KERNELS_FREE_FOLD_CUH

#include "gpu/kernels/free_grid.cuh"
#include "gpu/kernels/free_lines.cuh"

template <class P> cudaError_t free_fold(const struct free_job *job, const P &p)
{
	if (job->lines != nullptr)
		return fold_lines(job->launch, p, job->lines, job->values);
	return fold_grid_lines(job->launch, p, job->grid, job->values);
}

#endif
