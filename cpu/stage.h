/* stage.h - raw elements made ready for the kernels: as float32 or widened to
 * the domains that a plan's accumulators want, and searched for NaNs where a NaN
 * is left out or an error. */
#ifndef CPU_STAGE_H
#define CPU_STAGE_H

#include <stdint.h>
#include "engine/plan.h"

#define STAGE_DOMAINS 3 /* enum domain */

/* Room for one tile in each form; allocated once for each worker. NULL: the form
 * is not needed, or the elements have it already. */
struct stage {
	void *x[STAGE_DOMAINS], *y[STAGE_DOMAINS];
	float *x_f32, *y_f32;
};

/* One tile as kernels see it. */
struct staged {
	const void *x[STAGE_DOMAINS], *y[STAGE_DOMAINS];
	const float *x_f32, *y_f32; /* of float16, bfloat16, float32; else NULL */
	uint64_t count;
	uint64_t nans; /* elements, or pairs, with a NaN; 0 under nan: propagate */
};

enum status stage_init(struct stage *stage, const struct plan *plan, struct error *err);
void stage_deinit(struct stage *stage);

/* x, y: count elements of the plan's type, at most ORDER_TILE. What has its form
 * already is not copied: staged points into x. Of floats that are no float64
 * only the float32 form is made: stage_widen() makes binary64 of it. */
void stage_view(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out);
void stage_widen(const struct stage *stage, struct staged *staged);

/* Both. */
void stage_fill(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out);

/* The first element, or pair, with a NaN at `from` or after; count when there
 * is none. Floats only. */
uint64_t stage_next_nan(const struct staged *staged, uint64_t from);

#endif
