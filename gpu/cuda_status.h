/* cuda_status.h - what a CUDA call's error means to the engine. */
#ifndef GPU_CUDA_STATUS_H
#define GPU_CUDA_STATUS_H

#include <cuda_runtime.h>
#include "engine/status.h"

struct device;

/* `call` names what was tried. cudaErrorMemoryAllocation is STATUS_OUT_OF_MEMORY.
 * An error that ended the context marks the device as lost, and is
 * STATUS_BACKEND_UNAVAILABLE; any other is STATUS_INTERNAL. Takes the error off
 * the runtime's record, so that no later call reports it again. */
enum status cuda_status(struct device *device, cudaError_t code, const char *call,
			struct error *err);

#endif
