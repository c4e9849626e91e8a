/* array.h - what an input array is: type, shape, stored order. */
#ifndef ENGINE_ARRAY_H
#define ENGINE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/dtype.h"
#include "engine/status.h"

#define ARRAY_MAX_NDIM 32u
#define ARRAY_UNKNOWN UINT64_MAX /* length of a 1-d stream not known ahead */

struct array_desc {
	enum dtype dtype;
	unsigned ndim;                  /* 0: one element */
	uint64_t shape[ARRAY_MAX_NDIM]; /* elements; shape[0] of a 1-d array
					 * may be ARRAY_UNKNOWN */
	bool fortran;                   /* stored first axis fastest */
};

/* Elements, or ARRAY_UNKNOWN. STATUS_BAD_SHAPE when the bytes of the array
 * (elements times size) would not fit in an int64_t. */
enum status array_count(const struct array_desc *desc, uint64_t *out, struct error *err);

/* Turn n elements of `size` bytes from the other byte order, in place. */
void array_swap_bytes(void *data, size_t size, uint64_t count);

#endif
