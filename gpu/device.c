#include "config.h"
#include "gpu/device.h"

#include <stdio.h>
#include <stdlib.h>
#include "gpu/kernels/launch.h"
#include "gpu/measure.h"
#include "gpu/probe.h"

/* Threads that help to fill page-locked memory: four bring what PCIe takes, about
 * (chosen). */
#define HELPERS 3u

static enum status describe(struct device *device, struct error *err)
{
	struct probe_device found;
	enum status status = probe_describe(device->ordinal, &found, err);

	if (status != STATUS_OK)
		return status;
	device->multiprocessors = found.multiprocessors;
	device->caps.memory = found.memory;
	snprintf(device->caps.device, sizeof(device->caps.device), "%.90s", found.name);
	return STATUS_OK;
}

/* What a device cannot do when it is opened, the engine does without it. */
static enum status unavailable(enum status status, struct error *err)
{
	if (status != STATUS_OUT_OF_MEMORY && err != NULL)
		err->status = STATUS_BACKEND_UNAVAILABLE;
	return status != STATUS_OUT_OF_MEMORY ? STATUS_BACKEND_UNAVAILABLE : status;
}

enum status device_open(unsigned ordinal, unsigned threads, struct device **out, struct error *err)
{
	struct device *device = calloc(1, sizeof(*device));
	enum status status;

	if (device == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a device");
	device->ordinal = ordinal;
	snprintf(device->caps.name, sizeof(device->caps.name), "cuda:%u", ordinal);
	atomic_init(&device->lost, false);
	pthread_mutex_init(&device->lock, NULL);
	status = probe_compute(ordinal, err); /* makes the context too */
	if (status == STATUS_OK)
		status = describe(device, err);
	if (status == STATUS_OK)
		status = memory_init(device, err);
	if (status != STATUS_OK) {
		pthread_mutex_destroy(&device->lock);
		free(device);
		return unavailable(status, err);
	}
	if (threads > 1)
		device->copier = copier_create(threads - 1 < HELPERS ? threads - 1 : HELPERS);
	status = device_measure(device, err);
	if (status != STATUS_OK) {
		device_close(device);
		return unavailable(status, err);
	}
	*out = device;
	return STATUS_OK;
}

static void destroy_queue(struct queue *queue)
{
	(void)cudaFree(queue->arena.data);
	(void)cudaFree(queue->tickets);
	(void)cudaStreamDestroy(queue->stream);
	free(queue);
}

void device_close(struct device *device)
{
	struct queue *queue;

	(void)cudaSetDevice((int)device->ordinal);
	while ((queue = device->queues) != NULL) {
		device->queues = queue->next;
		destroy_queue(queue);
	}
	copier_destroy(device->copier);
	memory_deinit(device);
	(void)cudaGetLastError();
	pthread_mutex_destroy(&device->lock);
	free(device);
}

void device_lose(struct device *device, const char *why)
{
	pthread_mutex_lock(&device->lock);
	if (!atomic_load(&device->lost)) {
		snprintf(device->why, sizeof(device->why), "%s", why);
		atomic_store(&device->lost, true);
	}
	pthread_mutex_unlock(&device->lock);
}

enum status device_state(const struct device *device, struct error *err)
{
	if (!atomic_load(&device->lost))
		return STATUS_OK;
	return fail(err, STATUS_BACKEND_UNAVAILABLE, "%s is lost: %s", device->caps.name,
		    device->why);
}

enum status device_bind(struct device *device, struct error *err)
{
	enum status status = device_state(device, err);
	cudaError_t code;

	if (status != STATUS_OK)
		return status;
	code = cudaSetDevice((int)device->ordinal);
	return code == cudaSuccess ? STATUS_OK : cuda_status(device, code, "cudaSetDevice", err);
}

static enum status make_queue(struct device *device, struct queue **out, struct error *err)
{
	struct queue *queue = calloc(1, sizeof(*queue));
	cudaError_t code;

	if (queue == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a queue");
	code = cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking);
	if (code != cudaSuccess) {
		free(queue);
		return cuda_status(device, code, "cudaStreamCreate", err);
	}
	code = cudaMalloc((void **)&queue->tickets, LAUNCH_TICKETS * sizeof(*queue->tickets));
	if (code == cudaSuccess)
		code = cudaMemsetAsync(queue->tickets, 0, LAUNCH_TICKETS * sizeof(*queue->tickets),
				       queue->stream);
	if (code == cudaSuccess)
		code = cudaMalloc((void **)&queue->arena.data, ARENA_BYTES);
	if (code != cudaSuccess) {
		destroy_queue(queue);
		return cuda_status(device, code, "cudaMalloc", err);
	}
	*out = queue;
	return STATUS_OK;
}

enum status queue_take(struct device *device, struct queue **out, struct error *err)
{
	pthread_mutex_lock(&device->lock);
	*out = device->queues;
	if (*out != NULL)
		device->queues = (*out)->next;
	pthread_mutex_unlock(&device->lock);
	return *out != NULL ? STATUS_OK : make_queue(device, out, err);
}

enum status queue_wait(struct device *device, struct queue *queue, struct error *err)
{
	return cuda_status(device, cudaStreamSynchronize(queue->stream), "cudaStreamSynchronize",
			   err);
}

void queue_give(struct device *device, struct queue *queue)
{
	if (queue == NULL)
		return;
	queue->arena.used = 0;
	pthread_mutex_lock(&device->lock);
	queue->next = device->queues;
	device->queues = queue;
	pthread_mutex_unlock(&device->lock);
}
