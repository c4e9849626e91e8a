/* work.h - one job's computation, its elements in device memory. Private to gpu/.
 *
 *   part.c     values of accumulators, of some lines at a time
 *   reduce.c   reductions: parts, and results by line
 *   scan.c     prefixes
 */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include "engine/plan.h"
#include "engine/result.h"
#include "gpu/device.h"
#include "gpu/geometry.h"

struct work {
	struct device *device;
	struct queue *queue;
	const struct plan *plan;
	struct result *result;

	const void *x, *y;        /* device memory; y: the second array, or NULL */
	uint64_t count;           /* elements of each */
	struct geometry geometry; /* of all */

	struct device_buffer scratch; /* of one launch after another */
	struct device_buffer wide;    /* integers as float64, once made */
	bool widened;                 /* they are: those of x */
};

/* Results go to the result's spools. */
enum status reduce_run(struct work *work, struct error *err);
enum status scan_run(struct work *work, struct error *err);

/* Whether the kernels serve a scan. */
bool scan_possible(const struct plan *plan);

/* Bytes of device memory beyond the elements. */
uint64_t reduce_memory(const struct plan *plan, const struct geometry *geometry, uint64_t count);
uint64_t scan_memory(const struct plan *plan, const struct geometry *geometry, uint64_t count);

/* The launch on the queue, with at least so many bytes of scratch. */
enum status work_launch(struct work *work, size_t scratch, struct launch *out, struct error *err);

/* x as the accumulator sees it: integers under an ordered accumulator, or a
 * logsumexp, become float64. */
enum status work_elements(struct work *work, enum domain domain, struct elements *out,
			  struct error *err);

/* nan: omit, of elements that can be NaN. */
bool work_omits(const struct plan *plan);

/* nan: error. The lowest C order index of a NaN, UINT64_MAX: none. */
enum status work_first_nan(struct work *work, uint64_t *out, struct error *err);
enum status work_fail_nan(const struct plan *plan, uint64_t index, struct error *err);

/* Bytes from the device, now: a few. */
enum status work_fetch(struct work *work, const void *from, void *to, uint64_t size,
		       struct error *err);

#endif
