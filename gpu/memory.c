#include "config.h"
#include "gpu/memory.h"

#include <stdlib.h>
#include "gpu/device.h"

/* Left to the driver, kernels' local memory and other processes (chosen). */
#define DEVICE_RESERVE (512u << 20)
/* All page-locked memory of a device (chosen: a stream takes 40 MiB at most). */
#define PINNED_BUDGET (2048ull << 20)
#define ALIGN 256u /* of buffers, as launches want scratch */

enum status memory_init(struct device *device, struct error *err)
{
	struct memory *memory = &device->memory;
	uint64_t keep = UINT64_MAX; /* the pool gives nothing back by itself */
	size_t free_bytes, total;
	cudaError_t code = cudaDeviceGetDefaultMemPool(&memory->pool, (int)device->ordinal);

	if (code == cudaSuccess)
		code = cudaMemPoolSetAttribute(memory->pool, cudaMemPoolAttrReleaseThreshold,
					       &keep);
	if (code == cudaSuccess)
		code = cudaMemGetInfo(&free_bytes, &total);
	if (code != cudaSuccess)
		return cuda_status(device, code, "cudaMemPool", err);
	memory->budget =
		free_bytes > 2 * DEVICE_RESERVE ? free_bytes - DEVICE_RESERVE : free_bytes / 2;
	atomic_init(&memory->used, 0);
	pthread_mutex_init(&memory->lock, NULL);
	return STATUS_OK;
}

/* Give back the page-locked buffers that nobody has. */
static void drop_free(struct memory *memory)
{
	struct pinned *dropped = NULL;

	pthread_mutex_lock(&memory->lock);
	for (unsigned class = 0; class < PINNED_CLASSES; class ++) {
		while (memory->free[class] != NULL) {
			struct pinned *pinned = memory->free[class];

			memory->free[class] = pinned->next;
			memory->pinned -= pinned->size;
			pinned->next = dropped;
			dropped = pinned;
		}
	}
	pthread_mutex_unlock(&memory->lock);
	while (dropped != NULL) {
		struct pinned *pinned = dropped;

		dropped = pinned->next;
		(void)cudaFreeHost(pinned->data);
		free(pinned);
	}
}

void memory_deinit(struct device *device)
{
	struct memory *memory = &device->memory;

	drop_free(memory);
	if (memory->pool != NULL)
		(void)cudaMemPoolTrimTo(memory->pool, 0);
	pthread_mutex_destroy(&memory->lock);
}

uint64_t memory_left(const struct device *device)
{
	uint64_t used = atomic_load(&device->memory.used);

	return used < device->memory.budget ? device->memory.budget - used : 0;
}

/* Take size bytes off the budget. */
static bool take_budget(struct memory *memory, uint64_t size)
{
	uint64_t used = atomic_load(&memory->used);

	do {
		if (size > memory->budget || used > memory->budget - size)
			return false;
	} while (!atomic_compare_exchange_weak(&memory->used, &used, used + size));
	return true;
}

/* What streams have freed and not yet passed may be all that is missing: wait for
 * it, and let the pool start anew. */
static cudaError_t allocate(struct memory *memory, cudaStream_t stream, uint64_t size, void **out)
{
	cudaError_t code = cudaMallocFromPoolAsync(out, size, memory->pool, stream);

	if (code != cudaErrorMemoryAllocation)
		return code;
	(void)cudaGetLastError();
	code = cudaDeviceSynchronize();
	if (code == cudaSuccess)
		code = cudaMemPoolTrimTo(memory->pool, 0);
	if (code == cudaSuccess)
		code = cudaMallocFromPoolAsync(out, size, memory->pool, stream);
	return code;
}

static bool take_arena(struct arena *arena, uint64_t size, struct device_buffer *out)
{
	uint64_t at = (arena->used + ALIGN - 1) / ALIGN * ALIGN;

	if (size > ARENA_MOST || at + size > ARENA_BYTES)
		return false;
	*out = (struct device_buffer){.data = arena->data + at, .size = size, .borrowed = true};
	arena->used = at + size;
	return true;
}

enum status buffer_make(struct device *device, struct queue *queue, uint64_t size,
			struct device_buffer *out, struct error *err)
{
	cudaError_t code;

	size = size > ALIGN ? size : ALIGN;
	if (!take_budget(&device->memory, size))
		return fail(err, STATUS_OUT_OF_MEMORY,
			    "%s has no room for %llu more bytes: %llu of %llu are taken",
			    device->caps.name, (unsigned long long)size,
			    (unsigned long long)atomic_load(&device->memory.used),
			    (unsigned long long)device->memory.budget);
	code = allocate(&device->memory, queue->stream, size, &out->data);
	if (code != cudaSuccess) {
		atomic_fetch_sub(&device->memory.used, size);
		return cuda_status(device, code, "cudaMallocFromPoolAsync", err);
	}
	out->size = size;
	return STATUS_OK;
}

enum status buffer_reserve(struct device *device, struct queue *queue, struct device_buffer *buffer,
			   uint64_t size, uint64_t keep, struct error *err)
{
	struct device_buffer grown = {0};
	enum status status = STATUS_OK;

	if (size <= buffer->size && buffer->data != NULL)
		return STATUS_OK;
	if (!take_arena(&queue->arena, size, &grown))
		status = buffer_make(device, queue, size, &grown, err);
	if (status != STATUS_OK)
		return status;
	if (keep > 0)
		status = cuda_status(device,
				     cudaMemcpyAsync(grown.data, buffer->data, keep,
						     cudaMemcpyDeviceToDevice, queue->stream),
				     "cudaMemcpyAsync", err);
	buffer_release(device, queue, buffer);
	*buffer = grown;
	return status;
}

void buffer_release(struct device *device, struct queue *queue, struct device_buffer *buffer)
{
	if (buffer->data != NULL && !buffer->borrowed) {
		if (cudaFreeAsync(buffer->data, queue->stream) != cudaSuccess)
			(void)cudaGetLastError(); /* a lost device has no memory to give back */
		atomic_fetch_sub(&device->memory.used, buffer->size);
	}
	*buffer = (struct device_buffer){0};
}

static unsigned class_of(uint64_t size)
{
	unsigned bits = size > 1 ? 64 - (unsigned)__builtin_clzll(size - 1) : 0;

	return bits > PINNED_LEAST_BITS ? bits - PINNED_LEAST_BITS : 0;
}

/* One that is free already, or room on the account for a new one. */
static bool take_free(struct memory *memory, unsigned class, uint64_t size, struct pinned **out)
{
	bool room;

	pthread_mutex_lock(&memory->lock);
	*out = memory->free[class];
	if (*out != NULL)
		memory->free[class] = (*out)->next;
	room = *out != NULL || memory->pinned + size <= PINNED_BUDGET;
	if (*out == NULL && room)
		memory->pinned += size;
	pthread_mutex_unlock(&memory->lock);
	return room;
}

enum status pinned_take(struct device *device, uint64_t size, struct pinned **out,
			struct error *err)
{
	struct memory *memory = &device->memory;
	unsigned class = class_of(size);
	uint64_t rounded = 1ull << (class + PINNED_LEAST_BITS);
	struct pinned *made;
	cudaError_t code;
	bool room = class < PINNED_CLASSES && take_free(memory, class, rounded, out);

	if (class < PINNED_CLASSES && !room) {
		drop_free(memory); /* those of other sizes */
		room = take_free(memory, class, rounded, out);
	}
	if (!room)
		return fail(err, STATUS_OUT_OF_MEMORY, "no more page-locked memory beside %s",
			    device->caps.name);
	if (*out != NULL)
		return STATUS_OK;
	made = calloc(1, sizeof(*made));
	code = made != NULL ? cudaHostAlloc(&made->data, rounded, cudaHostAllocPortable)
			    : cudaErrorMemoryAllocation;
	if (code != cudaSuccess) {
		free(made);
		pthread_mutex_lock(&memory->lock);
		memory->pinned -= rounded;
		pthread_mutex_unlock(&memory->lock);
		return cuda_status(device, code, "cudaHostAlloc", err);
	}
	made->size = rounded;
	made->class = class;
	*out = made;
	return STATUS_OK;
}

void pinned_give(struct device *device, struct pinned *pinned)
{
	struct memory *memory = &device->memory;

	if (pinned == NULL)
		return;
	pthread_mutex_lock(&memory->lock);
	pinned->next = memory->free[pinned->class];
	memory->free[pinned->class] = pinned;
	pthread_mutex_unlock(&memory->lock);
}
