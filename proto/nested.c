#include "config.h"
#include "proto/nested.h"

#include <string.h>

#define NESTED_RUN 256u /* elements written between two looks at the room: chosen */
#define NESTED_ROOM (NESTED_ELEMENT_ROOM + 1u) /* with its comma */

struct walk {
	struct text *text;
	const char *data;
	const unsigned char *nulls;
	nested_writer writer;
	enum dtype dtype;
	size_t size; /* of an element */
	unsigned ndim;
	const uint64_t *shape;
	uint64_t stride[ARRAY_MAX_NDIM]; /* in elements */
};

static char *write_element(const struct walk *walk, char *out, uint64_t at)
{
	if (walk->nulls != NULL && walk->nulls[at] != 0) {
		memcpy(out, "null", 4);
		return out + 4;
	}
	return out + walk->writer(out, walk->dtype, walk->data + at * walk->size);
}

/* The innermost lists, in runs that fit in memory reserved at once. */
static void write_row(const struct walk *walk, uint64_t at, uint64_t count, uint64_t stride)
{
	while (count > 0 && !walk->text->failed) {
		uint64_t run = count < NESTED_RUN ? count : NESTED_RUN;
		char *out = text_reserve(walk->text, run * NESTED_ROOM), *end = out;

		if (out == NULL)
			return;
		for (uint64_t i = 0; i < run; i++, at += stride) {
			end = write_element(walk, end, at);
			*end++ = ',';
		}
		count -= run;
		walk->text->size += (size_t)(end - out) - (count == 0 ? 1 : 0);
	}
}

static void write_list(const struct walk *walk, unsigned axis, uint64_t at)
{
	text_add(walk->text, "[", 1);
	if (axis + 1 == walk->ndim) {
		write_row(walk, at, walk->shape[axis], walk->stride[axis]);
	} else {
		for (uint64_t i = 0; i < walk->shape[axis] && !walk->text->failed; i++) {
			if (i > 0)
				text_add(walk->text, ",", 1);
			write_list(walk, axis + 1, at + i * walk->stride[axis]);
		}
	}
	text_add(walk->text, "]", 1);
}

void nested_write(struct text *text, const struct nested *array, nested_writer writer)
{
	const struct array_desc *desc = array->desc;
	struct walk walk = {
		.text = text,
		.data = array->data,
		.nulls = array->nulls,
		.writer = writer,
		.dtype = desc->dtype,
		.size = dtype_size(desc->dtype),
		.ndim = desc->ndim,
		.shape = desc->shape,
	};
	uint64_t step = 1;

	for (unsigned i = 0; i < desc->ndim; i++) {
		unsigned axis = desc->fortran ? i : desc->ndim - 1 - i;

		walk.stride[axis] = step;
		step *= desc->shape[axis];
	}
	if (desc->ndim > 0)
		write_list(&walk, 0, 0);
	else
		write_row(&walk, 0, 1, 1);
}

uint64_t nested_weight(const struct array_desc *desc)
{
	uint64_t lists = 1, most = 1;

	for (unsigned axis = 0; axis < desc->ndim; axis++) {
		if (__builtin_mul_overflow(lists, desc->shape[axis], &lists))
			return UINT64_MAX;
		if (lists == 0)
			break;
		most = lists;
	}
	return most;
}

size_t bits_write(char *out, enum dtype dtype, const void *element)
{
	static const char hex[] = "0123456789abcdef";
	size_t digits = 2 * dtype_size(dtype);
	uint64_t bits = 0;

	memcpy(&bits, element, dtype_size(dtype)); /* little-endian machines only */
	if (dtype == DTYPE_BOOL)
		bits = bits != 0;
	memcpy(out, "\"0x", 3);
	for (size_t i = digits; i > 0; i--, bits >>= 4)
		out[2 + i] = hex[bits & 15];
	out[3 + digits] = '"';
	return digits + 4;
}
