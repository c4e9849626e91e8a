#include "config.h"
#include "gpu/cost.h"

#include "gpu/geometry.h"
#include "gpu/pieces.h"
#include "gpu/work.h"

/* Readings of the array that an accumulator takes, in eighths of one: where
 * arithmetic is what it waits for, as measured on an H200. Only the size matters:
 * who computes a job, never what comes out. */
static uint64_t weight(enum accum accum)
{
	switch (accum) {
	case ACCUM_POWER:
		return 256;
	case ACCUM_LOGSUM:
		return 128;
	case ACCUM_MOMENTS:
	case ACCUM_EXACT_SQUARE:
	case ACCUM_EXACT_DOT:
	case ACCUM_EXACT_MOMENTS:
	case ACCUM_INT_PROD:
		return 16;
	default:
		return 8;
	}
}

/* A line's results are rounded on the host, as the CPU backend's are. */
#define LINE_NS 100u

static bool fits(const struct device *device, const struct plan *plan, uint64_t count,
		 bool resident)
{
	struct geometry geometry;
	uint64_t size = dtype_size(plan->input.dtype), left = memory_left(device), wanted;

	if (!resident && pieces_serve(plan, count))
		return pieces_memory(plan) <= left;
	if (!resident) {
		if (count > left / size / (plan->pair ? 2 : 1))
			return false;
		left -= count * size * (plan->pair ? 2 : 1);
	}
	geometry_make(&geometry, plan, count, NULL);
	wanted = plan->job->kind == JOB_SCAN ? scan_memory(plan, &geometry, count)
					     : reduce_memory(plan, &geometry, count);
	return wanted <= left;
}

uint64_t gpu_cost_estimate(const struct device *device, const struct plan *plan, uint64_t count,
			   bool resident)
{
	const struct backend_caps *caps = &device->caps;
	double bytes, ns = (double)caps->launch_ns;
	uint64_t eighths = 0;

	if (atomic_load(&device->lost))
		return UINT64_MAX;
	if (plan->job->kind == JOB_SCAN && !scan_possible(plan))
		return UINT64_MAX;
	if (count == ARRAY_UNKNOWN)
		return UINT64_MAX - 1;
	if (!fits(device, plan, count, resident))
		return UINT64_MAX;
	bytes = (double)count * (double)dtype_size(plan->input.dtype) * (plan->pair ? 2 : 1);
	for (unsigned i = 0; i < plan->accum_count; i++)
		eighths += weight(plan->accums[i].accum);
	ns += (double)plan->accum_count * (double)caps->launch_ns / 4;
	if (!resident)
		ns += bytes * 1e9 / device->feed_bytes_per_second;
	ns += bytes * (double)eighths / 8 * 1e9 / caps->bytes_per_second;
	if (plan->job->kind == JOB_SCAN)
		ns += (double)count * (double)dtype_size(plan->ops[0].result) * 1e9 /
		      caps->out_bytes_per_second;
	else
		ns += (double)plan->layout.lines * (double)plan->op_count * LINE_NS;
	return ns < (double)(UINT64_MAX / 2) ? (uint64_t)ns : UINT64_MAX / 2;
}
