/* stage.h - raw elements made ready for the kernels: widened to the domains
 * that a plan's accumulators want, and searched for NaNs. */
#ifndef CPU_STAGE_H
#define CPU_STAGE_H

#include <stdint.h>
#include "engine/plan.h"

#define STAGE_DOMAINS 3 /* enum domain */

/* Room for one tile in each domain; allocated once for each worker. */
struct stage {
	void *x[STAGE_DOMAINS], *y[STAGE_DOMAINS];
};

/* One tile as kernels see it. */
struct staged {
	const void *x[STAGE_DOMAINS], *y[STAGE_DOMAINS];
	uint64_t count;
	uint64_t nans; /* elements, or pairs, with a NaN */
};

enum status stage_init(struct stage *stage, const struct plan *plan, struct error *err);
void stage_deinit(struct stage *stage);

/* x, y: count elements of the plan's type, at most ORDER_TILE. What needs no
 * widening is not copied: staged points into x. */
void stage_fill(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out);

/* The first element, or pair, with a NaN at `from` or after; count when there
 * is none. Floats only. */
uint64_t stage_next_nan(const struct staged *staged, uint64_t from);

#endif
