/* device.h - one CUDA device: its context, memory, queues, and what was measured
 * when it opened. Any thread. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "engine/backend.h"
#include "gpu/copier.h"
#include "gpu/cuda_status.h"
#include "gpu/memory.h"

/* A CUDA stream, and what a launch on it needs that no other may use. */
struct queue {
	struct queue *next; /* while it is free */
	cudaStream_t stream;
	uint32_t *tickets; /* 0 between launches */
	struct arena arena;
};

struct device {
	unsigned ordinal;
	unsigned multiprocessors;
	struct backend_caps caps;     /* with the figures measured */
	double feed_bytes_per_second; /* measured: from pageable memory, with the copier */
	atomic_bool lost;             /* its context broke: nothing works any more */
	char why[256];                /* then: constant once lost is set */
	struct memory memory;
	struct copier *copier; /* from pageable memory to page-locked; may be NULL */

	pthread_mutex_t lock; /* of what follows, and of why while it is written */
	struct queue *queues; /* the free ones */
};

/* Takes the primary context, checks that it computes as IEEE 754 says, and
 * measures: less than 0.5 s. threads: that the process may keep busy. STATUS_BACKEND_UNAVAILABLE:
 * it does not work. */
enum status device_open(unsigned ordinal, unsigned threads, struct device **out, struct error *err);
void device_close(struct device *device); /* all queues are back */

/* The first reason stays. */
void device_lose(struct device *device, const char *why);

/* STATUS_BACKEND_UNAVAILABLE once it is lost. */
enum status device_state(const struct device *device, struct error *err);

/* Before a thread's CUDA calls: they go to this device. STATUS_BACKEND_UNAVAILABLE
 * once it is lost. */
enum status device_bind(struct device *device, struct error *err);

enum status queue_take(struct device *device, struct queue **out, struct error *err);

/* The queue is idle; buffers out of its arena are void. NULL is fine. */
void queue_give(struct device *device, struct queue *queue);

/* What was launched, copied and freed so far is done. */
enum status queue_wait(struct device *device, struct queue *queue, struct error *err);

#endif
