/* cost.h - what a plan costs on the CPU: measured once at start, scaled by the
 * work of each accumulator. Private to cpu/. */
#ifndef CPU_COST_H
#define CPU_COST_H

#include "engine/backend.h"
#include "engine/plan.h"

/* Fill launch_ns (a sum of 16 elements) and bytes_per_second (a sum of float32
 * that lies in memory, with the whole team). Takes a few milliseconds. */
enum status cost_measure(struct backend *self, struct backend_caps *caps, struct error *err);

/* Predicted ns; ARRAY_UNKNOWN elements: UINT64_MAX / 2. */
uint64_t cost_estimate(const struct backend_caps *caps, const struct plan *plan, uint64_t count);

#endif
