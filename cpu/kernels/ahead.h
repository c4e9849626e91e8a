/* ahead.h - memory that will be read soon, fetched into the nearest cache bit by
 * bit while a tile is worked on: what comes after the tile (struct tile, ahead),
 * evenly, so that the memory works while the arithmetic does; and in loops that
 * only read, what comes a little later. The second level, or shares by each
 * pass's time, were slower (measured). */
#ifndef CPU_KERNELS_AHEAD_H
#define CPU_KERNELS_AHEAD_H

#include "engine/accum.h"

#define AHEAD_LINE 64u /* bytes of a cache line */
/* How far a loop that reads memory once fetches ahead of its reading. Its many
 * load instructions, or much work for each, keep the processor from seeing far
 * enough (measured on Zen 5: float64 sums and squares from memory gain 6 to 12 %,
 * float32 in the third-level cache 5 %; 4 KiB and 12 KiB gain less). */
#define AHEAD_STREAM 8192u /* bytes */

struct ahead {
	const char *next;
	uint64_t lines; /* left */
};

static inline struct ahead ahead_of(const struct tile *tile)
{
	return (struct ahead){tile->ahead, tile->ahead_bytes / AHEAD_LINE};
}

/* Lines at each of so many steps to fetch all. */
static inline uint64_t ahead_share(const struct ahead *ahead, uint64_t steps)
{
	return steps == 0 ? 0 : (ahead->lines + steps - 1) / steps;
}

static inline __attribute__((always_inline)) void ahead_fetch(struct ahead *ahead, uint64_t lines)
{
	if (lines > ahead->lines)
		lines = ahead->lines;
	if (lines == 0)
		return;
	for (uint64_t line = 0; line < lines; line++)
		__builtin_prefetch(ahead->next + line * AHEAD_LINE, 0, 3);
	ahead->next += lines * AHEAD_LINE;
	ahead->lines -= lines;
}

/* For a vector read at `at`, which is `offset` bytes into its step; the compiler
 * knows the offset. */
static inline __attribute__((always_inline)) void ahead_stream(const void *at, uint64_t offset)
{
	if (offset % AHEAD_LINE == 0)
		__builtin_prefetch((const char *)at + AHEAD_STREAM, 0, 3);
}

#endif
