#include "config.h"
#include "gpu/cuda_status.h"

#include <stdio.h>
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
	char why[sizeof(device->why)];

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
	snprintf(why, sizeof(why), "%s: %s (%s)", call, cudaGetErrorString(code),
		 cudaGetErrorName(code));
	device_lose(device, why);
	return device_state(device, err);
}
