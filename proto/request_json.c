#include "config.h"
#include "proto/request_parts.h"

#include <string.h>

/* A document being turned into tasks. */
struct document {
	struct request *request;
	struct json_cut cut;
	json_t *root;
	struct job_context context;
	struct error parts_error;
	bool refused; /* some job of a batch */
};

/* Errors of one job's own: the others of its batch go on. */
static bool is_whole(enum status status)
{
	return status == STATUS_BAD_JSON || status == STATUS_OUT_OF_MEMORY;
}

static enum status add_entry(struct document *d, const json_t *entry, struct error *err)
{
	struct error why = {0};
	struct job_spec spec;
	enum status status = job_json_read(&spec, entry, &d->context, &why);

	if (status == STATUS_OK)
		return request_add(d->request, &spec, err);
	if (is_whole(status)) {
		if (err != NULL)
			*err = why;
		return status;
	}
	d->refused = true;
	return request_add_refused(d->request, &why, err);
}

static enum status add_entries(struct document *d, const json_t *jobs, struct error *err)
{
	enum status status = STATUS_OK;
	size_t i;

	if (!json_is_array(jobs))
		return fail_at(err, STATUS_BAD_VALUE, "/jobs", "must be a list of jobs");
	if (json_array_size(jobs) > d->request->limits->jobs)
		return fail_at(err, STATUS_TOO_LARGE, "/jobs", "%zu jobs; a batch has at most %llu",
			       json_array_size(jobs), (unsigned long long)d->request->limits->jobs);
	for (i = 0; i < json_array_size(jobs) && status == STATUS_OK; i++)
		status = add_entry(d, json_array_get(jobs, i), err);
	return status;
}

static enum status parts_fail(const struct document *d, struct error *err)
{
	if (err != NULL)
		*err = d->parts_error;
	return d->parts_error.status;
}

static enum status read_batch(struct document *d, struct error *err)
{
	const struct json_reader r = {&d->context, err, ""};
	const char *key;
	json_t *value;

	if (!json_is_object(d->root))
		return fail_at(err, STATUS_BAD_JOB, "", "a batch is an object with `jobs`");
	json_object_foreach(d->root, key, value)
	{
		const bool parts = strcmp(key, "parts") == 0;

		if (parts && !d->context.parts_known && d->context.parts_error == NULL)
			return json_fail(&r, STATUS_BAD_JOB, key,
					 "parts belong to bodies of application/vnd.foldd");
		if (parts && d->context.parts_error != NULL)
			return parts_fail(d, err);
		if (!parts && strcmp(key, "jobs") != 0)
			return json_fail(&r, STATUS_UNKNOWN_MEMBER, key,
					 "a batch has no such member");
	}
	value = json_object_get(d->root, "jobs");
	if (value == NULL)
		return json_fail(&r, STATUS_BAD_JOB, "jobs", "there is no list of jobs");
	return add_entries(d, value, err);
}

static enum status read_single(struct document *d, struct error *err)
{
	struct job_spec spec;
	enum status status = job_json_read(&spec, d->root, &d->context, err);

	return status == STATUS_OK ? request_add(d->request, &spec, err) : status;
}

/* The list of parts, looked at before its turn: the jobs name parts by number. */
static void read_parts(struct document *d)
{
	const json_t *list = json_object_get(d->root, "parts");
	enum status status = parts_create(d->request, list, &d->parts_error);

	if (status == STATUS_OK)
		d->context.part_count = parts_count(d->request->parts);
	else
		d->context.parts_error = &d->parts_error;
	d->context.parts_known = status == STATUS_OK || list == NULL;
}

static enum status read_root(struct document *d, struct error *err)
{
	const struct request *request = d->request;
	const bool batch = request->endpoint == ENDPOINT_BATCH;
	enum status status;

	if (request->endpoint == ENDPOINT_MERGE)
		return request_read_merge(d->request, d->root, d->cut.spans, err);
	d->context.limits = request->limits;
	d->context.spans = d->cut.spans;
	d->context.span_count = d->cut.count;
	d->context.kind = request_job_kind(request);
	d->context.kind_in_job = batch;
	d->context.array = request->endpoint == ENDPOINT_ARRAY;
	d->context.parts_here = request->kind == BODY_PARTS && !batch;
	if (request->kind == BODY_PARTS)
		read_parts(d);
	status = batch ? read_batch(d, err) : read_single(d, err);
	/* without the member there was no turn: the body is too long */
	if (status == STATUS_OK && d->context.parts_error != NULL)
		return parts_fail(d, err);
	return status;
}

enum status request_read_document(struct request *request, const char *text, size_t size,
				  struct error *err)
{
	struct document d = {.request = request};
	const enum json_document document = request->endpoint == ENDPOINT_BATCH   ? JSON_BATCH
					    : request->endpoint == ENDPOINT_MERGE ? JSON_MERGE
										  : JSON_JOB;
	enum status status, verified;

	/* nothing was gathered of an empty one */
	status = json_cut_init(&d.cut, size > 0 ? text : "", size, document,
			       (unsigned)request->limits->depth, err);
	if (status != STATUS_OK)
		return status;
	status = json_cut_parse(&d.cut, &d.root, err);
	if (status == STATUS_OK)
		status = read_root(&d, err);
	if (d.root != NULL && (d.refused || (status != STATUS_OK && !is_whole(status)))) {
		verified = json_cut_verify(&d.cut, err);
		status = verified != STATUS_OK ? verified : status;
	}
	json_decref(d.root);
	json_cut_deinit(&d.cut);
	return status;
}
