/* cost.h - what a plan costs on a device: from what was measured when it opened.
 * Private to gpu/. */
#ifndef GPU_COST_H
#define GPU_COST_H

#include "engine/plan.h"
#include "gpu/device.h"

/* Predicted ns for elements in host memory, or `resident` on the device; of
 * ARRAY_UNKNOWN more than any CPU's guess. UINT64_MAX: it does not fit in the device's memory, or
 * the device is lost. */
uint64_t gpu_cost_estimate(const struct device *device, const struct plan *plan, uint64_t count,
			   bool resident);

#endif
