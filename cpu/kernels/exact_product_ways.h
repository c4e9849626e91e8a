/* exact_product_ways.h - products of a tile added to bins as they are formed, two
 * or three bins for each of their two parts: for factors whose exponents are near
 * each other. */
#ifndef CPU_KERNELS_EXACT_PRODUCT_WAYS_H
#define CPU_KERNELS_EXACT_PRODUCT_WAYS_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/exact_bins.h"
#include "cpu/kernels/level.h"
#include "engine/exactsum.h"

/* Products rounded, and what that left over (float64 alone). */
struct exact_product_bins {
	struct exact_bins high, low;
	/* What they are for at most, as bits without the sign: products, factors. */
	int64_t most, most_x, most_y;
	uint32_t tiles; /* since there are three */
};

#define exact_product_ways_f64 LEVEL(exact_product_ways_f64)
#define exact_product_ways_f32 LEVEL(exact_product_ways_f32)

/* x[i] * y[i], or x[i] squared where y is NULL, to bins and what leaves them to
 * sum. False: no proof, nothing was added. trust: exact_flags_work(). */
bool exact_product_ways_f64(struct exact_product_bins *bins, const double *x, const double *y,
			    uint64_t count, bool trust, struct exactsum *sum);
bool exact_product_ways_f32(struct exact_product_bins *bins, const float *x, const float *y,
			    uint64_t count, bool trust, struct exactsum *sum);

#endif
