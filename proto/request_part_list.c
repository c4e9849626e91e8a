#include "config.h"
#include "proto/request_part_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job has three places for a part: the array, `with`, `segments`. */
#define PARTS_PER_JOB 3

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the parts of a body");
}

size_t parts_count(const struct parts *parts)
{
	return parts->count;
}

void parts_destroy(struct parts *parts)
{
	size_t i;

	if (parts == NULL)
		return;
	for (i = 0; i < parts->count; i++) {
		free(parts->list[i].desc);
		free(parts->list[i].error);
	}
	free(parts->list);
	spool_destroy(parts->kept);
	free(parts->head.bytes);
	free(parts);
}

enum status part_describe(struct part *part, const struct array_desc *desc, struct error *err)
{
	part->desc = malloc(sizeof(*part->desc));
	if (part->desc == NULL)
		return no_memory(err);
	*part->desc = *desc;
	return STATUS_OK;
}

static enum status read_member(struct part *part, struct input *raw, const struct json_reader *r,
			       const char *key, const json_t *value)
{
	const char *text = "";
	enum status status;

	if (strcmp(key, "size") == 0)
		return json_read_unsigned(r, key, value, &part->size);
	if (strcmp(key, "shape") == 0) {
		raw->has_shape = true;
		return json_read_shape(r, value, &raw->ndim, raw->shape);
	}
	if (strcmp(key, "dtype") == 0) {
		part->typed = true;
		return json_read_dtype(r, key, value, &part->dtype);
	}
	if (strcmp(key, "format") != 0)
		return json_fail(r, STATUS_UNKNOWN_MEMBER, key, "a part has no such member");
	status = json_read_string(r, key, value, &text);
	if (status != STATUS_OK)
		return status;
	if (strcmp(text, "npy") != 0 && strcmp(text, "raw") != 0)
		return json_fail(r, STATUS_BAD_VALUE, key, "must be npy or raw");
	part->npy = text[0] == 'n';
	return STATUS_OK;
}

static enum status read_part(struct part *part, const struct json_reader *r, const json_t *value)
{
	struct input raw = {.kind = INPUT_PART, .at = r->at};
	struct array_desc desc;
	const char *key;
	json_t *member;
	enum status status = STATUS_OK;

	if (!json_is_object(value))
		return fail_at(r->err, STATUS_BAD_VALUE, r->at, "a part is told by an object");
	json_object_foreach((json_t *)value, key, member)
	{
		status = read_member(part, &raw, r, key, member);
		if (status != STATUS_OK)
			return status;
	}
	if (json_object_get(value, "size") == NULL)
		return json_fail(r, STATUS_BAD_JOB, "size",
				 "how many bytes the part has is missing");
	if (part->npy && raw.has_shape)
		return json_fail(r, STATUS_BAD_JOB, "shape", "has no meaning for npy");
	if (part->npy)
		return STATUS_OK;
	if (!part->typed)
		return json_fail(r, STATUS_BAD_JOB, "dtype", "raw elements need a dtype");
	raw.dtype = part->dtype;
	status = input_raw_desc(&raw, part->size, &desc, r->err);
	part->swap = input_raw_swap(&raw);
	return status == STATUS_OK ? part_describe(part, &desc, r->err) : status;
}

/* All sizes together are the body but for the job object. */
static enum status check_total(const struct request *request, const struct parts *parts,
			       struct error *err)
{
	uint64_t total = (uint64_t)request->job_length;
	size_t i;

	for (i = 0; i < parts->count; i++) {
		if (parts->list[i].size > (uint64_t)INT64_MAX - total)
			return fail_at(err, STATUS_BAD_SHAPE, "/parts",
				       "2^63 bytes or more in all");
		total += parts->list[i].size;
	}
	if (request->content_length >= 0 && total != (uint64_t)request->content_length)
		return fail_at(err, STATUS_BAD_SHAPE, "/parts",
			       "job object and parts are %llu bytes, the body has %lld",
			       (unsigned long long)total, (long long)request->content_length);
	return STATUS_OK;
}

static enum status read_list(const struct request *request, struct parts *parts, const json_t *list,
			     struct error *err)
{
	const struct job_context context = {.limits = request->limits};
	const size_t count = json_array_size(list);
	enum status status = STATUS_OK;
	size_t i;

	if (list != NULL && !json_is_array(list))
		return fail_at(err, STATUS_BAD_VALUE, "/parts", "must be a list of parts");
	if (count / PARTS_PER_JOB > request->limits->jobs)
		return fail_at(err, STATUS_TOO_LARGE, "/parts", "%zu parts; at most %llu are taken",
			       count, (unsigned long long)request->limits->jobs * PARTS_PER_JOB);
	parts->list = calloc(count + 1, sizeof(*parts->list));
	if (parts->list == NULL)
		return no_memory(err);
	parts->count = count;
	for (i = 0; i < count && status == STATUS_OK; i++) {
		char at[JSON_AT_SIZE];
		const struct json_reader r = {&context, err, at};

		snprintf(at, sizeof(at), "/parts/%zu", i);
		status = read_part(&parts->list[i], &r, json_array_get(list, i));
	}
	return status == STATUS_OK ? check_total(request, parts, err) : status;
}

enum status parts_create(struct request *request, const json_t *list, struct error *err)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	enum status status;

	if (parts == NULL)
		return no_memory(err);
	status = read_list(request, parts, list, err);
	if (status != STATUS_OK) {
		parts_destroy(parts);
		return status;
	}
	request->parts = parts;
	return STATUS_OK;
}
