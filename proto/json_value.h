/* json_value.h - values of a JSON object, each of the kind that it must be; what is
 * wrong is told with a pointer. */
#ifndef PROTO_JSON_VALUE_H
#define PROTO_JSON_VALUE_H

#include <jansson.h>
#include "engine/array.h"
#include "engine/status.h"

struct job_context;

/* One object being read; `at` is its pointer. */
struct json_reader {
	const struct job_context *context;
	struct error *err;
	const char *at;
};

#define JSON_AT_SIZE 64u

/* The reader of a list or object that is a member of r's object; at: its memory. */
struct json_reader json_enter(const struct json_reader *r, const char *name, char at[JSON_AT_SIZE]);

/* Fail at a member of the object: "at/NAME", the name escaped by RFC 6901. */
enum status json_fail(const struct json_reader *r, enum status status, const char *name,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

enum status json_read_string(const struct json_reader *r, const char *name, const json_t *value,
			     const char **out);
enum status json_read_bool(const struct json_reader *r, const char *name, const json_t *value,
			   bool *out);
enum status json_read_unsigned(const struct json_reader *r, const char *name, const json_t *value,
			       uint64_t *out);
enum status json_read_dtype(const struct json_reader *r, const char *name, const json_t *value,
			    enum dtype *out);
enum status json_read_shape(const struct json_reader *r, const json_t *value, unsigned *ndim,
			    uint64_t shape[ARRAY_MAX_NDIM]);

#endif
