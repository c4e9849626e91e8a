/* backend.c - the CUDA backend's table. Each device is a backend of its own. */
#include "config.h"
#include "engine/backend.h"

#include "gpu/array.h"
#include "gpu/cost.h"
#include "gpu/device.h"
#include "gpu/probe.h"
#include "gpu/stream.h"

/* The engine's handle of a device is the device. */
static struct device *device_of(const struct backend *self)
{
	return (struct device *)(uintptr_t)self;
}

static unsigned cuda_count(struct error *err)
{
	unsigned count = 0;

	return probe_count(&count, err) == STATUS_OK ? count : 0;
}

static enum status cuda_open(unsigned ordinal, unsigned threads, struct backend **out,
			     struct error *err)
{
	struct device *device = NULL;
	enum status status = device_open(ordinal, threads, &device, err);

	if (status == STATUS_OK)
		*out = (struct backend *)device;
	return status;
}

static void cuda_close(struct backend *self)
{
	device_close(device_of(self));
}

static enum status cuda_state(const struct backend *self, struct error *err)
{
	return device_state(device_of(self), err);
}

static void cuda_describe(const struct backend *self, struct backend_caps *out)
{
	*out = device_of(self)->caps;
}

static uint64_t cuda_estimate(const struct backend *self, const struct plan *plan, uint64_t count,
			      bool resident)
{
	return gpu_cost_estimate(device_of(self), plan, count, resident);
}

static enum status cuda_stream_open(struct backend *self, const struct plan *plan,
				    struct result *result, struct stream **out, struct error *err)
{
	return gpu_stream_open(device_of(self), plan, result, out, err);
}

static enum status cuda_array_create(struct backend *self, uint64_t size, struct array **out,
				     struct error *err)
{
	return gpu_array_create(device_of(self), size, out, err);
}

/* The host cannot read device memory. */
static const void *cuda_array_data(const struct array *array)
{
	(void)array;
	return NULL;
}

static enum status cuda_stream_feed_array(struct stream *stream, const struct array *x,
					  uint64_t x_offset, const struct array *y,
					  uint64_t y_offset, uint64_t count, struct error *err)
{
	return gpu_stream_feed_array(stream, gpu_array_at(x, x_offset),
				     y != NULL ? gpu_array_at(y, y_offset) : NULL, count, err);
}

const struct backend_ops cuda_backend = {
	.name = "cuda",
	.may_fail = true,
	.state = cuda_state,
	.count = cuda_count,
	.open = cuda_open,
	.close = cuda_close,
	.describe = cuda_describe,
	.estimate = cuda_estimate,
	.stream_open = cuda_stream_open,
	.stream_feed = gpu_stream_feed,
	.stream_finish = gpu_stream_finish,
	.stream_close = gpu_stream_close,
	.array_create = cuda_array_create,
	.array_write = gpu_array_write,
	.array_read = gpu_array_read,
	.array_destroy = gpu_array_destroy,
	.array_data = cuda_array_data,
	.stream_feed_array = cuda_stream_feed_array,
};
