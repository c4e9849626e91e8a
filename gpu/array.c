#include "config.h"
#include "gpu/array.h"

#include <stdlib.h>
#include "gpu/feeder.h"
#include "gpu/fetcher.h"

struct array {
	struct device *device;
	struct device_buffer buffer;
};

static enum status begin(struct device *device, struct queue **queue, struct error *err)
{
	enum status status = device_bind(device, err);

	return status == STATUS_OK ? queue_take(device, queue, err) : status;
}

/* Other queues find done what this one was asked for. */
static enum status end(struct device *device, struct queue *queue, enum status status,
		       struct error *err)
{
	enum status waited = queue_wait(device, queue, status == STATUS_OK ? err : NULL);

	return status == STATUS_OK ? waited : status;
}

enum status gpu_array_create(struct device *device, uint64_t size, struct array **out,
			     struct error *err)
{
	struct array *array = calloc(1, sizeof(*array));
	struct queue *queue = NULL;
	enum status status;

	if (array == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	array->device = device;
	status = begin(device, &queue, err);
	if (status == STATUS_OK)
		status = end(device, queue, buffer_make(device, queue, size, &array->buffer, err),
			     err);
	queue_give(device, queue);
	if (status != STATUS_OK) {
		gpu_array_destroy(array);
		return status;
	}
	*out = array;
	return STATUS_OK;
}

enum status gpu_array_write(struct array *array, uint64_t offset, const void *bytes, uint64_t size,
			    struct error *err)
{
	struct device *device = array->device;
	struct queue *queue;
	struct feeder feeder;
	enum status status = begin(device, &queue, err);

	if (status != STATUS_OK)
		return status;
	feeder_init(&feeder, device, queue, size);
	feeder_aim(&feeder, (char *)array->buffer.data + offset);
	status = feeder_add(&feeder, bytes, size, err);
	if (status == STATUS_OK)
		status = feeder_flush(&feeder, err);
	status = end(device, queue, status, err);
	feeder_deinit(&feeder);
	queue_give(device, queue);
	return status;
}

struct target {
	struct copier *copier;
	char *at;
};

static enum status take(void *context, const void *bytes, uint64_t size, struct error *err)
{
	struct target *target = context;

	(void)err;
	copier_copy(target->copier, target->at, bytes, size);
	target->at += size;
	return STATUS_OK;
}

enum status gpu_array_read(const struct array *array, uint64_t offset, void *out, uint64_t size,
			   struct error *err)
{
	struct device *device = array->device;
	struct target target = {.copier = device->copier, .at = out};
	struct queue *queue;
	enum status status = begin(device, &queue, err);

	if (status != STATUS_OK)
		return status;
	status = fetcher_run(device, queue, gpu_array_at(array, offset), size, take, &target, err);
	queue_give(device, queue);
	return status;
}

void gpu_array_destroy(struct array *array)
{
	struct queue *queue;

	if (array == NULL)
		return;
	if (array->buffer.data != NULL && begin(array->device, &queue, NULL) == STATUS_OK) {
		buffer_release(array->device, queue, &array->buffer);
		queue_give(array->device, queue);
	}
	free(array);
}

const void *gpu_array_at(const struct array *array, uint64_t offset)
{
	return (const char *)array->buffer.data + offset;
}
