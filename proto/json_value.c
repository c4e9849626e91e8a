#include "config.h"
#include "proto/json_value.h"

#include <stdarg.h>
#include <stdio.h>
#include "engine/dtype.h"

struct json_reader json_enter(const struct json_reader *r, const char *name, char at[JSON_AT_SIZE])
{
	struct json_reader inner = {r->context, r->err, at};

	snprintf(at, JSON_AT_SIZE, "%s/%s", r->at, name);
	return inner;
}

enum status json_fail(const struct json_reader *r, enum status status, const char *name,
		      const char *format, ...)
{
	char text[320], pointer[256];
	size_t used = (size_t)snprintf(pointer, sizeof(pointer), "%s", r->at);
	va_list args;
	const char *p;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pointer[used++] = '/';
	for (p = name; *p != '\0' && used < sizeof(pointer) - 3; p++) {
		if (*p == '~' || *p == '/')
			used += (size_t)sprintf(pointer + used, *p == '~' ? "~0" : "~1");
		else
			pointer[used++] = *p;
	}
	pointer[used] = '\0';
	return fail_at(r->err, status, pointer, "%s", text);
}

enum status json_read_string(const struct json_reader *r, const char *name, const json_t *value,
			     const char **out)
{
	if (!json_is_string(value))
		return json_fail(r, STATUS_BAD_VALUE, name, "must be a string");
	*out = json_string_value(value);
	return STATUS_OK;
}

enum status json_read_bool(const struct json_reader *r, const char *name, const json_t *value,
			   bool *out)
{
	if (!json_is_boolean(value))
		return json_fail(r, STATUS_BAD_VALUE, name, "must be true or false");
	*out = json_is_true(value);
	return STATUS_OK;
}

enum status json_read_unsigned(const struct json_reader *r, const char *name, const json_t *value,
			       uint64_t *out)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return json_fail(r, STATUS_BAD_VALUE, name, "must be an integer from 0 to 2^63-1");
	*out = (uint64_t)json_integer_value(value);
	return STATUS_OK;
}

enum status json_read_dtype(const struct json_reader *r, const char *name, const json_t *value,
			    enum dtype *out)
{
	const char *text = "";
	enum status status = json_read_string(r, name, value, &text);

	if (status != STATUS_OK)
		return status;
	if (!dtype_from_name(text, out))
		return json_fail(r, STATUS_BAD_DTYPE, name, "there is no element type \"%.64s\"",
				 text);
	return STATUS_OK;
}

enum status json_read_shape(const struct json_reader *r, const json_t *value, unsigned *ndim,
			    uint64_t shape[ARRAY_MAX_NDIM])
{
	char at[JSON_AT_SIZE], element[24];
	struct json_reader inner = json_enter(r, "shape", at);
	enum status status = STATUS_OK;
	size_t i;

	*ndim = 1;
	if (!json_is_array(value))
		return json_read_unsigned(r, "shape", value, &shape[0]);
	if (json_array_size(value) > ARRAY_MAX_NDIM)
		return json_fail(r, STATUS_BAD_SHAPE, "shape", "an array has at most %u axes",
				 ARRAY_MAX_NDIM);
	*ndim = (unsigned)json_array_size(value);
	for (i = 0; i < *ndim && status == STATUS_OK; i++) {
		snprintf(element, sizeof(element), "%zu", i);
		status = json_read_unsigned(&inner, element, json_array_get(value, i), &shape[i]);
	}
	return status;
}
