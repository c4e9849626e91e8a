#include "config.h"
#include "engine/resident_source.h"

#include <assert.h>
#include <stdlib.h>

struct resident_source {
	struct source base;
	struct resident *resident;
	uint64_t at, count; /* elements read; of all */

	/* Runs of `rows` elements that lie `stride` apart, the first at `first`. */
	uint64_t first, rows, stride;
};

static enum status resident_source_read(struct source *self, void *out, uint64_t count,
					uint64_t *got, struct error *err)
{
	struct resident_source *source = (struct resident_source *)self;
	const size_t size = dtype_size(self->desc.dtype);
	const uint64_t left = source->count - source->at;
	uint64_t filled = 0;

	count = count < left ? count : left;
	while (filled < count) {
		uint64_t run = source->at / source->rows, row = source->at % source->rows;
		uint64_t piece = source->rows - row;
		enum status status;

		piece = piece < count - filled ? piece : count - filled;
		status = resident_read(source->resident,
				       (source->first + run * source->stride + row) * size,
				       (char *)out + filled * size, piece * size, err);
		if (status != STATUS_OK)
			return status;
		source->at += piece;
		filled += piece;
	}
	*got = filled;
	return STATUS_OK;
}

static enum status resident_source_rewind(struct source *self, struct error *err)
{
	(void)err;
	((struct resident_source *)self)->at = 0;
	return STATUS_OK;
}

static void resident_source_close(struct source *self)
{
	resident_release(((struct resident_source *)self)->resident);
	free(self);
}

enum status source_from_resident(struct resident *resident, const uint64_t slice[2],
				 struct source **out, struct error *err)
{
	const size_t size = dtype_size(resident->desc.dtype);
	const uint64_t length = resident->desc.ndim > 0 ? resident->desc.shape[0] : 1;
	struct resident_source *source;
	const char *data;
	uint64_t whole;

	if (resident->array == NULL)
		return resident_fail_lost(resident, err);
	source = calloc(1, sizeof(*source));
	if (source == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	source->base.desc = resident->desc;
	source->base.read = resident_source_read;
	source->base.rewind = resident_source_rewind;
	source->base.close = resident_source_close;
	if (slice != NULL) {
		assert(resident->desc.ndim > 0 && slice[0] <= slice[1] && slice[1] <= length);
		source->base.desc.shape[0] = slice[1] - slice[0];
	}
	array_count(&resident->desc, &whole, NULL); /* fits: it is there */
	array_count(&source->base.desc, &source->count, NULL);
	source->resident = resident_keep(resident);
	*out = &source->base;

	if (source->count < whole && resident->desc.fortran && resident->desc.ndim > 1) {
		source->first = slice[0];
		source->rows = slice[1] - slice[0];
		source->stride = length;
		return STATUS_OK;
	}
	source->first = slice != NULL && length > 0 ? slice[0] * (whole / length) : 0;
	source->rows = source->stride = source->count;
	source->base.resident = resident;
	source->base.resident_offset = source->first * size;
	data = resident->ops->array_data(resident->array);
	if (data != NULL)
		source->base.data = data + source->first * size;
	return STATUS_OK;
}
