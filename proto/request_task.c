#include "config.h"
#include "proto/request_parts.h"

#include <stdlib.h>
#include "proto/accept.h"
#include "proto/job_source.h"
#include "proto/request_output.h"

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a request");
}

struct request_job *request_job_of(const struct task *task)
{
	return task->owner;
}

static void job_free(void *owner)
{
	struct request_job *job = owner;

	output_drop(job);
	free(job->path);
	free(job);
}

static struct task *make_task(void)
{
	struct request_job *job = calloc(1, sizeof(*job));
	struct task *task = task_create();

	if (job == NULL || task == NULL) {
		free(job);
		task_destroy(task);
		return NULL;
	}
	job->task = task;
	job->x = job->y = job->segments = NO_PART;
	task->owner = job;
	task->owner_free = job_free;
	return task;
}

static enum status append(struct request *request, struct task *task, struct error *err)
{
	if (request->count == request->capacity) {
		uint64_t capacity = request->capacity > 0 ? request->capacity * 2 : 1;
		struct task **tasks = realloc(request->tasks, capacity * sizeof(struct task *));

		if (tasks == NULL) {
			task_destroy(task);
			return no_memory(err);
		}
		request->tasks = tasks;
		request->capacity = capacity;
	}
	request->tasks[request->count++] = task;
	return STATUS_OK;
}

enum status request_add_refused(struct request *request, const struct error *why, struct error *err)
{
	struct task *task = make_task();

	if (task == NULL)
		return no_memory(err);
	task_refuse(task, why);
	return append(request, task, err);
}

enum status request_add_result(struct request *request, struct result *result, bool bits,
			       struct error *err)
{
	struct task *task = make_task();

	if (task == NULL) {
		result_destroy(result);
		return no_memory(err);
	}
	task->result = result;
	task->job.bits = bits;
	task->done = true;
	return append(request, task, err);
}

enum status request_segments_from(struct task *task, struct source *source,
				  const struct limits *limits, struct error *err)
{
	uint64_t count = 0, got;
	int64_t *offsets = NULL;
	enum status status = STATUS_OK;

	if (source->desc.dtype != DTYPE_INT64 || source->desc.ndim != 1)
		status = fail_at(err, source->desc.ndim != 1 ? STATUS_BAD_VALUE : STATUS_BAD_DTYPE,
				 "/segments", "offsets must be a list of int64");
	if (status == STATUS_OK)
		status = array_count(&source->desc, &count, err);
	if (status == STATUS_OK && count > limits->state / sizeof(*offsets))
		status = fail_at(err, STATUS_TOO_LARGE, "/segments",
				 "%llu offsets need more than the %llu bytes a job may use",
				 (unsigned long long)count, (unsigned long long)limits->state);
	if (status == STATUS_OK) {
		offsets = malloc((size_t)count * sizeof(*offsets) + 1);
		if (offsets == NULL)
			status = no_memory(err);
	}
	if (status == STATUS_OK)
		status = source->read(source, offsets, count, &got, err);
	if (status == STATUS_OK && source->verify != NULL)
		status = source->verify(source, err);
	source_close(source);
	if (status != STATUS_OK) {
		free(offsets);
		return status;
	}
	return segments_set(&task->job, offsets, count, err);
}

static void note_parts(struct request_job *job, const struct job_spec *spec)
{
	if (spec->x.kind == INPUT_PART)
		job->x = spec->x.part;
	if (spec->y.kind == INPUT_PART)
		job->y = spec->y.part;
	if (spec->segments.kind == INPUT_PART)
		job->segments = spec->segments.part;
	job->x_typed = spec->x.has_dtype;
	job->x_dtype = spec->x.dtype;
	job->y_typed = spec->y.has_dtype;
	job->y_dtype = spec->y.dtype;
}

static bool can_open(const struct input *input)
{
	return input->kind == INPUT_DATA || input->kind == INPUT_BASE64 ||
	       input->kind == INPUT_FILES || input->kind == INPUT_ARRAY;
}

static enum status open_sources(const struct request *request, struct task *task,
				struct job_spec *spec, struct error *err)
{
	const struct input_context context = {request->files, request->limits, &task->job,
					      engine_arrays(request->engine)};
	struct source *segments = NULL;
	enum status status = STATUS_OK;

	if (can_open(&spec->x))
		status = input_open(&spec->x, &context, &task->x, err);
	if (status == STATUS_OK && can_open(&spec->y))
		status = input_open(&spec->y, &context, &task->y, err);
	if (status == STATUS_OK && can_open(&spec->segments)) {
		status = input_open(&spec->segments, &context, &segments, err);
		if (status == STATUS_OK)
			status = request_segments_from(task, segments, request->limits, err);
	}
	return status;
}

/* Elements of arrays that the task's answer can hold. */
static uint64_t room_for(const struct request *request, const struct task *task)
{
	bool in_file = request_job_of(task)->path != NULL;
	enum accept_form form = request->endpoint == ENDPOINT_BATCH
					? ACCEPT_JSON
					: accept_choose(request->accept, task->job.op_count == 1);

	return in_file || form != ACCEPT_JSON ? UINT64_MAX : request->limits->json_elements;
}

enum status request_add(struct request *request, struct job_spec *spec, struct error *err)
{
	struct task *task = make_task();
	struct request_job *job;
	struct error why = {0};
	enum status status;

	if (task == NULL) {
		job_spec_deinit(spec);
		return no_memory(err);
	}
	job = request_job_of(task);
	task->job = spec->job;
	task->upload = request->upload; /* of an array to be kept, whose only task it is */
	request->upload = NULL;
	spec->job.offsets = NULL;
	job->path = spec->output;
	spec->output = NULL;
	note_parts(job, spec);
	task->most_elements = room_for(request, task);
	status = open_sources(request, task, spec, &why);
	if (status == STATUS_OK && job->path != NULL)
		status = output_start(job, request->files, spec->overwrite, &why);
	job_spec_deinit(spec);
	if (status != STATUS_OK)
		task_refuse(task, &why);
	if (status != STATUS_OK && request->endpoint != ENDPOINT_BATCH) {
		request_task_error(task, err);
		task_destroy(task);
		return status;
	}
	return append(request, task, err);
}

enum status request_task_error(const struct task *task, struct error *err)
{
	if (err != NULL)
		*err = task->error;
	return task->error.status;
}

void request_task_output(const struct task *task, struct task_output *out)
{
	out->path = request_job_of(task)->path;
}
