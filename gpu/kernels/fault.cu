#include "config.h"

#include "gpu/kernels/fault.h"

static __global__ void fault_kernel(volatile unsigned *nowhere)
{
	*nowhere = 1;
}

cudaError_t fault_launch(cudaStream_t stream)
{
	fault_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<volatile unsigned *>(8));
	return cudaGetLastError();
}
