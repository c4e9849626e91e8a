#include "config.h"
#include "gpu/cuda_status.h"

#include "gpu/device.h"

/* A context that has broken answers every call with its error; one that has not
 * answers this one. */
static bool context_works(void)
{
	return cudaFree(NULL) == cudaSuccess;
}

enum status cuda_status(struct device *device, cudaError_t code, const char *call,
			struct error *err)
{
	if (code == cudaSuccess)
		return STATUS_OK;
	(void)cudaGetLastError();
	if (code == cudaErrorMemoryAllocation)
		return fail(err, STATUS_OUT_OF_MEMORY, "%s: %s has no memory left", call,
			    device->caps.name);
	if (context_works())
		return fail(err, STATUS_INTERNAL, "%s on %s: %s (%s)", call, device->caps.name,
			    cudaGetErrorString(code), cudaGetErrorName(code));
	(void)cudaGetLastError();
	atomic_store(&device->lost, true);
	return fail(err, STATUS_BACKEND_UNAVAILABLE, "%s is lost: %s: %s (%s)", device->caps.name,
		    call, cudaGetErrorString(code), cudaGetErrorName(code));
}
