/* npy.h - NumPy's .npy files (format versions 1.0, 2.0, 3.0).
 * Source of the format: numpy.lib.format. */
#ifndef PROTO_NPY_H
#define PROTO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/status.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_SIZE 6u
#define NPY_PREFIX_SIZE 12u          /* read this much to know the header's size */
#define NPY_MAX_HEADER (64u * 1024u) /* larger ones are bad_npy */

struct npy_header {
	struct array_desc desc;
	bool swap;            /* elements are in the other byte order */
	uint64_t data_offset; /* bytes before the first element */
};

/* From the first bytes of a file (NPY_PREFIX_SIZE, or fewer when the file is
 * shorter): how many bytes the whole header takes, data_offset. */
enum status npy_header_size(const void *bytes, size_t size, uint64_t *out, struct error *err);

/* Parse a whole header. as: the job's dtype, needed for descr V2 (bfloat16);
 * NULL when none was given; one that differs from the file's is bad_dtype. */
enum status npy_header_parse(struct npy_header *out, const void *bytes, size_t size,
			     const enum dtype *as, struct error *err);

/* Write a version 1.0 header (2.0 when it does not fit) padded to `size`
 * bytes exactly (a multiple of 64, at least npy_header_room()). */
void npy_header_write(void *out, size_t size, const struct array_desc *desc);

/* Bytes that a header for any array of this many axes fits in; multiple of 64. */
size_t npy_header_room(unsigned ndim);

#endif
