/* fault.h - a kernel that breaks its context. In builds with fault injection only. */
#ifndef GPU_KERNELS_FAULT_H
#define GPU_KERNELS_FAULT_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes where no memory is: a sticky cudaErrorIllegalAddress. */
cudaError_t fault_launch(cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
