#include "config.h"
#include "engine/source.h"

#include <stdlib.h>

struct memory_source {
	struct source base;
	void *owned;
};

static void memory_close(struct source *self)
{
	struct memory_source *source = (struct memory_source *)self;

	free(source->owned);
	free(source);
}

struct source *source_from_memory(const struct array_desc *desc, void *data)
{
	struct memory_source *source = calloc(1, sizeof(*source));

	if (source == NULL)
		return NULL;
	source->base.desc = *desc;
	source->base.data = data;
	source->base.close = memory_close;
	source->owned = data;
	return &source->base;
}

struct spool_source {
	struct source base;
	struct spool *spool;
	uint64_t offset; /* bytes read */
	bool swap;
};

static enum status spool_source_read(struct source *self, void *out, uint64_t count, uint64_t *got,
				     struct error *err)
{
	struct spool_source *source = (struct spool_source *)self;
	size_t size = dtype_size(self->desc.dtype);
	uint64_t left = (spool_size(source->spool) - source->offset) / size;
	enum status status;

	if (count > left)
		count = left;
	status = spool_read(source->spool, source->offset, out, count * size, err);
	if (status != STATUS_OK)
		return status;
	if (source->swap)
		array_swap_bytes(out, size, count);
	source->offset += count * size;
	*got = count;
	return STATUS_OK;
}

static void spool_source_close(struct source *self)
{
	struct spool_source *source = (struct spool_source *)self;

	spool_destroy(source->spool);
	free(source);
}

struct source *source_from_spool(const struct array_desc *desc, struct spool *spool, bool swap)
{
	struct spool_source *source = calloc(1, sizeof(*source));

	if (source == NULL)
		return NULL;
	source->base.desc = *desc;
	source->base.read = spool_source_read;
	source->base.close = spool_source_close;
	source->spool = spool;
	source->swap = swap;
	return &source->base;
}

void source_close(struct source *source)
{
	if (source != NULL)
		source->close(source);
}
