/* backend.c - the CUDA backend's table. Each device is a backend of its own. */
#include "config.h"
#include "engine/backend.h"

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

static void cuda_describe(const struct backend *self, struct backend_caps *out)
{
	*out = device_of(self)->caps;
}

static uint64_t cuda_estimate(const struct backend *self, const struct plan *plan, uint64_t count)
{
	return gpu_cost_estimate(device_of(self), plan, count);
}

static enum status cuda_stream_open(struct backend *self, const struct plan *plan,
				    struct result *result, struct stream **out, struct error *err)
{
	return gpu_stream_open(device_of(self), plan, result, out, err);
}

const struct backend_ops cuda_backend = {
	.name = "cuda",
	.count = cuda_count,
	.open = cuda_open,
	.close = cuda_close,
	.describe = cuda_describe,
	.estimate = cuda_estimate,
	.stream_open = cuda_stream_open,
	.stream_feed = gpu_stream_feed,
	.stream_finish = gpu_stream_finish,
	.stream_close = gpu_stream_close,
};
