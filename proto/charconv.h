/* charconv.h - numbers to text and back, many at a time: the C face of the one
 * C++ file, over <charconv>. No locale, no allocation failure unreported. */
#ifndef PROTO_CHARCONV_H
#define PROTO_CHARCONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * `pointer` with the element's indices appended). */
enum status numbers_read(struct numbers *out, const char *text, size_t size,
			 const enum dtype *dtype, unsigned max_depth, const char *pointer,
			 struct error *err);

/* One element to text, without a final 0; at most 32 bytes; returns their
 * number. Floats: fewest digits that rounded once to the type give the value,
 * always with '.' or an exponent; NaN and infinities as quoted strings. */
size_t number_write(char *out, enum dtype dtype, const void *element);

/* A P of "lp:P" and the like: a whole decimal number, rounded once. */
bool decimal_read(const char *text, size_t size, double *out);

#ifdef __cplusplus
}
#endif

#endif
