/* block.h - a block of what is fed (cpu/walk.h), where a line's elements are not
 * adjacent, added to the accumulators of its lines: the part that is one
 * worker's.
 *
 * Ordered accumulators take panels, several rows of many lines at once. Where
 * there are few lines but long ones, their runs stand for lines. Free ones take
 * each line's elements brought side by side, as tiles, where there are enough. */
#ifndef CPU_BLOCK_H
#define CPU_BLOCK_H

#include "cpu/planes.h"
#include "cpu/stream.h"
#include "cpu/walk.h"
#include "engine/order.h"

struct block {
	const struct plan *plan;
	struct planes *planes; /* one for each accumulator of the plan */
	uint64_t *nans;        /* of each open line; NULL: not counted */
	struct walk_block shape;
	const void *x, *y;
	uint64_t position; /* of its first element, stored */
};

/* What a worker needs of its own. */
struct block_worker {
	struct stage stage;
	char *x, *y; /* elements brought together */
	char *lanes; /* open runs of the lanes of a panel */
	char *works; /* of free accumulators, one behind another */
	uint32_t work_offset[JOB_MAX_OPS];
	struct nan_watch watch;
};

enum status block_worker_init(struct block_worker *worker, const struct plan *plan,
			      const struct planes *planes, struct error *err);
void block_worker_deinit(struct block_worker *worker);

/* Lines first to first + count - 1 of the block; different ones by different
 * workers. All of them at once if block_is_thin(): few lines do not fill
 * vectors. */
#define BLOCK_THIN 64u /* chosen: 8 vectors of AVX-512 */
void block_add(struct block_worker *worker, const struct block *block, uint64_t first,
	       uint64_t count);
bool block_is_thin(const struct block *block);

/* --- for its parts, panels.c and by_line.c --- */

#define BLOCK_LINES                                                                           \
	512u                                 /* of a panel; their doubles stay in the nearest \
					      * cache (measured) */
#define BLOCK_LANES (ORDER_TILE / ORDER_RUN) /* of a panel made of runs */

/* Elements brought together: lines of some cache lines side by side, and this
 * many elements of each (measured: all of them stay in the second cache). Their
 * distance is no power of two, or they would all want the same places of the
 * cache. */
#define BLOCK_SIDE 512u /* bytes */
#define BLOCK_SIDE_ELEMENTS 1024u
#define BLOCK_SIDE_PITCH(size) (BLOCK_SIDE_ELEMENTS + 64 / (uint64_t)(size))
#define BLOCK_SCRATCH (BLOCK_SIDE * BLOCK_SIDE_PITCH(1)) /* bytes; also > a tile */

/* Element `at` of a line of the block, of x or y (`of`); NULL of NULL. */
const void *block_element(const struct block *block, const void *of, uint64_t line, uint64_t at);

/* It, or the pair, is a NaN. */
void block_note_nan(struct block_worker *worker, const struct block *block, uint64_t line,
		    uint64_t at);

/* Which accumulators by_line.c takes: free ones, of whose lines enough elements
 * are here. panels.c takes the others. */
bool block_by_line(const struct block *block, const struct accum_class *class);

#endif
