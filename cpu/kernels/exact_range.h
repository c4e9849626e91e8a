/* exact_range.h - the exponents in a tile, and where bins for them should lie. A
 * plan is a guess that bins prove or refute; it is never what a result rests on. */
#ifndef CPU_KERNELS_EXACT_RANGE_H
#define CPU_KERNELS_EXACT_RANGE_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/level.h"

struct exact_range {
	bool finite; /* no infinities; NaN may go unseen */
	int top;     /* elements are below 2^(top + 1), */
	int bottom;  /* and multiples of 2^bottom; of zeros they are 0 and 0 */
};

#define exact_range_f64 LEVEL(exact_range_f64)
#define exact_range_f32 LEVEL(exact_range_f32)
#define exact_range_bins LEVEL(exact_range_bins)
#define exact_range_plan_f64 LEVEL(exact_range_plan_f64)
#define exact_range_plan_f32 LEVEL(exact_range_plan_f32)

struct exact_range exact_range_f64(const double *x, uint64_t count);
struct exact_range exact_range_f32(const float *x, uint64_t count);

/* Bins side by side that reach from the top to the last bit of the bottom. */
int exact_range_bins(const struct exact_range *range);

/* At most `most` bins, only where the exponents of finite elements need some:
 * their places in q. 0: more are needed, or they are too high for bins. */
int exact_range_plan_f64(const double *x, uint64_t count, int most, int *q);
int exact_range_plan_f32(const float *x, uint64_t count, int most, int *q);

#endif
