#include "config.h"

#include <inttypes.h>
#include <string.h>
#include "engine/array.h"

enum status array_count(const struct array_desc *desc, uint64_t *out, struct error *err)
{
	uint64_t room = (uint64_t)INT64_MAX / dtype_size(desc->dtype);
	uint64_t count = 1; /* of the axes that are not empty */
	bool empty = false;
	unsigned axis;

	if (desc->ndim == 1 && desc->shape[0] == ARRAY_UNKNOWN) {
		*out = ARRAY_UNKNOWN;
		return STATUS_OK;
	}

	/* Empty axes are left out, as in NumPy, so that the product of any
	 * choice of axes is known to fit. */
	for (axis = 0; axis < desc->ndim; axis++) {
		uint64_t length = desc->shape[axis];

		if (length == 0)
			empty = true;
		else if (count > room / length)
			return fail(err, STATUS_BAD_SHAPE,
				    "the shape needs more bytes than 2^63 - 1 (axis %u has length "
				    "%" PRIu64 ", elements are %s)",
				    axis, length, dtype_name(desc->dtype));
		else
			count *= length;
	}
	*out = empty ? 0 : count;
	return STATUS_OK;
}

void array_swap_bytes(void *data, size_t size, uint64_t count)
{
	unsigned char *at = data;
	uint64_t i;

	switch (size) {
	case 2:
		for (i = 0; i < count; i++, at += 2) {
			uint16_t x;

			memcpy(&x, at, 2);
			x = __builtin_bswap16(x);
			memcpy(at, &x, 2);
		}
		break;
	case 4:
		for (i = 0; i < count; i++, at += 4) {
			uint32_t x;

			memcpy(&x, at, 4);
			x = __builtin_bswap32(x);
			memcpy(at, &x, 4);
		}
		break;
	case 8:
		for (i = 0; i < count; i++, at += 8) {
			uint64_t x;

			memcpy(&x, at, 8);
			x = __builtin_bswap64(x);
			memcpy(at, &x, 8);
		}
		break;
	default: /* single bytes have no order */
		break;
	}
}
