/* measure.h - what a device takes for a launch, a copy and a reading: the plan's
 * facts (gpu/cost.c). */
#ifndef GPU_MEASURE_H
#define GPU_MEASURE_H

#include "gpu/device.h"

/* Fills caps.launch_ns, caps.bytes_per_second, caps.in_bytes_per_second,
 * caps.out_bytes_per_second and feed_bytes_per_second. */
enum status device_measure(struct device *device, struct error *err);

#endif
