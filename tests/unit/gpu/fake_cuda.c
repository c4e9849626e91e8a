/* fake_cuda.c - the calls of the CUDA runtime that gpu/ makes, in host memory: one
 * device, whose work is done when it is asked for. With fake_kernels.c it runs the
 * CUDA backend, but for its kernels, where no device is. */
#include "config.h"

#include <cuda_runtime.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "gpu/probe.h"
#include "tests/unit/gpu/fake_cuda.h"

#define FAKE_MEMORY (384ull << 20) /* little, so that measuring it takes little */
#define FAKE_LATENCY_NS 100000u

static atomic_bool broken;
static atomic_uint_fast64_t pool_limit = UINT64_MAX, pool_bytes, pool_trims;
static unsigned device_count = 1;
static bool device_computes = true;

void fake_limit_pool(uint64_t bytes)
{
	pool_limit = bytes;
}

uint64_t fake_pool_trims(void)
{
	return pool_trims;
}

uint64_t fake_pool_bytes(void)
{
	return pool_bytes;
}

void fake_break(bool now)
{
	broken = now;
}

void fake_devices(unsigned count, bool computes)
{
	device_count = count;
	device_computes = computes;
}

static cudaError_t health(void)
{
	return broken ? cudaErrorIllegalAddress : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t code)
{
	return code == cudaSuccess ? "no error" : "an error";
}

const char *cudaGetErrorName(cudaError_t code)
{
	return code == cudaSuccess ? "cudaSuccess" : "cudaError";
}

cudaError_t cudaSetDevice(int device)
{
	return device == 0 ? health() : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return health();
}

/* --- memory ----------------------------------------------------------------------- */

static cudaError_t allocate(void **out, size_t size)
{
	*out = aligned_alloc(256, (size + 255) / 256 * 256);
	if (*out == NULL)
		return cudaErrorMemoryAllocation;
	memset(*out, 0xa5, size); /* nobody may count on zeros */
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
	return allocate(out, size);
}

cudaError_t cudaFree(void *data)
{
	free(data);
	return health();
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return allocate(out, size);
}

cudaError_t cudaFreeHost(void *data)
{
	free(data);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	(void)device;
	*pool = (cudaMemPool_t)pool;
	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	(void)pool, (void)attribute, (void)value;
	return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	(void)pool, (void)keep;
	pool_trims++;
	return health();
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	*free_bytes = *total = FAKE_MEMORY;
	return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	cudaError_t code = health();

	(void)pool, (void)stream;
	if (code == cudaSuccess && size > pool_limit - pool_bytes)
		code = cudaErrorMemoryAllocation;
	if (code == cudaSuccess)
		code = allocate(out, size);
	if (code == cudaSuccess)
		pool_bytes += malloc_usable_size(*out);
	return code;
}

cudaError_t cudaFreeAsync(void *data, cudaStream_t stream)
{
	(void)stream;
	pool_bytes -= malloc_usable_size(data);
	free(data);
	return health();
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *data)
{
	(void)data;
	memset(out, 0, sizeof(*out));
	out->type = cudaMemoryTypeUnregistered;
	return cudaSuccess;
}

/* --- streams, events and copies ------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
	(void)flags;
	*out = malloc(1);
	return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	free(stream);
	return cudaSuccess;
}

/* Takes about as long as a real one: small jobs must not look cheap here. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	uint64_t begin = clock_ns();

	(void)stream;
	while (clock_ns() - begin < FAKE_LATENCY_NS)
		;
	return health();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
	(void)flags;
	*out = malloc(1);
	return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	(void)event, (void)stream;
	return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	(void)event;
	return health();
}

cudaError_t cudaMemsetAsync(void *data, int value, size_t size, cudaStream_t stream)
{
	(void)stream;
	memset(data, value, size);
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	(void)kind, (void)stream;
	if (size > 0)
		memcpy(to, from, size);
	return health();
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	(void)kind, (void)stream;
	for (size_t i = 0; i < height; i++)
		memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
	return cudaSuccess;
}

/* --- gpu/probe.h ------------------------------------------------------------------ */

enum status probe_count(unsigned *out, struct error *err)
{
	if (device_count == 0)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "no CUDA device: none is faked");
	*out = device_count;
	return STATUS_OK;
}

enum status probe_describe(unsigned device, struct probe_device *out, struct error *err)
{
	(void)device, (void)err;
	*out = (struct probe_device){
		.name = "a fake device", .memory = FAKE_MEMORY, .major = 9, .multiprocessors = 132};
	return STATUS_OK;
}

enum status probe_compute(unsigned device, struct error *err)
{
	(void)device;
	if (!device_computes)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "it sums wrongly");
	return STATUS_OK;
}
