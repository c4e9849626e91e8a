/* memory.h - memory of one device, and the page-locked host memory beside it.
 * Both come from pools: in a service that has warmed up nothing is asked of the
 * driver. Any thread. */
#ifndef GPU_MEMORY_H
#define GPU_MEMORY_H

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "engine/status.h"

struct device;
struct queue;

/* Page-locked buffers are kept by the power of two of their size. */
#define PINNED_LEAST_BITS 12u /* 4 KiB */
#define PINNED_CLASSES 16u    /* up to 128 MiB */

struct pinned {
	struct pinned *next; /* in its free list */
	void *data;
	uint64_t size; /* bytes, at least those asked for */
	unsigned class;
};

struct memory {
	cudaMemPool_t pool;
	uint64_t budget;           /* bytes of device memory for all together */
	atomic_uint_fast64_t used; /* of them taken */

	pthread_mutex_t lock;
	struct pinned *free[PINNED_CLASSES];
	uint64_t pinned; /* bytes locked, taken or free */
};

enum status memory_init(struct device *device, struct error *err);
void memory_deinit(struct device *device);

/* Device memory. `data` may be another's (a resident array, the queue's arena):
 * then it is borrowed. Zero-initialise. */
struct device_buffer {
	void *data;
	uint64_t size; /* bytes */
	bool borrowed;
};

/* Small buffers come out of memory that a queue has anyway, until it is given
 * back: a small job asks the driver for nothing. */
#define ARENA_BYTES (1u << 20)
#define ARENA_MOST (128u << 10) /* one buffer */

struct arena {
	char *data; /* ARENA_BYTES */
	uint64_t used;
};

/* At least `size` bytes, in the queue's order; the first `keep` bytes go along
 * when it grows. STATUS_OUT_OF_MEMORY beyond the budget, or when the device has
 * none even after the pool gave back what it held. */
enum status buffer_reserve(struct device *device, struct queue *queue, struct device_buffer *buffer,
			   uint64_t size, uint64_t keep, struct error *err);

/* The same, but never out of the queue's arena: it may outlive the queue. */
enum status buffer_make(struct device *device, struct queue *queue, uint64_t size,
			struct device_buffer *out, struct error *err);
void buffer_release(struct device *device, struct queue *queue, struct device_buffer *buffer);

/* Bytes of device memory that one job may still take. */
uint64_t memory_left(const struct device *device);

enum status pinned_take(struct device *device, uint64_t size, struct pinned **out,
			struct error *err);
void pinned_give(struct device *device, struct pinned *pinned); /* NULL is fine */

#endif
