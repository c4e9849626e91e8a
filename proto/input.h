/* input.h - where a job's array comes from, as the job object says, and how to
 * open it: numbers in the object, base64, files, a resident array, a part of the
 * body, or the body itself. */
#ifndef PROTO_INPUT_H
#define PROTO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/arrays.h"
#include "engine/job.h"
#include "engine/limits.h"
#include "engine/source.h"
#include "proto/file_access.h"
#include "proto/numbers.h"

enum input_kind {
	INPUT_NONE,
	INPUT_BODY, /* bodies of kinds 2 and 3 */
	INPUT_DATA,
	INPUT_BASE64,
	INPUT_FILES,
	INPUT_PART,
	INPUT_ARRAY
};

enum input_format { FORMAT_GUESS, FORMAT_NPY, FORMAT_RAW };

struct input {
	enum input_kind kind;
	const char *at;      /* pointer of the object it stands in; static */
	struct numbers data; /* INPUT_DATA; data owned, NULL when taken */
	void *bytes;         /* INPUT_BASE64: owned */
	size_t bytes_size;
	char **paths; /* INPUT_FILES: owned, as sent */
	size_t path_count;
	bool globs; /* paths may be patterns: `files` */
	uint64_t part;
	char *array; /* INPUT_ARRAY: owned */
	bool has_slice;
	uint64_t slice[2];

	enum input_format format;
	bool has_dtype, has_shape, has_byteorder, has_offset;
	enum dtype dtype;
	unsigned ndim;
	uint64_t shape[ARRAY_MAX_NDIM];
	bool big_endian;
	uint64_t offset; /* bytes before the first element */
};

void input_deinit(struct input *input);

/* The description of raw elements in `size` bytes after the offset
 * (ARRAY_UNKNOWN: not known yet). STATUS_BAD_SHAPE when they do not fit. */
enum status input_raw_desc(const struct input *input, uint64_t size, struct array_desc *out,
			   struct error *err);

/* Are the bytes of raw elements not in this machine's order? */
bool input_raw_swap(const struct input *input);

struct input_context {
	const struct file_access *files; /* NULL: none may be read */
	const struct limits *limits;
	const struct job *job; /* how the elements will be used */
	struct arrays *arrays; /* NULL: there are none */
};

/* Everything but parts and bodies. May take what the input owns. */
enum status input_open(struct input *input, const struct input_context *context,
		       struct source **out, struct error *err);

#endif
