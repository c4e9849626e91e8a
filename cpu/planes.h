/* planes.h - the state of one accumulator over many open lines whose elements
 * are not adjacent (the strided order of docs/orders.md).
 *
 * A plane holds one value a line. The open runs are a plane; the values of
 * closed runs wait in a binary counter, a plane for each bit of the number of
 * closed runs. Lines are independent: threads may work on different ones.
 * A free accumulator has one run a line, of any length: its value. */
#ifndef CPU_PLANES_H
#define CPU_PLANES_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/accum.h"
#include "engine/status.h"

#define PLANES_LEVELS 60u /* bits of the number of runs of 2^64 elements */

struct planes {
	const struct accum_class *class;
	struct accum_args args;
	uint64_t lines;
	char *runs;                  /* lines x run_size */
	char *levels[PLANES_LEVELS]; /* lines x size each; made when needed */
	char *fresh;                 /* fresh_count runs that have just begun */
	uint64_t fresh_count;
	char *values; /* of PLANES_END lines, for the moment */
};

enum status planes_init(struct planes *planes, const struct accum_class *class,
			const struct accum_args *args, uint64_t lines, struct error *err);
void planes_deinit(struct planes *planes);

/* Make room for lines of up to length elements: before they are added. */
enum status planes_reserve(struct planes *planes, uint64_t length, struct error *err);

/* The next elements of lines from `line` on; a line's first are at position 0,
 * which begins it. f32: those of the panel are float32, and the class has
 * rows_f32; else they are of the domain's type. omit: some may be NaN that are
 * left out. */
void planes_add(struct planes *planes, uint64_t line, const struct panel *panel, bool f32,
		bool omit);

/* Where there are too few lines to fill a vector: each lane of the panel, of
 * ORDER_RUN rows, is a whole run. Lane r * lines + l is run `run` + r of line
 * `line` + l, r < count. lanes: room for all their runs. Ordered accumulators
 * only. */
void planes_add_runs(struct planes *planes, uint64_t line, uint64_t lines, uint64_t count,
		     uint64_t run, const struct panel *panel, bool f32, bool omit, void *lanes);

/* The value of a free accumulator's line; `begin` makes it the identity. */
void *planes_free_value(struct planes *planes, uint64_t line, bool begin);

/* The values of count lines, at most PLANES_END, of length elements: an array of
 * the class's size, valid until the next call. They end: no more is added. */
#define PLANES_END 512u
const void *planes_end(struct planes *planes, uint64_t line, uint64_t count, uint64_t length);

#endif
