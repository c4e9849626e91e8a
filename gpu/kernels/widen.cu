/* widen.cu - widen_to_f64() of launch.h. */
#include "config.h"

#include "gpu/kernels/launch.h"
#include "gpu/kernels/load.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned BLOCKS = 8; /* an SM */

template <enum dtype D>
__global__ void widen_kernel(const typename stored<D>::type *x, uint64_t count, double *out)
{
	const uint64_t step = (uint64_t)gridDim.x * THREADS;

	for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
		out[i] = (double)stored<D>::widen(x[i]);
}

template <enum dtype D>
static cudaError_t launch_widen(const struct launch *launch, const void *x, uint64_t count,
				double *out)
{
	const uint64_t enough = (count + THREADS - 1) / THREADS;
	const uint64_t most = (uint64_t)BLOCKS * launch->multiprocessors;

	if (count == 0)
		return cudaSuccess;
	widen_kernel<D><<<(unsigned)(enough < most ? enough : most), THREADS, 0, launch->stream>>>(
		(const typename stored<D>::type *)x, count, out);
	return cudaGetLastError();
}

cudaError_t widen_to_f64(const struct launch *launch, const void *x, enum dtype dtype,
			 uint64_t count, double *out)
{
	switch (dtype) {
	case DTYPE_BOOL:
		return launch_widen<DTYPE_BOOL>(launch, x, count, out);
	case DTYPE_INT8:
		return launch_widen<DTYPE_INT8>(launch, x, count, out);
	case DTYPE_INT16:
		return launch_widen<DTYPE_INT16>(launch, x, count, out);
	case DTYPE_INT32:
		return launch_widen<DTYPE_INT32>(launch, x, count, out);
	case DTYPE_INT64:
		return launch_widen<DTYPE_INT64>(launch, x, count, out);
	case DTYPE_UINT8:
		return launch_widen<DTYPE_UINT8>(launch, x, count, out);
	case DTYPE_UINT16:
		return launch_widen<DTYPE_UINT16>(launch, x, count, out);
	case DTYPE_UINT32:
		return launch_widen<DTYPE_UINT32>(launch, x, count, out);
	case DTYPE_UINT64:
		return launch_widen<DTYPE_UINT64>(launch, x, count, out);
	default:
		return cudaErrorInvalidValue;
	}
}
