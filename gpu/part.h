/* part.h - values of accumulators: the plan's, of as many lines as are computed at
 * a time, in device memory. Private to gpu/. */
#ifndef GPU_PART_H
#define GPU_PART_H

#include "gpu/work.h"

#define PART_ALIGN 256u /* of each accumulator's values */

struct part {
	struct work *work;
	uint32_t sizes[JOB_MAX_OPS]; /* of a value of each accumulator */
	uint64_t line_bytes;         /* of all values of a line */
	uint64_t most;               /* lines */
	unsigned family;             /* accumulators made by ordered_family(), a bit each */

	/* Of the lines computed last. */
	uint64_t first, lines;
	struct device_buffer values;
	uint64_t offsets[JOB_MAX_OPS]; /* of each accumulator's values in it */
	uint64_t nans;                 /* of struct nan_found, under nan: omit */
	uint64_t bytes;                /* in use */
};

void part_init(struct part *part, struct work *work);
void part_deinit(struct part *part);

/* Lines first .. first + lines - 1 of the work's, a multiple of the geometry's step
 * and at most part->most: launched, not waited for. */
enum status part_compute(struct part *part, uint64_t first, uint64_t lines, struct error *err);

/* What the device leaves as digits with carries becomes the form that has one way to
 * be written: values on the host, of each accumulator and so many lines. */
void part_normalize(const struct plan *plan, void *const *values, uint64_t lines);

/* Bytes of device memory for all this, the elements aside. */
uint64_t part_memory(const struct part *part);

/* Whether `none` may add the terms of this accumulator in any order: of one line,
 * where no operation that shares it promises more. */
bool part_is_atomic(const struct plan *plan, unsigned accum);

#endif
