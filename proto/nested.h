/* nested.h - arrays as JSON: lists in lists, as NumPy's tolist() gives them. */
#ifndef PROTO_NESTED_H
#define PROTO_NESTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/array.h"
#include "proto/text.h"

/* Bytes that a nested_writer may use. */
#define NESTED_ELEMENT_ROOM 32u

/* One element to text: number_write() of number_write.h, or bits_write(). */
typedef size_t (*nested_writer)(char *out, enum dtype dtype, const void *element);

struct nested {
	const struct array_desc *desc; /* C or Fortran order; no axes: one element */
	const void *data;
	const unsigned char *nulls; /* a byte an element, 1: null; or NULL */
};

void nested_write(struct text *text, const struct nested *array, nested_writer writer);

/* Elements or lists that it writes, whichever are more: (2^40, 0) has no
 * element, and yet many lists. UINT64_MAX when over that. */
uint64_t nested_weight(const struct array_desc *desc);

/* The bits as a quoted string, "0x3ff0000000000000": all digits of the type. */
size_t bits_write(char *out, enum dtype dtype, const void *element);

#endif
