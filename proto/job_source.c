#include "config.h"
#include "proto/job_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/base64.h"

static enum status no_memory(const struct json_reader *r)
{
	return fail(r->err, STATUS_OUT_OF_MEMORY, "no memory for a job");
}

static const char *kind_name(enum input_kind kind)
{
	static const char *const names[] = {"nothing",       "the body", "data", "base64",
					    "file or files", "part",     "array"};

	return names[kind];
}

/* A second source, or one beside the body? */
static enum status claim(struct input *input, const struct json_reader *r, enum member member,
			 enum input_kind kind)
{
	const char *name = member_info(member)->name;

	if (input->kind == INPUT_BODY)
		return json_fail(r, STATUS_BAD_JOB, name,
				 "the array is the body: there can be no other source");
	if (input->kind != INPUT_NONE)
		return json_fail(r, STATUS_BAD_JOB, name,
				 "one source is enough: there is %s already",
				 kind_name(input->kind));
	input->kind = kind;
	return STATUS_OK;
}

/* The span that stands for a number array. */
static struct json_span *span_of(const struct json_reader *r, const json_t *value)
{
	json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;

	if (index < 0 || (size_t)index >= r->context->span_count)
		return NULL;
	return &r->context->spans[index];
}

static enum status read_numbers(struct numbers *out, const struct json_reader *r, const char *name,
				const json_t *value, const enum dtype *dtype)
{
	struct json_span *span = span_of(r, value);
	const uint64_t depth = r->context->limits->depth;
	char pointer[64];
	char *end = stpncpy(pointer, r->at, 31);
	enum status status;

	if (span == NULL)
		return json_fail(r, STATUS_BAD_VALUE, name,
				 "must be numbers, or nested arrays of them");
	*end++ = '/';
	strcpy(end, name);
	status = numbers_read(out, span->text, span->size, dtype,
			      depth < ARRAY_MAX_NDIM ? (unsigned)depth : ARRAY_MAX_NDIM, pointer,
			      r->err);
	span->read = status == STATUS_OK;
	if (status == STATUS_BAD_JSON && r->context->query)
		return json_fail(r, STATUS_BAD_VALUE, name, "must be numbers parted by commas");
	return status;
}

static enum status add_path(struct input *input, const struct json_reader *r, const char *name,
			    const json_t *value)
{
	const char *text = "";
	enum status status = json_read_string(r, name, value, &text);

	if (status != STATUS_OK)
		return status;
	if (text[0] == '\0')
		return json_fail(r, STATUS_BAD_VALUE, name, "a path cannot be empty");
	input->paths[input->path_count] = strdup(text);
	if (input->paths[input->path_count] == NULL)
		return no_memory(r);
	input->path_count++;
	return STATUS_OK;
}

static enum status read_paths(struct input *input, const struct json_reader *r, enum member member,
			      const json_t *value)
{
	const char *name = member_info(member)->name;
	const bool list = member == MEMBER_FILES && json_is_array(value);
	size_t count = list ? json_array_size(value) : 1, i;
	char at[JSON_AT_SIZE];
	struct json_reader inner = json_enter(r, name, at);
	enum status status = claim(input, r, member, INPUT_FILES);

	if (status != STATUS_OK)
		return status;
	if (count == 0)
		return json_fail(r, STATUS_BAD_VALUE, name, "no file is named");
	input->globs = member == MEMBER_FILES;
	input->paths = calloc(count, sizeof(*input->paths));
	if (input->paths == NULL)
		return no_memory(r);
	for (i = 0; i < count && status == STATUS_OK; i++) {
		char element[24];

		snprintf(element, sizeof(element), "%zu", i);
		status = list ? add_path(input, &inner, element, json_array_get(value, i))
			      : add_path(input, r, name, value);
	}
	return status;
}

static enum status read_part(struct input *input, const struct json_reader *r, const json_t *value)
{
	enum status status = claim(input, r, MEMBER_PART, INPUT_PART);

	if (status == STATUS_OK)
		status = json_read_unsigned(r, "part", value, &input->part);
	if (status != STATUS_OK)
		return status;
	if (r->context->parts_known && input->part >= r->context->part_count)
		return json_fail(r, STATUS_BAD_VALUE, "part", "there are %zu parts, counted from 0",
				 r->context->part_count);
	if (!r->context->parts_known && r->context->parts_error == NULL)
		return json_fail(r, STATUS_BAD_JOB, "part",
				 "parts belong to bodies of application/vnd.foldd");
	return STATUS_OK;
}

static enum status read_array(struct input *input, const struct json_reader *r, const json_t *value)
{
	struct error why = {0};
	const char *text = "";
	enum status status = claim(input, r, MEMBER_ARRAY, INPUT_ARRAY);

	if (status == STATUS_OK)
		status = json_read_string(r, "array", value, &text);
	if (status != STATUS_OK)
		return status;
	status = arrays_check_name(text, &why);
	if (status != STATUS_OK)
		return json_fail(r, status, "array", "%s", why.text);
	input->array = strdup(text);
	return input->array != NULL ? STATUS_OK : no_memory(r);
}

static enum status read_slice(struct input *input, const struct json_reader *r, const json_t *value)
{
	json_int_t bound;

	if (!json_is_array(value) || json_array_size(value) != 2)
		return json_fail(r, STATUS_BAD_VALUE, "slice",
				 "must be a list of two: the first index, and the one after the "
				 "last");
	for (size_t i = 0; i < 2; i++) {
		const json_t *item = json_array_get(value, i);

		bound = json_is_integer(item) ? json_integer_value(item) : -1;
		if (bound < 0)
			return json_fail(r, STATUS_BAD_VALUE, "slice",
					 "indices are integers from 0 on");
		input->slice[i] = (uint64_t)bound;
	}
	input->has_slice = true;
	return STATUS_OK;
}

static enum status read_base64(struct input *input, const struct json_reader *r,
			       const json_t *value)
{
	char pointer[64];
	const char *text = "";
	enum status status = claim(input, r, MEMBER_BASE64, INPUT_BASE64);

	if (status == STATUS_OK)
		status = json_read_string(r, "base64", value, &text);
	if (status != STATUS_OK)
		return status;
	strcpy(stpncpy(pointer, r->at, 31), "/base64");
	return base64_decode(text, json_string_length(value), pointer, &input->bytes,
			     &input->bytes_size, r->err);
}

static enum status read_format(struct input *input, const struct json_reader *r,
			       const json_t *value)
{
	static const char *const later[] = {"npz", "csv", "hdf5"};
	enum input_format format;
	const char *text = "";
	size_t i;
	enum status status = json_read_string(r, "format", value, &text);

	if (status != STATUS_OK)
		return status;
	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		if (strcmp(text, later[i]) == 0)
			return json_fail(r, STATUS_NOT_IMPLEMENTED, "format",
					 "format %s is not served by this build", text);
	}
	if (strcmp(text, "npy") != 0 && strcmp(text, "raw") != 0)
		return json_fail(r, STATUS_BAD_VALUE, "format", "must be npy or raw");
	format = text[0] == 'n' ? FORMAT_NPY : FORMAT_RAW;
	if (input->kind == INPUT_BODY && input->format != format)
		return json_fail(r, STATUS_BAD_JOB, "format", "the body is %s",
				 format == FORMAT_NPY ? "raw elements" : "a .npy file");
	input->format = format;
	return STATUS_OK;
}

static enum status read_byteorder(struct input *input, const struct json_reader *r,
				  const json_t *value)
{
	const char *text = "";
	enum status status = json_read_string(r, "byteorder", value, &text);

	if (status != STATUS_OK)
		return status;
	if (strcmp(text, "little") != 0 && strcmp(text, "big") != 0)
		return json_fail(r, STATUS_BAD_VALUE, "byteorder", "must be little or big");
	input->big_endian = text[0] == 'b';
	input->has_byteorder = true;
	return STATUS_OK;
}

enum status source_member_read(struct input *input, const struct json_reader *r, enum member member,
			       const json_t *value, const enum dtype *dtype)
{
	enum status status;

	switch (member) {
	case MEMBER_DATA:
		status = claim(input, r, member, INPUT_DATA);
		return status == STATUS_OK ? read_numbers(&input->data, r, "data", value, dtype)
					   : status;
	case MEMBER_BASE64:
		return read_base64(input, r, value);
	case MEMBER_FILE:
	case MEMBER_FILES:
		return read_paths(input, r, member, value);
	case MEMBER_PART:
		return read_part(input, r, value);
	case MEMBER_ARRAY:
		return read_array(input, r, value);
	case MEMBER_SLICE:
		return read_slice(input, r, value);
	case MEMBER_FORMAT:
		return read_format(input, r, value);
	case MEMBER_DTYPE:
		input->has_dtype = true;
		return json_read_dtype(r, "dtype", value, &input->dtype);
	case MEMBER_SHAPE:
		input->has_shape = true;
		return json_read_shape(r, value, &input->ndim, input->shape);
	case MEMBER_BYTEORDER:
		return read_byteorder(input, r, value);
	default: /* MEMBER_OFFSET */
		input->has_offset = true;
		return json_read_unsigned(r, "offset", value, &input->offset);
	}
}

/* Members that say nothing about this kind of source. */
static enum status refuse(const struct json_reader *r, bool given, const char *name,
			  const char *source)
{
	if (!given)
		return STATUS_OK;
	return json_fail(r, STATUS_BAD_JOB, name, "has no meaning for %s", source);
}

enum status source_check(const struct input *input, const struct json_reader *r, bool required)
{
	const char *source = kind_name(input->kind);
	const bool raw = (input->kind == INPUT_FILES || input->kind == INPUT_BODY) &&
			 input->format != FORMAT_NPY;
	enum status status;

	if (input->kind == INPUT_NONE) {
		if (!required)
			return STATUS_OK;
		return fail_at(r->err, STATUS_BAD_JOB, r->at,
			       "there is no source: one of data, base64, file, files, array, part, "
			       "or a body");
	}
	if (input->kind != INPUT_FILES && input->kind != INPUT_BODY) {
		status = refuse(r, input->format != FORMAT_GUESS, "format", source);
		if (status != STATUS_OK)
			return status;
	} else if (!raw) {
		source = "npy";
	}
	status = refuse(r, input->has_slice && input->kind != INPUT_ARRAY, "slice", source);
	if (status != STATUS_OK)
		return status;
	status =
		refuse(r, input->has_shape && !raw && input->kind != INPUT_BASE64, "shape", source);
	if (status == STATUS_OK)
		status = refuse(r, input->has_byteorder && !raw, "byteorder", source);
	if (status == STATUS_OK)
		status = refuse(r, input->has_offset && !raw, "offset", source);
	if (status == STATUS_OK && !input->has_dtype &&
	    (input->kind == INPUT_BASE64 || input->format == FORMAT_RAW))
		return json_fail(r, STATUS_BAD_JOB, "dtype", "raw elements need a dtype");
	return status;
}

enum status with_read(struct input *input, const struct json_reader *r, const json_t *value,
		      const enum dtype *job_dtype)
{
	struct json_reader inner = {r->context, r->err, "/with"};
	const enum dtype *dtype = job_dtype;
	enum dtype own;
	const json_t *name;
	const char *key;
	json_t *member_value;
	enum status status;

	if (!json_is_object(value))
		return json_fail(r, STATUS_BAD_VALUE, "with", "must be an object with one source");
	input->at = "/with";
	name = json_object_get(value, "dtype");
	if (json_is_string(name) && dtype_from_name(json_string_value(name), &own))
		dtype = &own;
	json_object_foreach((json_t *)value, key, member_value)
	{
		enum member member;

		if (!member_from_name(key, &member) || !(member_info(member)->places & IN_WITH))
			return json_fail(&inner, STATUS_UNKNOWN_MEMBER, key,
					 "`with` has no such member");
		if (!member_info(member)->served)
			return json_fail(&inner, STATUS_NOT_IMPLEMENTED, key,
					 "%s is not served by this build", key);
		status = source_member_read(input, &inner, member, member_value, dtype);
		if (status != STATUS_OK)
			return status;
	}
	if (!input->has_dtype && job_dtype != NULL) {
		input->dtype = *job_dtype;
		input->has_dtype = true;
	}
	return source_check(input, &inner, true);
}

enum status segments_set(struct job *job, int64_t *offsets, uint64_t count, struct error *err)
{
	char pointer[40] = "/segments";
	const char *why = NULL;
	uint64_t i;

	if (count == 0) {
		free(offsets);
		return fail_at(err, STATUS_BAD_VALUE, pointer,
			       "there must be one offset at least: 0");
	}
	for (i = 0; i < count && why == NULL; i++) {
		if (i == 0 && offsets[0] != 0)
			why = "the first offset must be 0";
		else if (i > 0 && offsets[i] < offsets[i - 1])
			why = "offsets must not fall";
	}
	if (why != NULL) {
		free(offsets);
		snprintf(pointer, sizeof(pointer), "/segments/%llu", (unsigned long long)(i - 1));
		return fail_at(err, STATUS_BAD_VALUE, pointer, "%s", why);
	}
	job->offsets = offsets;
	job->segment_count = count - 1;
	return STATUS_OK;
}

static enum status segments_object(struct input *input, const struct json_reader *r,
				   const json_t *value)
{
	struct json_reader inner = {r->context, r->err, "/segments"};
	const char *key;
	json_t *member_value;
	enum status status;

	json_object_foreach((json_t *)value, key, member_value)
	{
		enum member member;

		if (!member_from_name(key, &member) || !(member_info(member)->places & IN_SEGMENTS))
			return json_fail(&inner, STATUS_UNKNOWN_MEMBER, key,
					 "`segments` has no such member");
		if (!member_info(member)->served)
			return json_fail(&inner, STATUS_NOT_IMPLEMENTED, key,
					 "%s is not served by this build", key);
		status = source_member_read(input, &inner, member, member_value, &input->dtype);
		if (status != STATUS_OK)
			return status;
	}
	return source_check(input, &inner, true);
}

enum status segments_read(struct job_spec *spec, const struct json_reader *r, const json_t *value)
{
	struct input *input = &spec->segments;
	struct numbers numbers;
	enum status status;

	spec->job.has_segments = true;
	input->at = "/segments";
	input->dtype = DTYPE_INT64;
	input->has_dtype = true;
	if (json_is_object(value))
		return segments_object(input, r, value);
	status = read_numbers(&numbers, r, "segments", value, &input->dtype);
	if (status != STATUS_OK)
		return status;
	if (numbers.desc.ndim != 1) {
		free(numbers.data);
		return json_fail(r, STATUS_BAD_VALUE, "segments", "must be a list of offsets");
	}
	return segments_set(&spec->job, numbers.data, numbers.desc.shape[0], r->err);
}
