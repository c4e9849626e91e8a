#include "config.h"
#include "proto/request_parts.h"

#include <stdlib.h>
#include <string.h>
#include "proto/accept.h"
#include "proto/job_source.h"
#include "proto/request_output.h"

#define FORM_TYPE "application/x-www-form-urlencoded"
#define BINARY_TYPE "application/octet-stream"
#define PARTS_TYPE "application/vnd.foldd"

/* ---- shared ---- */

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a request");
}

enum status gather(struct gathered *text, const void *bytes, size_t size, uint64_t limit,
		   struct error *err)
{
	if (size == 0)
		return STATUS_OK;
	if (size > limit || text->size > limit - size)
		return fail(err, STATUS_TOO_LARGE,
			    "a JSON body or job object has at most %llu bytes",
			    (unsigned long long)limit);
	if (text->capacity - text->size < size) {
		size_t capacity = text->size + size;
		char *grown;

		if (capacity < text->capacity * 2)
			capacity = text->capacity * 2;
		grown = realloc(text->bytes, capacity);
		if (grown == NULL)
			return no_memory(err);
		text->bytes = grown;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	return STATUS_OK;
}

enum job_kind request_job_kind(const struct request *request)
{
	return request->endpoint == ENDPOINT_SCAN ? JOB_SCAN : JOB_REDUCE;
}

enum status request_task_error(const struct task *task, struct error *err)
{
	if (err != NULL)
		*err = task->error;
	return task->error.status;
}

/* ---- tasks ---- */

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
	       input->kind == INPUT_FILES;
}

static enum status open_sources(const struct request *request, struct task *task,
				struct job_spec *spec, struct error *err)
{
	const struct input_context context = {request->files, request->limits, &task->job};
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

/* ---- the request ---- */

/* "type/subtype" without parameters equals name? */
static bool type_is(const char *type, const char *name)
{
	size_t size = strcspn(type, "; \t");

	return size == strlen(name) && strncasecmp(type, name, size) == 0;
}

static enum status kind_of_type(const char *type, enum body_kind *out, struct error *err)
{
	if (type != NULL)
		type += strspn(type, " \t");
	*out = BODY_UNDECIDED;
	if (type == NULL || type[0] == '\0' || type_is(type, FORM_TYPE) ||
	    type_is(type, BINARY_TYPE))
		return STATUS_OK;
	if (type_is(type, "application/json"))
		*out = BODY_JSON;
	else if (type_is(type, "application/x-npy"))
		*out = BODY_NPY;
	else if (type_is(type, PARTS_TYPE))
		*out = BODY_PARTS;
	else
		return fail(err, STATUS_UNSUPPORTED_MEDIA_TYPE,
			    "bodies are application/json, application/x-npy, "
			    "application/vnd.foldd or application/octet-stream, not %.100s",
			    type);
	return STATUS_OK;
}

static enum status check_length(const struct request *request, enum body_kind kind, uint64_t size,
				struct error *err)
{
	const struct limits *limits = request->limits;
	const uint64_t json = kind == BODY_PARTS && request->job_length >= 0
				      ? (uint64_t)request->job_length
			      : kind == BODY_JSON ? size
						  : 0;

	if (limits->body > 0 && size > limits->body)
		return fail(err, STATUS_TOO_LARGE, "a body has at most %llu bytes",
			    (unsigned long long)limits->body);
	if (json > limits->json)
		return fail(err, STATUS_TOO_LARGE,
			    "a JSON body or job object has at most %llu bytes",
			    (unsigned long long)limits->json);
	return STATUS_OK;
}

static enum status check_job_length(const struct request *request, struct error *err)
{
	if (request->kind == BODY_PARTS && request->job_length < 0)
		return fail(err, STATUS_BAD_JOB,
			    "a body of " PARTS_TYPE " needs the header Foldd-Job-Length");
	if (request->kind != BODY_PARTS && request->job_length >= 0)
		return fail(err, STATUS_BAD_JOB, "Foldd-Job-Length belongs to " PARTS_TYPE);
	if (request->job_length >= 0 && request->content_length >= 0 &&
	    request->job_length > request->content_length)
		return fail(err, STATUS_BAD_JOB,
			    "Foldd-Job-Length is %lld, but the body has %lld bytes",
			    (long long)request->job_length, (long long)request->content_length);
	return STATUS_OK;
}

static enum status start(struct request *request, const char *content_type, struct error *err)
{
	const uint64_t length = request->content_length > 0 ? (uint64_t)request->content_length : 0;
	enum status status = kind_of_type(content_type, &request->kind, err);

	if (status == STATUS_OK)
		status = check_length(request, request->kind, length, err);
	if (status == STATUS_OK)
		status = check_job_length(request, err);
	if (status == STATUS_OK && request->kind == BODY_NPY && request->content_length != 0)
		status = array_start(request, err);
	return status;
}

static enum status copy(char **out, const char *text, struct error *err)
{
	*out = strdup(text);
	return *out != NULL ? STATUS_OK : no_memory(err);
}

enum status request_create(const struct request_args *args, struct request **out, struct error *err)
{
	struct request *request = calloc(1, sizeof(*request));
	enum status status = STATUS_OK;

	if (request == NULL)
		return no_memory(err);
	request->engine = args->engine;
	request->limits = engine_limits(args->engine);
	request->files = args->files;
	request->endpoint = args->endpoint;
	request->content_length = args->content_length;
	request->job_length = args->job_length;
	if (args->query != NULL && args->query[0] != '\0')
		status = copy(&request->query_text, args->query, err);
	if (status == STATUS_OK && args->accept != NULL)
		status = copy(&request->accept, args->accept, err);
	if (status == STATUS_OK)
		status = start(request, args->content_type, err);
	if (status != STATUS_OK) {
		request_destroy(request);
		return status;
	}
	*out = request;
	return STATUS_OK;
}

void request_destroy(struct request *request)
{
	uint64_t i;

	if (request == NULL)
		return;
	for (i = 0; i < request->count; i++)
		task_destroy(request->tasks[i]);
	free(request->tasks);
	parts_destroy(request->parts);
	free(request->text.bytes);
	free(request->query_text);
	free(request->accept);
	free(request);
}

/* A raw body is told by the job's dtype, in the query string. */
static enum status has_dtype(const struct request *request, bool *out, struct error *err)
{
	struct query query;
	enum status status = query_init(&query, request->query_text, err);

	if (status != STATUS_OK)
		return status;
	*out = query_has(&query, "dtype");
	query_deinit(&query);
	return STATUS_OK;
}

/* The first bytes decide, when the content type did not. */
static enum status decide(struct request *request, const char *bytes, size_t size,
			  struct error *err)
{
	bool raw = false;
	enum status status;

	if (size >= NPY_MAGIC_SIZE && memcmp(bytes, NPY_MAGIC, NPY_MAGIC_SIZE) == 0) {
		request->kind = BODY_NPY;
		return array_start(request, err);
	}
	status = has_dtype(request, &raw, err);
	if (status != STATUS_OK)
		return status;
	request->kind = raw ? BODY_RAW : BODY_JSON;
	if (raw)
		return array_start(request, err);
	return check_length(request, BODY_JSON,
			    request->content_length > 0 ? (uint64_t)request->content_length : 0,
			    err);
}

static enum status feed_kind(struct request *request, const char *bytes, size_t size,
			     struct error *err)
{
	switch (request->kind) {
	case BODY_NPY:
	case BODY_RAW:
		return array_feed(request, bytes, size, err);
	case BODY_PARTS:
		return parts_feed(request, bytes, size, err);
	default:
		return gather(&request->text, bytes, size, request->limits->json, err);
	}
}

/* Sniff, then hand over what was kept for it. */
static enum status feed_undecided(struct request *request, bool last, struct error *err)
{
	struct gathered head = request->text;
	enum status status;

	if (head.size < NPY_MAGIC_SIZE && !last)
		return STATUS_OK;
	status = decide(request, head.bytes, head.size, err);
	if (status != STATUS_OK || request->kind == BODY_JSON)
		return status;
	memset(&request->text, 0, sizeof(request->text));
	status = feed_kind(request, head.bytes, head.size, err);
	free(head.bytes);
	return status;
}

enum status request_feed(struct request *request, const void *bytes, size_t size, struct error *err)
{
	const char *p = bytes;
	size_t head;
	enum status status;

	if (size == 0)
		return STATUS_OK;
	if (size > UINT64_MAX - request->received)
		return fail(err, STATUS_TOO_LARGE, "the body is too large");
	request->received += size;
	status = check_length(request, BODY_UNDECIDED, request->received, err);
	if (status != STATUS_OK)
		return status;
	if (request->kind == BODY_UNDECIDED) {
		head = NPY_MAGIC_SIZE - request->text.size;
		head = size < head ? size : head;
		status = gather(&request->text, p, head, UINT64_MAX, err);
		if (status == STATUS_OK)
			status = feed_undecided(request, false, err);
		if (status != STATUS_OK)
			return status;
		p += head;
		size -= head;
	}
	return size > 0 ? feed_kind(request, p, size, err) : STATUS_OK;
}

static enum status end_json(struct request *request, struct error *err)
{
	enum status status;

	if (request->query_text != NULL)
		return fail(err, STATUS_BAD_JOB,
			    "the body is read as a job object (raw elements need a dtype): the "
			    "query string must be empty then");
	status = request_read_document(request, request->text.bytes, request->text.size, err);
	free(request->text.bytes);
	memset(&request->text, 0, sizeof(request->text));
	return status;
}

enum status request_end(struct request *request, struct error *err)
{
	enum status status = STATUS_OK;

	if (request->received == 0 && request->kind != BODY_PARTS && request->count == 0)
		return query_only(request, err);
	if (request->kind == BODY_UNDECIDED)
		status = feed_undecided(request, true, err);
	if (status != STATUS_OK)
		return status;
	switch (request->kind) {
	case BODY_NPY:
	case BODY_RAW:
		return array_end(request, err);
	case BODY_PARTS:
		return parts_end(request, err);
	default:
		return end_json(request, err);
	}
}

struct task **request_tasks(const struct request *request, uint64_t *count)
{
	*count = request->count;
	return request->tasks;
}

bool request_is_batch(const struct request *request)
{
	return request->endpoint == ENDPOINT_BATCH;
}

void request_commit(struct request *request)
{
	uint64_t i;

	for (i = 0; i < request->count; i++) {
		if (request_job_of(request->tasks[i])->file != NULL)
			output_finish(request_job_of(request->tasks[i]));
	}
}

void request_task_output(const struct task *task, struct task_output *out)
{
	out->path = request_job_of(task)->path;
}
