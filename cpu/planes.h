/* planes.h - the state of one ordered or free accumulator over many open lines
 * whose elements are not adjacent (the strided order of docs/orders.md).
 *
 * A plane holds one value a line. The open runs are a plane; the values of
 * closed runs wait in a binary counter, a plane for each bit of the number of
 * closed runs. */
#ifndef CPU_PLANES_H
#define CPU_PLANES_H

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
	void *value;                 /* of one line, for the moment */
};

enum status planes_init(struct planes *planes, const struct accum_class *class,
			const struct accum_args *args, uint64_t lines, struct error *err);
void planes_deinit(struct planes *planes);

/* All lines start over. */
void planes_begin(struct planes *planes);

/* One element for each of count lines from `line` on, all at `position`. */
enum status planes_row(struct planes *planes, uint64_t line, uint64_t count, uint64_t position,
		       const void *x, const void *y, struct error *err);

/* count elements of one line, the first at `position`. */
enum status planes_run(struct planes *planes, uint64_t line, uint64_t count, uint64_t position,
		       const void *x, const void *y, struct error *err);

/* The value of a line of length elements, valid until the next call. */
void *planes_end(struct planes *planes, uint64_t line, uint64_t length);

#endif
