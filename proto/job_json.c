#include "config.h"
#include "proto/job_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/job_source.h"
#include "proto/member.h"

/* The index of a string among count names. */
static enum status read_choice(const struct json_reader *r, const char *name, const json_t *value,
			       const char *const *names, unsigned count, unsigned *out)
{
	const char *text = "";
	char list[128] = "";
	unsigned i;
	enum status status = json_read_string(r, name, value, &text);

	if (status != STATUS_OK)
		return status;
	for (i = 0; i < count; i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return STATUS_OK;
		}
		strcat(strcat(list, i == 0 ? "" : i + 1 < count ? ", " : " or "), names[i]);
	}
	return json_fail(r, STATUS_BAD_VALUE, name, "must be %s", list);
}

#define CHOICES(...)                        \
	(const char *const[]){__VA_ARGS__}, \
		(unsigned)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static enum status add_op(struct job *job, const struct json_reader *r, const char *name,
			  const json_t *value)
{
	struct error why = {0};
	const char *text = "";
	enum status status = json_read_string(r, name, value, &text);

	if (status != STATUS_OK)
		return status;
	status = op_parse(text, &job->ops[job->op_count].spec, &why);
	if (status != STATUS_OK)
		return json_fail(r, status, name, "%s", why.text);
	job->op_count++;
	return STATUS_OK;
}

static enum status read_op(struct job *job, const struct json_reader *r, const json_t *value)
{
	char at[JSON_AT_SIZE], element[24];
	struct json_reader inner = json_enter(r, "op", at);
	size_t count = json_array_size(value), i;
	enum status status = STATUS_OK;

	if (!json_is_array(value))
		return add_op(job, r, "op", value);
	if (count == 0 || count > JOB_MAX_OPS)
		return json_fail(r, STATUS_BAD_VALUE, "op",
				 "a list of operations has 1 to %u of them", JOB_MAX_OPS);
	for (i = 0; i < count && status == STATUS_OK; i++) {
		snprintf(element, sizeof(element), "%zu", i);
		status = add_op(job, &inner, element, json_array_get(value, i));
	}
	return status;
}

static enum status read_kind(struct job *job, const struct json_reader *r, const json_t *value)
{
	unsigned kind = 0;
	enum status status;

	if (!r->context->kind_in_job)
		return json_fail(r, STATUS_BAD_JOB, "kind", "the path says what kind of job it is");
	status = read_choice(r, "kind", value, CHOICES("reduce", "scan"), &kind);
	job->kind = kind == 0 ? JOB_REDUCE : JOB_SCAN;
	return status;
}

static enum status add_axis(struct job *job, const struct json_reader *r, const char *name,
			    const json_t *value)
{
	if (!json_is_integer(value))
		return json_fail(r, STATUS_BAD_VALUE, name, "must be an integer");
	job->axes[job->axis_count++] = json_integer_value(value);
	return STATUS_OK;
}

static enum status read_axis(struct job *job, const struct json_reader *r, const json_t *value)
{
	char at[JSON_AT_SIZE], element[24];
	struct json_reader inner = json_enter(r, "axis", at);
	enum status status = STATUS_OK;
	size_t i;

	job->has_axis = true;
	if (!json_is_array(value))
		return add_axis(job, r, "axis", value);
	if (json_array_size(value) > ARRAY_MAX_NDIM)
		return json_fail(r, STATUS_BAD_VALUE, "axis", "an array has at most %u axes",
				 ARRAY_MAX_NDIM);
	for (i = 0; i < json_array_size(value) && status == STATUS_OK; i++) {
		snprintf(element, sizeof(element), "%zu", i);
		status = add_axis(job, &inner, element, json_array_get(value, i));
	}
	return status;
}

static enum status read_backend(struct job *job, const struct json_reader *r, const json_t *value)
{
	const char *text = "";
	unsigned long device;
	char *end;
	enum status status = json_read_string(r, "backend", value, &text);

	if (status != STATUS_OK)
		return status;
	if (strcmp(text, "auto") == 0) {
		job->backend = BACKEND_AUTO;
	} else if (strcmp(text, "cpu") == 0) {
		job->backend = BACKEND_CPU;
	} else if (strcmp(text, "cuda") == 0) {
		job->backend = BACKEND_CUDA;
	} else if (strncmp(text, "cuda:", 5) == 0 && text[5] >= '0' && text[5] <= '9' &&
		   strlen(text) <= 9) {
		device = strtoul(text + 5, &end, 10);
		if (*end != '\0')
			return json_fail(r, STATUS_BAD_VALUE, "backend", "must be cuda:NUMBER");
		job->backend = BACKEND_CUDA;
		job->has_device = true;
		job->device = (unsigned)device;
	} else {
		return json_fail(r, STATUS_BAD_VALUE, "backend",
				 "must be auto, cpu, cuda or cuda:NUMBER");
	}
	return STATUS_OK;
}

static enum status read_output(struct job_spec *spec, const struct json_reader *r,
			       const json_t *value)
{
	char at[JSON_AT_SIZE];
	struct json_reader inner = json_enter(r, "output", at);
	const char *path = NULL, *key;
	json_t *member_value;
	enum status status = STATUS_OK;

	if (r->context->query) {
		status = json_read_string(r, "output", value, &path);
	} else if (!json_is_object(value)) {
		status = json_fail(r, STATUS_BAD_VALUE, "output", "must be an object with `file`");
	} else {
		json_object_foreach((json_t *)value, key, member_value)
		{
			if (strcmp(key, "file") == 0)
				status = json_read_string(&inner, key, member_value, &path);
			else if (strcmp(key, "overwrite") == 0)
				status =
					json_read_bool(&inner, key, member_value, &spec->overwrite);
			else
				status = json_fail(&inner, STATUS_UNKNOWN_MEMBER, key,
						   "`output` has no such member");
			if (status != STATUS_OK)
				break;
		}
	}
	if (status != STATUS_OK)
		return status;
	if (path == NULL || path[0] == '\0')
		return json_fail(r, path == NULL ? STATUS_BAD_JOB : STATUS_BAD_VALUE, "output",
				 "names no file");
	spec->output = strdup(path);
	return spec->output != NULL ? STATUS_OK
				    : fail(r->err, STATUS_OUT_OF_MEMORY, "no memory for a job");
}

/* A type, or an object of types by operation: the names of these are looked up
 * when all members have been read. */
static enum status read_out_dtype(const struct json_reader *r, const json_t *value)
{
	char at[JSON_AT_SIZE];
	struct json_reader inner = json_enter(r, "out_dtype", at);
	enum dtype dtype;
	enum status status = STATUS_OK;
	const char *key;
	json_t *name;

	if (!json_is_object(value))
		return json_read_dtype(r, "out_dtype", value, &dtype);
	json_object_foreach((json_t *)value, key, name)
	{
		status = json_read_dtype(&inner, key, name, &dtype);
		if (status != STATUS_OK)
			break;
	}
	return status;
}

static enum status use_out_dtype(struct job *job, const struct json_reader *r, const json_t *value)
{
	char at[JSON_AT_SIZE];
	struct json_reader inner = json_enter(r, "out_dtype", at);
	const char *key;
	json_t *name;
	unsigned i;

	if (!json_is_object(value)) {
		for (i = 0; i < job->op_count; i++) {
			job->ops[i].has_out_dtype = true;
			dtype_from_name(json_string_value(value), &job->ops[i].out_dtype);
		}
		return STATUS_OK;
	}
	json_object_foreach((json_t *)value, key, name)
	{
		for (i = 0; i < job->op_count; i++) {
			if (strcmp(job->ops[i].spec.key, key) == 0)
				break;
		}
		if (i == job->op_count)
			return json_fail(&inner, STATUS_BAD_JOB, key,
					 "this operation is not asked for");
		job->ops[i].has_out_dtype = true;
		dtype_from_name(json_string_value(name), &job->ops[i].out_dtype);
	}
	return STATUS_OK;
}

static enum status read_timeout(struct job *job, const struct json_reader *r, const json_t *value)
{
	enum status status = json_read_unsigned(r, "timeout_ms", value, &job->timeout_ms);

	if (status == STATUS_OK && job->timeout_ms == 0)
		return json_fail(r, STATUS_BAD_VALUE, "timeout_ms", "must be 1 at least");
	return status;
}

/* Members whose value is one of a few words. */
static enum status read_rule(struct job *job, const struct json_reader *r, enum member member,
			     const json_t *value)
{
	const char *name = member_info(member)->name;
	unsigned choice = 0;
	enum status status;

	if (member == MEMBER_DETERMINISM) {
		status = read_choice(r, name, value, CHOICES("none", "ordered", "exact"), &choice);
		job->determinism = (enum determinism)choice;
	} else if (member == MEMBER_NAN) {
		status =
			read_choice(r, name, value, CHOICES("propagate", "omit", "error"), &choice);
		job->nan = (enum nan_rule)choice;
		job->given.nan = true;
	} else if (member == MEMBER_OVERFLOW) {
		status = read_choice(r, name, value, CHOICES("error", "wrap", "saturate"), &choice);
		job->overflow = (enum overflow_rule)choice;
		job->given.overflow = true;
	} else if (member == MEMBER_CACHE) {
		status = read_choice(r, name, value, CHOICES("use", "refresh", "no"), &choice);
		job->cache = (enum cache_rule)choice;
	} else { /* MEMBER_EMPTY */
		status = read_choice(r, name, value, CHOICES("error", "null"), &choice);
		job->empty_null = choice == 1;
		job->given.empty = true;
	}
	return status;
}

static enum status read_member(struct job_spec *spec, const struct json_reader *r,
			       enum member member, const json_t *value, const enum dtype *dtype)
{
	struct job *job = &spec->job;

	switch (member) {
	case MEMBER_OP:
		return read_op(job, r, value);
	case MEMBER_KIND:
		return read_kind(job, r, value);
	case MEMBER_WITH:
		return with_read(&spec->y, r, value, dtype);
	case MEMBER_SEGMENTS:
		return segments_read(spec, r, value);
	case MEMBER_AXIS:
		return read_axis(job, r, value);
	case MEMBER_KEEPDIMS:
		job->given.keepdims = true;
		return json_read_bool(r, "keepdims", value, &job->keepdims);
	case MEMBER_EXCLUSIVE:
		job->given.exclusive = true;
		return json_read_bool(r, "exclusive", value, &job->exclusive);
	case MEMBER_INDEX_BASE:
		job->given.index_base = true;
		return json_read_unsigned(r, "index_base", value, &job->index_base);
	case MEMBER_DDOF:
		job->given.ddof = true;
		return json_read_unsigned(r, "ddof", value, &job->ddof);
	case MEMBER_DETERMINISM:
	case MEMBER_NAN:
	case MEMBER_OVERFLOW:
	case MEMBER_EMPTY:
	case MEMBER_CACHE:
		return read_rule(job, r, member, value);
	case MEMBER_OUT_DTYPE:
		return read_out_dtype(r, value);
	case MEMBER_BACKEND:
		return read_backend(job, r, value);
	case MEMBER_BITS:
		return json_read_bool(r, "bits", value, &job->bits);
	case MEMBER_PARTIAL:
		return json_read_bool(r, "partial", value, &job->partial);
	case MEMBER_OUTPUT:
		return read_output(spec, r, value);
	case MEMBER_TIMEOUT_MS:
		return read_timeout(job, r, value);
	default:
		return source_member_read(&spec->x, r, member, value, dtype);
	}
}

static enum status parts_turn(const struct json_reader *r)
{
	if (!r->context->parts_here)
		return json_fail(
			r, STATUS_BAD_JOB, "parts",
			"parts belong to bodies of application/vnd.foldd, beside the jobs");
	if (r->context->parts_error != NULL) {
		if (r->err != NULL)
			*r->err = *r->context->parts_error;
		return r->context->parts_error->status;
	}
	return STATUS_OK;
}

static enum status read_members(struct job_spec *spec, const struct json_reader *r,
				const json_t *object)
{
	const json_t *name = json_object_get(object, "dtype");
	enum dtype dtype_value;
	const bool typed =
		json_is_string(name) && dtype_from_name(json_string_value(name), &dtype_value);
	const char *key;
	json_t *value;
	enum status status = STATUS_OK;

	json_object_foreach((json_t *)object, key, value)
	{
		enum member member;

		if (!member_from_name(key, &member) || !(member_info(member)->places & IN_JOB))
			return json_fail(r, STATUS_UNKNOWN_MEMBER, key, "a job has no such member");
		if (r->context->array && !(member_info(member)->places & IN_WITH) &&
		    member != MEMBER_PARTS)
			return json_fail(r, STATUS_BAD_JOB, key, "has no meaning for an array");
		if (!member_info(member)->served)
			return json_fail(r, STATUS_NOT_IMPLEMENTED, key,
					 "%s is not served by this build", key);
		status = member == MEMBER_PARTS
				 ? parts_turn(r)
				 : read_member(spec, r, member, value, typed ? &dtype_value : NULL);
		if (status != STATUS_OK)
			break;
	}
	return status;
}

/* What takes all members to judge. */
static enum status check(struct job_spec *spec, const struct json_reader *r, const json_t *object)
{
	const json_t *out_dtype = json_object_get(object, "out_dtype");
	const struct job *job = &spec->job;
	enum status status;

	if (r->context->array)
		return source_check(&spec->x, r, true);
	if (job->op_count == 0)
		return json_fail(r, STATUS_BAD_JOB, "op", "there is no operation");
	if (r->context->kind_in_job && json_object_get(object, "kind") == NULL)
		return json_fail(r, STATUS_BAD_JOB, "kind", "must say reduce or scan");
	if (job->kind == JOB_SCAN && job->op_count > 1)
		return json_fail(r, STATUS_BAD_JOB, "op", "a scan has one operation");
	if (spec->output != NULL && job->op_count > 1)
		return json_fail(r, STATUS_BAD_JOB, "output",
				 "a file takes the result of one operation");
	status = source_check(&spec->x, r, true);
	if (status == STATUS_OK && json_object_get(object, "cache") != NULL &&
	    spec->x.kind != INPUT_FILES && spec->y.kind != INPUT_FILES)
		status = json_fail(r, STATUS_BAD_JOB, "cache", "has no meaning without a file");
	if (status != STATUS_OK || out_dtype == NULL)
		return status;
	return use_out_dtype(&spec->job, r, out_dtype);
}

/* In a query string a pointer is "/NAME", whatever the element. */
static void cut_pointer(struct error *err)
{
	char *element = err != NULL && err->has_pointer && err->pointer[0] != '\0'
				? strchr(err->pointer + 1, '/')
				: NULL;

	if (element != NULL)
		*element = '\0';
}

enum status job_json_read(struct job_spec *out, const json_t *object,
			  const struct job_context *context, struct error *err)
{
	const struct json_reader r = {context, err, ""};
	enum status status;

	memset(out, 0, sizeof(*out));
	out->x.at = out->y.at = out->segments.at = "";
	out->job.determinism = DETERMINISM_ORDERED;
	out->job.kind = context->kind;
	out->job.has_axis = context->array; /* its shape matters */
	if (context->has_body) {
		out->x.kind = INPUT_BODY;
		out->x.format = context->body_format;
	}
	if (!json_is_object(object))
		return fail_at(err, STATUS_BAD_JOB, "", "a job is a JSON object");
	status = read_members(out, &r, object);
	if (status == STATUS_OK)
		status = check(out, &r, object);
	if (status != STATUS_OK) {
		job_spec_deinit(out);
		if (context->query)
			cut_pointer(err);
	}
	return status;
}

void job_spec_deinit(struct job_spec *spec)
{
	input_deinit(&spec->x);
	input_deinit(&spec->y);
	input_deinit(&spec->segments);
	free(spec->job.offsets);
	free(spec->output);
	memset(spec, 0, sizeof(*spec));
}
