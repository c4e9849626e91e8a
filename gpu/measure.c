#include "config.h"
#include "gpu/measure.h"

#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "gpu/kernels/launch.h"

#define COPY_BYTES (16u << 20)
#define READ_BYTES (512u << 20) /* well beyond any second level cache */
#define ROUNDS 3u               /* the fastest counts */

/* What is measured with. */
struct bench {
	struct device *device;
	struct queue *queue;
	struct pinned *pinned;      /* COPY_BYTES */
	struct device_buffer data;  /* read_bytes of zeros, float32 */
	struct device_buffer value; /* a double */
	uint64_t read_bytes;
	char *pageable; /* COPY_BYTES */
};

static enum status sum(struct bench *bench, uint64_t count, struct error *err)
{
	const struct launch launch = {
		.stream = bench->queue->stream,
		.multiprocessors = bench->device->multiprocessors,
		.tickets = bench->queue->tickets,
	};
	const struct elements elements = {.x = bench->data.data, .dtype = DTYPE_FLOAT32};

	return cuda_status(bench->device,
			   atomic_sum(&launch, ACCUM_SUM, &elements, count, bench->value.data),
			   "atomic_sum", err);
}

/* One job of a few elements: in, sum, out. */
static enum status small_job(struct bench *bench, struct error *err)
{
	cudaStream_t stream = bench->queue->stream;
	cudaError_t code = cudaMemcpyAsync(bench->data.data, bench->pinned->data, 64,
					   cudaMemcpyHostToDevice, stream);
	enum status status = cuda_status(bench->device, code, "cudaMemcpyAsync", err);

	if (status == STATUS_OK)
		status = sum(bench, 16, err);
	if (status != STATUS_OK)
		return status;
	code = cudaMemcpyAsync(bench->pinned->data, bench->value.data, sizeof(double),
			       cudaMemcpyDeviceToHost, stream);
	return cuda_status(bench->device, code, "cudaMemcpyAsync", err);
}

static enum status large_read(struct bench *bench, struct error *err)
{
	return sum(bench, bench->read_bytes / sizeof(float), err);
}

static enum status copy_in(struct bench *bench, struct error *err)
{
	return cuda_status(bench->device,
			   cudaMemcpyAsync(bench->data.data, bench->pinned->data, COPY_BYTES,
					   cudaMemcpyHostToDevice, bench->queue->stream),
			   "cudaMemcpyAsync", err);
}

static enum status copy_out(struct bench *bench, struct error *err)
{
	return cuda_status(bench->device,
			   cudaMemcpyAsync(bench->pinned->data, bench->data.data, COPY_BYTES,
					   cudaMemcpyDeviceToHost, bench->queue->stream),
			   "cudaMemcpyAsync", err);
}

static enum status stage(struct bench *bench, struct error *err)
{
	(void)err;
	copier_copy(bench->device->copier, bench->pinned->data, bench->pageable, COPY_BYTES);
	return STATUS_OK;
}

/* Least ns of some rounds, each from its start until the device is idle. */
static enum status time_least(struct bench *bench,
			      enum status (*what)(struct bench *, struct error *), uint64_t *out,
			      struct error *err)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i <= ROUNDS; i++) { /* the first one warms up */
		uint64_t begin = clock_ns(), took;
		enum status status = what(bench, err);

		if (status == STATUS_OK)
			status = queue_wait(bench->device, bench->queue, err);
		if (status != STATUS_OK)
			return status;
		took = clock_ns() - begin;
		least = i > 0 && took < least ? took : least;
	}
	*out = least > 0 ? least : 1;
	return STATUS_OK;
}

static enum status prepare(struct bench *bench, struct error *err)
{
	struct device *device = bench->device;
	enum status status = queue_take(device, &bench->queue, err);
	uint64_t left = memory_left(device);

	bench->read_bytes = left / 4 < READ_BYTES ? left / 4 : READ_BYTES;
	if (bench->read_bytes < COPY_BYTES)
		bench->read_bytes = COPY_BYTES;
	if (status == STATUS_OK)
		status = pinned_take(device, COPY_BYTES, &bench->pinned, err);
	if (status == STATUS_OK)
		status = buffer_reserve(device, bench->queue, &bench->data, bench->read_bytes, 0,
					err);
	if (status == STATUS_OK)
		status =
			buffer_reserve(device, bench->queue, &bench->value, sizeof(double), 0, err);
	if (status != STATUS_OK)
		return status;
	bench->pageable = calloc(1, COPY_BYTES);
	if (bench->pageable == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to measure %s",
			    device->caps.name);
	memset(bench->pageable, 1, COPY_BYTES); /* pages of its own */
	memset(bench->pinned->data, 0, COPY_BYTES);
	return cuda_status(
		device,
		cudaMemsetAsync(bench->data.data, 0, bench->read_bytes, bench->queue->stream),
		"cudaMemsetAsync", err);
}

static enum status measure(struct bench *bench, struct error *err)
{
	struct device *device = bench->device;
	uint64_t launch, read, in, out, staged;
	enum status status = prepare(bench, err);

	if (status == STATUS_OK)
		status = time_least(bench, small_job, &launch, err);
	if (status == STATUS_OK)
		status = time_least(bench, large_read, &read, err);
	if (status == STATUS_OK)
		status = time_least(bench, copy_in, &in, err);
	if (status == STATUS_OK)
		status = time_least(bench, copy_out, &out, err);
	if (status == STATUS_OK)
		status = time_least(bench, stage, &staged, err);
	if (status != STATUS_OK)
		return status;
	device->caps.launch_ns = launch;
	device->caps.bytes_per_second = (double)bench->read_bytes * 1e9 / (double)read;
	device->caps.in_bytes_per_second = COPY_BYTES * 1e9 / (double)in;
	device->caps.out_bytes_per_second = COPY_BYTES * 1e9 / (double)out;
	device->feed_bytes_per_second = COPY_BYTES * 1e9 / (double)(staged > in ? staged : in);
	return STATUS_OK;
}

enum status device_measure(struct device *device, struct error *err)
{
	struct bench bench = {.device = device};
	enum status status = measure(&bench, err);

	if (bench.queue != NULL) {
		buffer_release(device, bench.queue, &bench.data);
		buffer_release(device, bench.queue, &bench.value);
		(void)queue_wait(device, bench.queue, NULL);
		queue_give(device, bench.queue);
	}
	pinned_give(device, bench.pinned);
	free(bench.pageable);
	return status;
}
