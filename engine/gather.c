#include "config.h"
#include "engine/gather.h"

#include <string.h>

/* Walk `in` as it is stored, the first axis fastest, and keep the C order
 * offset beside it. */
void gather_to_c(const struct array_desc *desc, const void *in, void *out)
{
	size_t size = dtype_size(desc->dtype);
	uint64_t index[ARRAY_MAX_NDIM] = {0};
	uint64_t stride[ARRAY_MAX_NDIM]; /* in C order, elements */
	uint64_t count = 1, offset = 0;
	const char *next = in;

	for (unsigned i = desc->ndim; i-- > 0;) {
		stride[i] = count;
		count *= desc->shape[i];
	}
	if (!desc->fortran) {
		if (count > 0)
			memcpy(out, in, count * size);
		return;
	}
	for (uint64_t position = 0; position < count; position++, next += size) {
		memcpy((char *)out + offset * size, next, size);
		for (unsigned i = 0; i < desc->ndim; i++) {
			offset += stride[i];
			if (++index[i] < desc->shape[i])
				break;
			offset -= stride[i] * desc->shape[i];
			index[i] = 0;
		}
	}
}
