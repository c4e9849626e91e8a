/* file_cache.h - files that jobs read, kept as resident arrays for the jobs after.
 *
 * An entry is an array without a name, found by the key of its source: path, device,
 * inode, size and modification time of each file, and how its bytes are elements.
 * In the host's own memory a file is kept when it is read for the second time: the
 * kernel has its pages, and to keep 1 GiB of them takes 0.3 s where to sum them takes
 * 0.06 s (measured), so that reading once must not pay for it. In a device's memory it
 * is kept at once: to bring it there is most of the cost of any job.
 *
 * Entries share the budget of the resident arrays and give way to them; among
 * themselves the least recently used goes first. From any thread. */
#ifndef ENGINE_FILE_CACHE_H
#define ENGINE_FILE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include "engine/arrays.h"
#include "engine/job.h"
#include "engine/source.h"

struct file_cache;

/* limit: bytes of all entries; 0: nothing is kept. */
enum status file_cache_create(uint64_t limit, struct arrays *arrays, struct file_cache **out,
			      struct error *err);
void file_cache_destroy(struct file_cache *cache); /* NULL is fine */

/* Asked between pieces; another status than STATUS_OK ends the reading with it. */
struct file_cache_reader {
	enum status (*check)(void *context, struct error *err);
	void *context;
};

/* The elements of `from`, which was opened with its rights, as a source of an array:
 * kept already (not with CACHE_REFRESH), or read now and kept. *out NULL: they are not
 * kept (no room, no files, a first time, CACHE_NO), and `from` is at its first element. Errors are
 * those of reading `from`. */
enum status file_cache_get(struct file_cache *cache, struct source *from, enum cache_rule rule,
			   const struct file_cache_reader *reader, struct source **out,
			   struct error *err);

struct file_cache_figures {
	uint64_t limit, bytes; /* that entries may take, and take */
	uint64_t entries, hits, misses;
};

void file_cache_figures(struct file_cache *cache, struct file_cache_figures *out);

#endif
