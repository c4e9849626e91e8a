/* spool.h - bytes written once from the front and read back: in memory while
 * few, then in an unlinked temporary file, so that a large result costs no
 * more memory than a small one.
 *
 * One thread at a time. */
#ifndef ENGINE_SPOOL_H
#define ENGINE_SPOOL_H

#include <stdint.h>
#include "engine/status.h"

struct spool;

/* All spools of the process together keep no more than this in memory (chosen);
 * beyond it they go to disk early, but for those up to SPOOL_SMALL. A request with
 * thousands of jobs is bounded by it. */
#define SPOOL_TOTAL_MEMORY (256u << 20)
#define SPOOL_SMALL 4096u

struct spool_config {
	const char *directory; /* for the temporary file; NULL: TMPDIR or /var/tmp */
	uint64_t memory;       /* bytes kept in memory before it spills */
	uint64_t limit;        /* bytes in all; beyond: STATUS_TOO_LARGE */
};

struct spool *spool_create(const struct spool_config *config);

/* Writes straight into fd (not owned), after `reserve` bytes that the owner
 * fills with spool_fd(): results that go to a file. */
struct spool *spool_create_on(int fd, uint64_t reserve, uint64_t limit);
void spool_destroy(struct spool *spool);

enum status spool_write(struct spool *spool, const void *data, uint64_t size, struct error *err);
uint64_t spool_size(const struct spool *spool); /* bytes, without reserve */

/* Read size bytes at offset. */
enum status spool_read(const struct spool *spool, uint64_t offset, void *out, uint64_t size,
		       struct error *err);

/* All of it as memory (mapped when on disk), valid until the spool is written
 * or destroyed; NULL when empty or when it cannot be mapped. */
const void *spool_data(struct spool *spool);

/* The file, or -1 while in memory; data begins at `reserve`. */
int spool_fd(const struct spool *spool);

#endif
