/* source.h - where an array's elements are pulled from, first to last in
 * stored order. One thread at a time. */
#ifndef ENGINE_SOURCE_H
#define ENGINE_SOURCE_H

#include <stdint.h>
#include "engine/array.h"
#include "engine/spool.h"
#include "engine/status.h"

struct source {
	struct array_desc desc;

	/* All elements, native-endian and aligned, when they lie in memory;
	 * else NULL and read() is used. */
	const void *data;

	/* Up to count elements into out, native-endian; *got is less than
	 * count only at the end. NULL when data is set. */
	enum status (*read)(struct source *self, void *out, uint64_t count, uint64_t *got,
			    struct error *err);

	/* Called once after the last element: a file that changed meanwhile
	 * is STATUS_FILE_CHANGED. May be NULL. */
	enum status (*verify)(struct source *self, struct error *err);

	void (*close)(struct source *self); /* frees self */
};

/* data holds all elements, native-endian, and outlives the source. */
struct source *source_over_memory(const struct array_desc *desc, const void *data);

/* The same, but owns data, which is from malloc. */
struct source *source_from_memory(const struct array_desc *desc, void *data);

/* The elements are bytes of the spool from offset on, in the other byte order
 * when `swap`; the spool outlives the source. */
struct source *source_from_spool(const struct array_desc *desc, const struct spool *spool,
				 uint64_t offset, bool swap);

void source_close(struct source *source); /* NULL is fine */

#endif
