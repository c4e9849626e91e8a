#include "config.h"
#include "gpu/work.h"

#include <string.h>

enum status work_launch(struct work *work, size_t scratch, struct launch *out, struct error *err)
{
	enum status status =
		buffer_reserve(work->device, work->queue, &work->scratch, scratch, 0, err);

	*out = (struct launch){
		.stream = work->queue->stream,
		.multiprocessors = work->device->multiprocessors,
		.tickets = work->queue->tickets,
		.scratch = work->scratch.data,
	};
	return status;
}

bool work_omits(const struct plan *plan)
{
	return plan->job->nan == NAN_OMIT && dtype_is_float(plan->input.dtype);
}

static enum status widen(struct work *work, struct error *err)
{
	enum dtype dtype = work->plan->input.dtype;
	struct launch launch;
	enum status status = buffer_reserve(work->device, work->queue, &work->wide,
					    work->count * sizeof(double), 0, err);

	if (status == STATUS_OK)
		status = work_launch(work, 0, &launch, err);
	if (status != STATUS_OK)
		return status;
	return cuda_status(work->device,
			   widen_to_f64(&launch, work->x, dtype, work->count, work->wide.data),
			   "widen_to_f64", err);
}

enum status work_elements(struct work *work, enum domain domain, struct elements *out,
			  struct error *err)
{
	enum dtype dtype = work->plan->input.dtype;
	enum status status = STATUS_OK;

	*out = (struct elements){
		.x = work->x,
		.dtype = dtype,
		.omit = work_omits(work->plan),
	};
	if (domain != DOMAIN_F64 || dtype_is_float(dtype))
		return STATUS_OK;
	if (!work->widened)
		status = widen(work, err);
	work->widened = status == STATUS_OK;
	out->x = work->wide.data;
	out->dtype = DTYPE_FLOAT64;
	return status;
}

enum status work_fetch(struct work *work, const void *from, void *to, uint64_t size,
		       struct error *err)
{
	struct pinned *pinned = NULL;
	enum status status = pinned_take(work->device, size, &pinned, err);

	if (status != STATUS_OK)
		return status;
	status = cuda_status(work->device,
			     cudaMemcpyAsync(pinned->data, from, size, cudaMemcpyDeviceToHost,
					     work->queue->stream),
			     "cudaMemcpyAsync", err);
	if (status == STATUS_OK)
		status = queue_wait(work->device, work->queue, err);
	if (status == STATUS_OK)
		memcpy(to, pinned->data, size);
	pinned_give(work->device, pinned);
	return status;
}

enum status work_first_nan(struct work *work, uint64_t *out, struct error *err)
{
	const struct plan *plan = work->plan;
	const struct index_map map = geometry_index_map(&plan->input);
	const struct elements elements = {.x = work->x, .y = work->y, .dtype = plan->input.dtype};
	struct device_buffer first = {0};
	struct launch launch;
	enum status status;

	*out = UINT64_MAX;
	if (plan->job->nan != NAN_ERROR || !dtype_is_float(plan->input.dtype) || work->count == 0)
		return STATUS_OK;
	status = buffer_reserve(work->device, work->queue, &first, sizeof(uint64_t), 0, err);
	if (status == STATUS_OK)
		status = work_launch(work, 0, &launch, err);
	if (status == STATUS_OK)
		status = cuda_status(work->device,
				     nan_first(&launch, &elements, work->count, &map, first.data),
				     "nan_first", err);
	if (status == STATUS_OK)
		status = work_fetch(work, first.data, out, sizeof(*out), err);
	buffer_release(work->device, work->queue, &first);
	return status;
}

enum status work_fail_nan(const struct plan *plan, uint64_t index, struct error *err)
{
	index += plan->job->index_base;
	fail(err, STATUS_NAN_FOUND, "element %llu is NaN", (unsigned long long)index);
	if (err != NULL) {
		err->has_index = true;
		err->index = index;
	}
	return STATUS_NAN_FOUND;
}
