/* source.h - where an array's elements are pulled from, first to last in
 * stored order. One thread at a time. */
#ifndef ENGINE_SOURCE_H
#define ENGINE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "engine/array.h"
#include "engine/spool.h"
#include "engine/status.h"

struct resident;

/* A file as it was when it was looked at: the same four, the same file. */
struct file_mark {
	uint64_t device, inode, size;
	struct timespec modified;
};

struct stat;

void file_mark_of(struct file_mark *out, const struct stat *st);
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

/* One file that holds all elements, from a byte on. */
struct source_file {
	const char *path;
	struct file_mark mark;
	uint64_t offset; /* of the first element */
	bool swap;       /* elements are in the other byte order */
};

struct source {
	struct array_desc desc;

	/* All elements, native-endian and aligned, when they lie in memory;
	 * else NULL and read() is used. */
	const void *data;

	/* Up to count elements into out, native-endian; *got is less than
	 * count only at the end. May be NULL when data is set. */
	enum status (*read)(struct source *self, void *out, uint64_t count, uint64_t *got,
			    struct error *err);

	/* From the first element again; elements in memory need none. May be
	 * NULL: then it is read once only. */
	enum status (*rewind)(struct source *self, struct error *err);

	/* Called once after the last element: a file that changed meanwhile
	 * is STATUS_FILE_CHANGED. May be NULL. */
	enum status (*verify)(struct source *self, struct error *err);

	void (*close)(struct source *self); /* frees self */

	/* Elements that lie one after the other in an array of a backend, from
	 * this byte on; NULL: they do not. */
	const struct resident *resident;
	uint64_t resident_offset;

	const struct source_file *file; /* the source's own; NULL: not one file */
	const char *key;                /* likewise: equal for the same elements of the same files;
					 * NULL: no files */
};

/* data holds all elements, native-endian, and outlives the source. */
struct source *source_over_memory(const struct array_desc *desc, const void *data);

/* The same, but owns data, which is from malloc. */
struct source *source_from_memory(const struct array_desc *desc, void *data);

/* The elements are bytes of the spool from offset on, in the other byte order
 * when `swap`; the spool outlives the source. */
struct source *source_from_spool(const struct array_desc *desc, const struct spool *spool,
				 uint64_t offset, bool swap);

/* All of it can be pulled again. NULL is fine. STATUS_INTERNAL: it cannot. */
enum status source_rewind(struct source *source, struct error *err);

void source_close(struct source *source); /* NULL is fine */

#endif
