#include "config.h"
#include "engine/source.h"

#include <stdlib.h>
#include <sys/stat.h>

void file_mark_of(struct file_mark *out, const struct stat *st)
{
	*out = (struct file_mark){st->st_dev, st->st_ino, (uint64_t)st->st_size, st->st_mtim};
}

bool file_mark_equal(const struct file_mark *a, const struct file_mark *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

struct memory_source {
	struct source base;
	void *owned; /* NULL: the data is not the source's */
};

static void memory_close(struct source *self)
{
	struct memory_source *source = (struct memory_source *)self;

	free(source->owned);
	free(source);
}

struct source *source_over_memory(const struct array_desc *desc, const void *data)
{
	struct memory_source *source = calloc(1, sizeof(*source));

	if (source == NULL)
		return NULL;
	source->base.desc = *desc;
	source->base.data = data;
	source->base.close = memory_close;
	return &source->base;
}

struct source *source_from_memory(const struct array_desc *desc, void *data)
{
	struct source *source = source_over_memory(desc, data);

	if (source != NULL)
		((struct memory_source *)source)->owned = data;
	return source;
}

struct spool_source {
	struct source base;
	const struct spool *spool;
	uint64_t begin, at, end; /* bytes */
	bool swap;
};

static enum status spool_source_read(struct source *self, void *out, uint64_t count, uint64_t *got,
				     struct error *err)
{
	struct spool_source *source = (struct spool_source *)self;
	size_t size = dtype_size(self->desc.dtype);
	uint64_t left = (source->end - source->at) / size;
	enum status status;

	count = count < left ? count : left;
	status = count > 0 ? spool_read(source->spool, source->at, out, count * size, err)
			   : STATUS_OK;
	if (status != STATUS_OK)
		return status;
	if (source->swap)
		array_swap_bytes(out, size, count);
	source->at += count * size;
	*got = count;
	return STATUS_OK;
}

static enum status spool_source_rewind(struct source *self, struct error *err)
{
	struct spool_source *source = (struct spool_source *)self;

	(void)err;
	source->at = source->begin;
	return STATUS_OK;
}

static void spool_source_close(struct source *self)
{
	free(self);
}

struct source *source_from_spool(const struct array_desc *desc, const struct spool *spool,
				 uint64_t offset, bool swap)
{
	struct spool_source *source = calloc(1, sizeof(*source));
	uint64_t count;

	if (source == NULL)
		return NULL;
	array_count(desc, &count, NULL); /* fits: it was described */
	source->base.desc = *desc;
	source->base.read = spool_source_read;
	source->base.rewind = spool_source_rewind;
	source->base.close = spool_source_close;
	source->spool = spool;
	source->begin = source->at = offset;
	source->end = offset + count * dtype_size(desc->dtype);
	source->swap = swap;
	return &source->base;
}

enum status source_rewind(struct source *source, struct error *err)
{
	if (source == NULL || (source->rewind == NULL && source->data != NULL))
		return STATUS_OK;
	if (source->rewind == NULL)
		return fail(err, STATUS_INTERNAL, "the array cannot be read twice");
	return source->rewind(source, err);
}

void source_close(struct source *source)
{
	if (source != NULL)
		source->close(source);
}
