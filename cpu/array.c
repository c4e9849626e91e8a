#include "config.h"
#include "cpu/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT 64u          /* of small ones: a cache line */
#define HUGE_PAGE (2u << 20)   /* bytes, on x86-64 and most others */
#define HUGE_LEAST (16u << 20) /* bytes from which huge pages are asked for; chosen */

struct array {
	char *data;
};

enum status cpu_array_create(struct backend *self, uint64_t size, struct array **out,
			     struct error *err)
{
	const size_t alignment = size >= HUGE_LEAST ? HUGE_PAGE : ALIGNMENT;
	struct array *array = malloc(sizeof(*array));
	void *data = NULL;

	(void)self;
	if (array == NULL || posix_memalign(&data, alignment, size > 0 ? size : 1) != 0) {
		free(array);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array of %llu bytes",
			    (unsigned long long)size);
	}
	if (size >= HUGE_LEAST)
		madvise(data, size, MADV_HUGEPAGE); /* good to have, not needed */
	array->data = data;
	*out = array;
	return STATUS_OK;
}

enum status cpu_array_write(struct array *array, uint64_t offset, const void *bytes, uint64_t size,
			    struct error *err)
{
	(void)err;
	memcpy(array->data + offset, bytes, size);
	return STATUS_OK;
}

enum status cpu_array_read(const struct array *array, uint64_t offset, void *out, uint64_t size,
			   struct error *err)
{
	(void)err;
	memcpy(out, array->data + offset, size);
	return STATUS_OK;
}

void cpu_array_destroy(struct array *array)
{
	if (array == NULL)
		return;
	free(array->data);
	free(array);
}

const void *cpu_array_data(const struct array *array)
{
	return array->data;
}

enum status cpu_stream_feed_array(struct stream *stream, const struct array *x, uint64_t x_offset,
				  const struct array *y, uint64_t y_offset, uint64_t count,
				  struct error *err)
{
	return cpu_stream_feed(stream, x->data + x_offset, y != NULL ? y->data + y_offset : NULL,
			       count, err);
}
