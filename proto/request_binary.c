#include "config.h"
#include "proto/request_part_list.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of kept parts held in memory before they go to disk; chosen. */
#define MEMORY (UINT64_C(16) << 20)

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the parts of a body");
}

/* ---- which part goes where ---- */

static void use(struct parts *parts, uint64_t index)
{
	if (index != NO_PART)
		parts->list[index].uses++;
}

/* x can be pushed when nobody else wants its part, and what the job needs
 * besides has come before. */
static bool can_push(const struct parts *parts, const struct request_job *job)
{
	return job->x != NO_PART && parts->list[job->x].uses == 1 &&
	       (job->y == NO_PART || job->y < job->x) &&
	       (job->segments == NO_PART || job->segments < job->x);
}

static enum status assign(struct request *request, struct error *err)
{
	struct parts *parts = request->parts;
	struct spool_config config = {engine_spool_directory(request->engine), MEMORY,
				      request->limits->spool};
	uint64_t i, kept = 0;

	for (i = 0; i < request->count; i++) {
		const struct request_job *job = request_job_of(request->tasks[i]);

		if (request->tasks[i]->done)
			continue;
		use(parts, job->x);
		use(parts, job->y);
		use(parts, job->segments);
	}
	for (i = 0; i < request->count; i++) {
		struct request_job *job = request_job_of(request->tasks[i]);

		job->streamed = !request->tasks[i]->done && can_push(parts, job);
		if (job->streamed)
			parts->list[job->x].pusher = request->tasks[i];
	}
	for (i = 0; i < parts->count; i++) {
		if (parts->list[i].pusher == NULL && parts->list[i].uses > 0)
			kept += parts->list[i].size;
	}
	if (kept > request->limits->spool)
		return fail_at(err, STATUS_TOO_LARGE, "/parts",
			       "%llu bytes must be kept until they are needed; at most %llu are",
			       (unsigned long long)kept,
			       (unsigned long long)request->limits->spool);
	parts->kept = spool_create(&config);
	return parts->kept != NULL ? STATUS_OK : no_memory(err);
}

/* ---- a kept part as a source ---- */

static enum status check_dtype(const struct part *part, bool typed, enum dtype dtype,
			       const char *pointer, struct error *err)
{
	if (!typed || part->desc->dtype == dtype)
		return STATUS_OK;
	return fail_at(err, STATUS_BAD_DTYPE, pointer, "the part is %s, but the job says dtype %s",
		       dtype_name(part->desc->dtype), dtype_name(dtype));
}

static enum status part_error(const struct part *part, struct error *err)
{
	if (err != NULL)
		*err = *part->error;
	return part->error->status;
}

static enum status open_part(const struct parts *parts, uint64_t index, struct source **out,
			     struct error *err)
{
	const struct part *part = &parts->list[index];
	struct source *source;

	if (part->error != NULL)
		return part_error(part, err);
	source = source_from_spool(part->desc, parts->kept, part->kept_at, part->swap);
	if (source == NULL)
		return no_memory(err);
	*out = source;
	return STATUS_OK;
}

/* What a job needs of parts that have come, but for a pushed x. */
static enum status open_needs(struct request *request, struct request_job *job, struct error *err)
{
	struct task *task = job->task;
	struct parts *parts = request->parts;
	struct source *segments;
	enum status status = STATUS_OK;

	if (job->x != NO_PART && !job->streamed) {
		status = open_part(parts, job->x, &task->x, err);
		if (status == STATUS_OK)
			status = check_dtype(&parts->list[job->x], job->x_typed, job->x_dtype,
					     "/dtype", err);
	}
	if (status == STATUS_OK && job->y != NO_PART) {
		status = open_part(parts, job->y, &task->y, err);
		if (status == STATUS_OK)
			status = check_dtype(&parts->list[job->y], job->y_typed, job->y_dtype,
					     "/with/dtype", err);
	}
	if (status == STATUS_OK && job->segments != NO_PART) {
		status = open_part(parts, job->segments, &segments, err);
		if (status == STATUS_OK)
			status = request_segments_from(task, segments, request->limits, err);
	}
	return status;
}

/* A job's own failure: of a batch it is one entry. */
static enum status job_failed(const struct request *request, struct task *task,
			      const struct error *why, struct error *err)
{
	if (!task->done)
		task_refuse(task, why);
	return request->endpoint == ENDPOINT_BATCH ? STATUS_OK : request_task_error(task, err);
}

/* ---- arriving ---- */

static uint64_t elements_of(const struct part *part)
{
	uint64_t count;

	array_count(part->desc, &count, NULL); /* fits: it was described */
	return count * dtype_size(part->desc->dtype);
}

/* The description is known: begin the task, or remember where it is kept. */
static enum status open_current(struct request *request, struct error *err)
{
	struct parts *parts = request->parts;
	struct part *part = &parts->list[parts->current];
	struct task *task = part->pusher;
	struct error why = {0};
	enum status status;

	parts->open = true;
	part->kept_at = spool_size(parts->kept);
	if (task == NULL)
		return STATUS_OK;
	if (part->error != NULL)
		return job_failed(request, task, part->error, err);
	status = check_dtype(part, request_job_of(task)->x_typed, request_job_of(task)->x_dtype,
			     "/dtype", &why);
	if (status == STATUS_OK)
		status = open_needs(request, request_job_of(task), &why);
	if (status == STATUS_OK &&
	    task_begin(request->engine, task, part->desc, part->swap) != STATUS_OK)
		why = task->error;
	if (status == STATUS_OK && !task->done)
		return STATUS_OK;
	return job_failed(request, task, &why, err);
}

/* An npy part's header, from its whole bytes. */
static enum status read_header(struct part *part, const struct gathered *head, struct error *err)
{
	struct npy_header header;
	enum status status = npy_header_parse(&header, head->bytes, head->size,
					      part->typed ? &part->dtype : NULL, err);

	if (status == STATUS_OK)
		status = part_describe(part, &header.desc, err);
	if (status != STATUS_OK)
		return status;
	part->swap = header.swap;
	if (elements_of(part) != part->size - header.data_offset)
		return fail(err, STATUS_BAD_NPY,
			    "the header asks for %llu bytes of elements, the part has %llu",
			    (unsigned long long)elements_of(part),
			    (unsigned long long)(part->size - header.data_offset));
	return STATUS_OK;
}

/* More of the header; *done when it is whole or cannot be. */
static enum status gather_header(struct parts *parts, struct part *part, const char **bytes,
				 size_t *size, bool *done, struct error *err)
{
	struct gathered *head = &parts->head;
	uint64_t wanted = NPY_PREFIX_SIZE;
	enum status status = STATUS_OK;

	*done = false;
	if (head->size >= NPY_PREFIX_SIZE)
		status = npy_header_size(head->bytes, head->size, &wanted, err);
	while (status == STATUS_OK && *size > 0 && head->size < wanted) {
		size_t piece = (size_t)(wanted - head->size);

		piece = *size < piece ? *size : piece;
		status = gather(head, *bytes, piece, UINT64_MAX, err);
		*bytes += piece;
		*size -= piece;
		parts->arrived += piece;
		if (status == STATUS_OK && head->size >= NPY_PREFIX_SIZE)
			status = npy_header_size(head->bytes, head->size, &wanted, err);
		if (status == STATUS_OK && wanted > part->size)
			status = fail(err, STATUS_BAD_NPY, "part %zu ends inside its header",
				      parts->current);
	}
	*done = status != STATUS_OK || head->size >= wanted;
	return status;
}

static enum status feed_header(struct request *request, const char **bytes, size_t *size,
			       struct error *err)
{
	struct parts *parts = request->parts;
	struct part *part = &parts->list[parts->current];
	struct error why = {0};
	bool done;
	enum status status = STATUS_OK;

	if (part->size < NPY_PREFIX_SIZE) {
		done = true;
		status = fail(&why, STATUS_BAD_NPY, "part %zu ends inside its header",
			      parts->current);
	} else {
		status = gather_header(parts, part, bytes, size, &done, &why);
		if (status == STATUS_OK && done)
			status = read_header(part, &parts->head, &why);
	}
	if (!done)
		return STATUS_OK;
	parts->head.size = 0;
	if (status != STATUS_OK) {
		part->error = malloc(sizeof(*part->error));
		if (part->error == NULL)
			return no_memory(err);
		*part->error = why;
	}
	return open_current(request, err);
}

static enum status feed_elements(struct request *request, const char *bytes, size_t size,
				 struct error *err)
{
	struct parts *parts = request->parts;
	struct part *part = &parts->list[parts->current];

	parts->arrived += size;
	if (part->uses == 0 || part->error != NULL)
		return STATUS_OK;
	if (part->pusher == NULL)
		return spool_write(parts->kept, bytes, size, err);
	if (!part->pusher->done && task_push(part->pusher, bytes, size) != STATUS_OK &&
	    request->content_length >= 0)
		return job_failed(request, part->pusher, NULL, err);
	return STATUS_OK;
}

static void end_current(struct parts *parts)
{
	const struct part *part = &parts->list[parts->current];

	if (part->pusher != NULL && !part->pusher->done)
		task_end(part->pusher);
	parts->current++;
	parts->arrived = 0;
	parts->open = false;
}

/* All parts that end within these bytes; empty ones need none. */
static enum status feed_parts(struct request *request, const char *bytes, size_t size,
			      struct error *err)
{
	struct parts *parts = request->parts;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && parts->current < parts->count) {
		const struct part *part = &parts->list[parts->current];
		size_t piece = size;

		if (!parts->open && !part->npy) {
			status = open_current(request, err);
		} else if (!parts->open) {
			if (size == 0 && part->size >= NPY_PREFIX_SIZE)
				break;
			status = feed_header(request, &bytes, &size, err);
		} else if (parts->arrived == part->size) {
			end_current(parts);
		} else if (size == 0) {
			break;
		} else {
			if (piece > part->size - parts->arrived)
				piece = (size_t)(part->size - parts->arrived);
			status = feed_elements(request, bytes, piece, err);
			bytes += piece;
			size -= piece;
		}
	}
	if (status == STATUS_OK && size > 0)
		return fail_at(err, STATUS_BAD_SHAPE, "/parts",
			       "the body goes on after its %zu parts", parts->count);
	return status;
}

/* The job object is whole. */
static enum status start(struct request *request, struct error *err)
{
	enum status status =
		request_read_document(request, request->text.bytes, request->text.size, err);

	free(request->text.bytes);
	memset(&request->text, 0, sizeof(request->text));
	if (status == STATUS_OK && request->query_text != NULL)
		status = fail(err, STATUS_BAD_JOB,
			      "the body begins with a job object: the query string must be empty");
	if (status == STATUS_OK)
		status = assign(request, err);
	if (status == STATUS_OK)
		status = feed_parts(request, NULL, 0, err);
	return status;
}

enum status parts_feed(struct request *request, const char *bytes, size_t size, struct error *err)
{
	enum status status;

	if (request->parts == NULL) {
		size_t piece = (size_t)request->job_length - request->text.size;

		piece = size < piece ? size : piece;
		status = gather(&request->text, bytes, piece, request->limits->json, err);
		if (status == STATUS_OK && request->text.size == (uint64_t)request->job_length)
			status = start(request, err);
		if (status != STATUS_OK)
			return status;
		bytes += piece;
		size -= piece;
	}
	return size > 0 ? feed_parts(request, bytes, size, err) : STATUS_OK;
}

enum status parts_end(struct request *request, struct error *err)
{
	const struct parts *parts = request->parts;
	enum status status = STATUS_OK;
	uint64_t i;

	if (parts == NULL)
		return fail(err, STATUS_BAD_JSON,
			    "the body ends after %llu of %lld bytes of its job object",
			    (unsigned long long)request->received, (long long)request->job_length);
	if (parts->current < parts->count)
		return fail_at(err, STATUS_BAD_SHAPE, "/parts",
			       "the body ends in part %zu, after %llu of %llu bytes",
			       parts->current, (unsigned long long)parts->arrived,
			       (unsigned long long)parts->list[parts->current].size);
	for (i = 0; i < request->count && status == STATUS_OK; i++) {
		struct request_job *job = request_job_of(request->tasks[i]);
		struct error why = {0};

		if (job->task->done || job->streamed)
			continue;
		if (open_needs(request, job, &why) != STATUS_OK)
			status = job_failed(request, job->task, &why, err);
	}
	return status;
}
