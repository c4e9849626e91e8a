#include "config.h"
#include "proto/request_parts.h"

#include <string.h>

static enum status only_for_jobs(const struct request *request, struct error *err)
{
	if (request->endpoint == ENDPOINT_BATCH)
		return fail(err, STATUS_UNSUPPORTED_MEDIA_TYPE,
			    "a batch is JSON or application/vnd.foldd, not one array");
	if (request->endpoint == ENDPOINT_MERGE)
		return fail(err, STATUS_UNSUPPORTED_MEDIA_TYPE, "a merge is JSON, not an array");
	return STATUS_OK;
}

/* The job of the query string. */
static enum status read_query(const struct request *request, bool has_body, struct job_spec *out,
			      struct error *err)
{
	struct job_context context = {.limits = request->limits,
				      .kind = request_job_kind(request),
				      .array = request->endpoint == ENDPOINT_ARRAY,
				      .query = true,
				      .has_body = has_body};
	struct query query;
	struct query_job job;
	enum status status = query_init(&query, request->query_text, err);

	if (status != STATUS_OK)
		return status;
	status = query_job_init(&job, &query, err);
	query_deinit(&query);
	if (status != STATUS_OK)
		return status;
	context.body_format = request->kind == BODY_NPY ? FORMAT_NPY : FORMAT_RAW;
	context.spans = job.spans;
	context.span_count = job.span_count;
	status = job_json_read(out, job.object, &context, err);
	query_job_deinit(&job);
	return status;
}

/* Known early, a length is judged early. */
static enum status check_content_length(const struct request *request, struct error *err)
{
	const uint64_t length = (uint64_t)request->content_length;

	if (request->content_length < 0 || length - request->skip == request->expected)
		return STATUS_OK;
	return fail(err, STATUS_BAD_NPY,
		    "the header asks for %llu bytes of elements, the body has %lld",
		    (unsigned long long)request->expected,
		    (long long)request->content_length - (long long)request->skip);
}

static enum status begin(struct request *request, const struct array_desc *desc, bool swap,
			 struct error *err)
{
	struct task *task = request->tasks[0];

	request->begun = true;
	if (task_begin(request->engine, task, desc, swap) != STATUS_OK)
		return request_task_error(task, err);
	return STATUS_OK;
}

static enum status start_raw(struct request *request, struct error *err)
{
	const struct input *body = &request->body;
	uint64_t size = ARRAY_UNKNOWN, count;
	struct array_desc desc;
	enum status status;

	if (request->content_length >= 0) {
		if ((uint64_t)request->content_length < body->offset)
			return fail_at(err, STATUS_BAD_SHAPE, "/offset",
				       "the body ends at byte %lld, before the offset",
				       (long long)request->content_length);
		size = (uint64_t)request->content_length - body->offset;
	}
	status = input_raw_desc(body, size, &desc, err);
	if (status != STATUS_OK)
		return status;
	array_count(&desc, &count, NULL); /* fits: it was described */
	request->skip = body->offset;
	request->expected = count == ARRAY_UNKNOWN ? ARRAY_UNKNOWN : count * dtype_size(desc.dtype);
	return begin(request, &desc, input_raw_swap(body), err);
}

enum status array_start(struct request *request, struct error *err)
{
	struct job_spec spec;
	enum status status = only_for_jobs(request, err);

	if (status == STATUS_OK)
		status = read_query(request, true, &spec, err);
	if (status != STATUS_OK)
		return status;
	request->body = spec.x; /* a body owns nothing */
	status = request_add(request, &spec, err);
	if (status == STATUS_OK && request->kind == BODY_RAW)
		status = start_raw(request, err);
	return status;
}

/* Until the header is whole. */
static enum status feed_header(struct request *request, const char **bytes, size_t *size,
			       struct error *err)
{
	struct gathered *text = &request->text;
	struct npy_header header;
	uint64_t wanted = NPY_PREFIX_SIZE, count;
	enum status status = STATUS_OK;

	if (text->size >= NPY_PREFIX_SIZE)
		status = npy_header_size(text->bytes, text->size, &wanted, err);
	while (status == STATUS_OK && *size > 0 && text->size < wanted) {
		size_t piece = (size_t)(wanted - text->size);

		piece = *size < piece ? *size : piece;
		status = gather(text, *bytes, piece, UINT64_MAX, err);
		*bytes += piece;
		*size -= piece;
		if (status == STATUS_OK && text->size >= NPY_PREFIX_SIZE)
			status = npy_header_size(text->bytes, text->size, &wanted, err);
		if (status != STATUS_OK)
			return status;
	}
	if (text->size < wanted)
		return STATUS_OK;
	status = npy_header_parse(&header, text->bytes, text->size,
				  request->body.has_dtype ? &request->body.dtype : NULL, err);
	if (status != STATUS_OK)
		return status;
	array_count(&header.desc, &count, NULL); /* fits: it was parsed */
	request->skip = header.data_offset;
	request->expected = count * dtype_size(header.desc.dtype);
	status = check_content_length(request, err);
	return status == STATUS_OK ? begin(request, &header.desc, header.swap, err) : status;
}

static enum status too_long(const struct request *request, struct error *err)
{
	return fail(err, request->kind == BODY_NPY ? STATUS_BAD_NPY : STATUS_BAD_SHAPE,
		    "the body goes on after the %llu bytes of elements that were announced",
		    (unsigned long long)request->expected);
}

enum status array_feed(struct request *request, const char *bytes, size_t size, struct error *err)
{
	struct task *task = request->tasks[0];
	const uint64_t before = request->seen;
	enum status status;

	request->seen += size;
	if (request->kind == BODY_NPY && !request->begun) {
		status = feed_header(request, &bytes, &size, err);
		if (status != STATUS_OK)
			return status;
	} else if (before < request->skip) {
		const uint64_t skip = request->skip - before;

		bytes += skip < size ? skip : size;
		size -= skip < size ? (size_t)skip : size;
	}
	if (size == 0)
		return STATUS_OK;
	if (size > request->expected - request->pushed)
		return too_long(request, err);
	request->pushed += size;
	/* a task that failed is the answer at once when the length is known to
	 * be right, else when the body has ended and was */
	if (task_push(task, bytes, size) != STATUS_OK && request->content_length >= 0)
		return request_task_error(task, err);
	return STATUS_OK;
}

static enum status too_short(const struct request *request, struct error *err)
{
	return fail(err, request->kind == BODY_NPY ? STATUS_BAD_NPY : STATUS_BAD_SHAPE,
		    "the body ends after %llu of %llu bytes of elements",
		    (unsigned long long)request->pushed, (unsigned long long)request->expected);
}

enum status array_end(struct request *request, struct error *err)
{
	struct task *task = request->tasks[0];

	if (!request->begun)
		return fail(err, STATUS_BAD_NPY, "the .npy file ends inside its header");
	if (request->received < request->skip)
		return fail_at(err, STATUS_BAD_SHAPE, "/offset",
			       "the body ends at byte %llu, before the offset",
			       (unsigned long long)request->received);
	if (request->expected == ARRAY_UNKNOWN) {
		const size_t element = dtype_size(request->body.dtype);

		if (request->pushed % element != 0)
			return fail(err, STATUS_BAD_SHAPE,
				    "%llu bytes are no whole number of %s elements of %zu bytes",
				    (unsigned long long)request->pushed,
				    dtype_name(request->body.dtype), element);
	} else if (request->pushed != request->expected) {
		return too_short(request, err);
	}
	task_end(task);
	return STATUS_OK; /* how it went is in the task */
}

static bool query_names_source(const struct query *query)
{
	return query_has(query, "data") || query_has(query, "base64") || query_has(query, "file") ||
	       query_has(query, "files") || query_has(query, "array");
}

enum status query_only(struct request *request, struct error *err)
{
	struct job_spec spec;
	struct query query;
	bool source, typed;
	enum status status;

	if (request->query_text == NULL || request->endpoint == ENDPOINT_BATCH ||
	    request->endpoint == ENDPOINT_MERGE)
		return fail(err, STATUS_BAD_JSON, "the body is empty: there is no job object");
	status = query_init(&query, request->query_text, err);
	if (status != STATUS_OK)
		return status;
	source = query_names_source(&query);
	typed = query_has(&query, "dtype");
	query_deinit(&query);
	/* an empty array is an array */
	if (!source && typed && request->kind == BODY_UNDECIDED)
		request->kind = BODY_RAW;
	if (!source && (request->kind == BODY_RAW || request->kind == BODY_NPY)) {
		status = array_start(request, err);
		return status == STATUS_OK ? array_end(request, err) : status;
	}
	status = read_query(request, false, &spec, err);
	return status == STATUS_OK ? request_add(request, &spec, err) : status;
}
