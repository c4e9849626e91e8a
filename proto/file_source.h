/* file_source.h - a file, or several joined along their first axis, as one
 * array. Headers are read first; each file is opened again when its elements
 * are wanted, and must still be the same one then and when they have been read. */
#ifndef PROTO_FILE_SOURCE_H
#define PROTO_FILE_SOURCE_H

#include "engine/source.h"
#include "proto/input.h"

/* STATUS_BAD_NPY, _BAD_DTYPE, _BAD_SHAPE, _BAD_JOB, _TOO_LARGE and what the
 * file_access gives; later FILE_CHANGED, _TRUNCATED, _UNREADABLE. */
enum status file_source_open(const struct input *input, const struct input_context *context,
			     struct source **out, struct error *err);

#endif
