/* stream.c - a job on a device: elements are gathered in its memory as they come,
 * and computed on when all are there; one long line passes through it in pieces. */
#include "config.h"
#include "gpu/stream.h"

#include <stdlib.h>
#include "gpu/fault.h"
#include "gpu/feeder.h"
#include "gpu/part.h"
#include "gpu/pieces.h"
#include "gpu/work.h"

struct stream {
	struct device *device;
	struct queue *queue;
	const struct plan *plan;
	struct result *result;
	bool begun;            /* something was fed */
	struct pieces *pieces; /* NULL: they are gathered */
	struct feeder x, y;
	struct feeder offsets; /* of segments */
	uint64_t count;        /* elements taken */
	bool excess;           /* more came than the segments have */
};

static enum status feed_offsets(struct stream *stream, struct error *err)
{
	const struct job *job = stream->plan->job;
	enum status status;

	if (!stream->plan->layout.segmented)
		return STATUS_OK;
	status = feeder_add(&stream->offsets, job->offsets,
			    (job->segment_count + 1) * sizeof(*job->offsets), err);
	return status == STATUS_OK ? feeder_flush(&stream->offsets, err) : status;
}

enum status gpu_stream_open(struct device *device, const struct plan *plan, struct result *result,
			    struct stream **out, struct error *err)
{
	struct stream *stream;
	uint64_t count, size = UINT64_MAX;
	enum status status = device_bind(device, err);

	if (status != STATUS_OK)
		return status;
	stream = calloc(1, sizeof(*stream));
	if (stream == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a stream");
	stream->device = device;
	stream->plan = plan;
	stream->result = result;
	status = queue_take(device, &stream->queue, err);
	if (status != STATUS_OK) {
		free(stream);
		return status;
	}
	array_count(&plan->input, &count, NULL);
	if (count != ARRAY_UNKNOWN)
		size = count * dtype_size(plan->input.dtype);
	feeder_init(&stream->x, device, stream->queue, size);
	feeder_init(&stream->y, device, stream->queue, size);
	feeder_init(&stream->offsets, device, stream->queue,
		    (plan->job->segment_count + 1) * sizeof(int64_t));
	status = feed_offsets(stream, err);
	if (status != STATUS_OK) {
		gpu_stream_close(stream);
		return status;
	}
	for (unsigned i = 0; i < plan->op_count && plan->job->kind == JOB_REDUCE; i++)
		if (plan->ops[i].spec.op != OP_COUNT && part_is_atomic(plan, plan->ops[i].accum))
			result->ops[i].combine = COMBINE_ATOMIC;
	*out = stream;
	return STATUS_OK;
}

/* Elements that the segments have room for; what comes beyond them is an error,
 * told when those before it are computed. */
static uint64_t clip(struct stream *stream, uint64_t count)
{
	const struct job *job = stream->plan->job;
	uint64_t room;

	if (!stream->plan->layout.segmented)
		return count;
	room = (uint64_t)job->offsets[job->segment_count] - stream->count;
	stream->excess |= count > room;
	return count < room ? count : room;
}

/* What is fed from the host may pass in pieces. */
static enum status begin(struct stream *stream, struct error *err)
{
	uint64_t count;

	if (stream->begun)
		return STATUS_OK;
	stream->begun = true;
	array_count(&stream->plan->input, &count, NULL);
	if (!pieces_serve(stream->plan, count))
		return STATUS_OK;
	return pieces_open(stream->device, stream->plan, stream->result, &stream->pieces, err);
}

enum status gpu_stream_feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			    struct error *err)
{
	size_t size = dtype_size(stream->plan->input.dtype);
	enum status status = device_bind(stream->device, err);

	if (status == STATUS_OK)
		status = begin(stream, err);
	if (status == STATUS_OK && stream->pieces != NULL)
		return pieces_feed(stream->pieces, x, y, count, err);
	count = clip(stream, count);
	if (status == STATUS_OK)
		status = feeder_add(&stream->x, x, count * size, err);
	if (status == STATUS_OK && y != NULL)
		status = feeder_add(&stream->y, y, count * size, err);
	stream->count += count;
	return status;
}

enum status gpu_stream_feed_array(struct stream *stream, const void *x, const void *y,
				  uint64_t count, struct error *err)
{
	size_t size = dtype_size(stream->plan->input.dtype);
	enum status status = device_bind(stream->device, err);

	if (status != STATUS_OK)
		return status;
	count = clip(stream, count);
	feeder_borrow(&stream->x, x, count * size);
	if (y != NULL)
		feeder_borrow(&stream->y, y, count * size);
	stream->count += count;
	return STATUS_OK;
}

static enum status too_many(const struct stream *stream, struct error *err)
{
	return fail_at(err, STATUS_BAD_VALUE, "/segments",
		       "segments end at %llu, but the array has more elements",
		       (unsigned long long)stream->count);
}

static enum status too_few(const struct stream *stream, struct error *err)
{
	const struct job *job = stream->plan->job;
	struct geometry geometry;

	if (job->kind == JOB_SCAN)
		return fail_at(err, STATUS_BAD_VALUE, "/segments",
			       "segments end at %lld, but the array has %llu elements",
			       (long long)job->offsets[job->segment_count],
			       (unsigned long long)stream->count);
	geometry_make(&geometry, stream->plan, stream->count, NULL);
	return fail_at(err, STATUS_BAD_VALUE, "/segments",
		       "the array ends in the middle of segment %llu",
		       (unsigned long long)geometry_lines_before(&geometry, stream->count));
}

/* The lengths that only the end tells. */
static void set_shape(struct stream *stream)
{
	const struct layout *layout = &stream->plan->layout;
	struct result *result = stream->result;

	if (stream->plan->job->kind == JOB_SCAN) {
		if (result->ndim == 1)
			result->shape[0] = stream->count;
	} else if (layout->lines == ARRAY_UNKNOWN) { /* axis [] of a stream */
		result->shape[0] = stream->count;
	}
}

static enum status compute(struct stream *stream, struct error *err)
{
	const struct plan *plan = stream->plan;
	struct work work = {
		.device = stream->device,
		.queue = stream->queue,
		.plan = plan,
		.result = stream->result,
		.x = stream->x.buffer.data,
		.y = plan->pair ? stream->y.buffer.data : NULL,
		.count = stream->count,
	};
	enum status status = fault_compute(work.device, work.queue, err);

	if (status != STATUS_OK)
		return status;
	geometry_make(&work.geometry, plan, stream->count, stream->offsets.buffer.data);
	status = plan->job->kind == JOB_SCAN ? scan_run(&work, err) : reduce_run(&work, err);
	buffer_release(stream->device, stream->queue, &work.scratch);
	buffer_release(stream->device, stream->queue, &work.wide);
	return status;
}

enum status gpu_stream_finish(struct stream *stream, struct error *err)
{
	const struct job *job = stream->plan->job;
	enum status status = device_bind(stream->device, err);

	if (status == STATUS_OK && stream->pieces != NULL)
		return pieces_finish(stream->pieces, err);
	if (status == STATUS_OK)
		status = feeder_flush(&stream->x, err);
	if (status == STATUS_OK)
		status = feeder_flush(&stream->y, err);
	if (status != STATUS_OK)
		return status;
	if (stream->plan->layout.segmented &&
	    stream->count < (uint64_t)job->offsets[job->segment_count])
		return too_few(stream, err);
	set_shape(stream);
	status = compute(stream, err);
	return status == STATUS_OK && stream->excess ? too_many(stream, err) : status;
}

void gpu_stream_close(struct stream *stream)
{
	if (stream == NULL)
		return;
	(void)device_bind(stream->device, NULL);
	pieces_close(stream->pieces);
	(void)queue_wait(stream->device, stream->queue, NULL);
	feeder_deinit(&stream->x);
	feeder_deinit(&stream->y);
	feeder_deinit(&stream->offsets);
	queue_give(stream->device, stream->queue);
	free(stream);
}
