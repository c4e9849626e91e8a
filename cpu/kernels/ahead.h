/* ahead.h - memory that will be read after a tile (struct tile, ahead), fetched
 * into the cache bit by bit while the tile is worked on: the memory then works
 * while the arithmetic does. Into the nearest cache, and evenly: the second
 * level, or shares by each pass's time, were slower (measured). */
#ifndef CPU_KERNELS_AHEAD_H
#define CPU_KERNELS_AHEAD_H

#include "engine/accum.h"

#define AHEAD_LINE 64u /* bytes of a cache line */

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

#endif
