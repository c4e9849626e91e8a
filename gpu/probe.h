/* probe.h - which CUDA devices there are, and whether they compute.
 *
 * Plain C, for any thread. A call binds the calling thread to the device it
 * names and creates that device's primary context (hundreds of megabytes, about
 * 0.2 s) where it says so. */
#ifndef GPU_PROBE_H
#define GPU_PROBE_H

#include <stdint.h>
#include "engine/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct probe_device {
	char name[256];
	uint64_t memory;       /* bytes */
	unsigned major, minor; /* compute capability */
	unsigned multiprocessors;
};

/* Devices are 0 .. *out-1; at least one. STATUS_BACKEND_UNAVAILABLE, with the
 * driver's own words, when there is no driver or no device. */
enum status probe_count(unsigned *out, struct error *err);

enum status probe_describe(unsigned device, struct probe_device *out, struct error *err);

/* Creates the context, runs a kernel and compares what comes back:
 * STATUS_BACKEND_UNAVAILABLE when the device does not run this build's code,
 * sums wrongly, or contracts or flushes where IEEE 754 does not. */
enum status probe_compute(unsigned device, struct error *err);

#ifdef __cplusplus
}
#endif

#endif
