/* numbers.h - arrays of numbers written as JSON: the nesting gives the shape, the
 * literals the type. */
#ifndef PROTO_NUMBERS_H
#define PROTO_NUMBERS_H

#include <stddef.h>
#include "engine/array.h"
#include "engine/status.h"

struct numbers {
	struct array_desc desc; /* C order; shape from the nesting */
	void *data;             /* native-endian elements, from malloc; not
				 * NULL even when there are none */
};

/* Read a JSON value that is a number, a boolean or nested arrays of them:
 * text[0..size), nothing but white space around it. `dtype` NULL: inferred by
 * the rules of docs/api.md (bool, int64, uint64, float64). "NaN", "Infinity",
 * "-Infinity" as strings and as bare words. Depth counts arrays.
 *
 * Errors: STATUS_BAD_JSON (syntax, depth over max_depth), STATUS_BAD_SHAPE
 * (ragged), STATUS_BAD_VALUE (a literal that does not fit; err->pointer is
 * `pointer` with the element's indices appended), STATUS_OUT_OF_MEMORY. */
enum status numbers_read(struct numbers *out, const char *text, size_t size,
			 const enum dtype *dtype, unsigned max_depth, const char *pointer,
			 struct error *err);

#endif
