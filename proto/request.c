#include "config.h"
#include "proto/request_parts.h"

#include <stdlib.h>
#include <string.h>
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

static enum status start(struct request *request, const struct request_args *args,
			 struct error *err)
{
	const uint64_t length = request->content_length > 0 ? (uint64_t)request->content_length : 0;
	enum status status = kind_of_type(args->content_type, &request->kind, err);

	if (status == STATUS_OK && request->kind == BODY_PARTS &&
	    request->endpoint == ENDPOINT_MERGE)
		status = fail(err, STATUS_UNSUPPORTED_MEDIA_TYPE,
			      "a merge is JSON, not " PARTS_TYPE);
	if (status == STATUS_OK)
		status = check_length(request, request->kind, length, err);
	if (status == STATUS_OK && request->endpoint == ENDPOINT_ARRAY)
		status = store_start(request, args, err);
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
		status = start(request, args, err);
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
	store_deinit(request);
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

	if (request->query_text != NULL && request->endpoint == ENDPOINT_MERGE)
		return fail(
			err, STATUS_BAD_JOB,
			"a merge takes its members in the body: the query string must be empty");
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
		store_commit(request, request->tasks[i]);
	}
}
