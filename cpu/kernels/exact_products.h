/* exact_products.h - exact sums of products, as exact sums of binary64 numbers: a
 * product of binary32 numbers is one, a product of binary64 numbers is two
 * (exact_two.h), or, at the ends of the range, an integer (exact_wide.h). */
#ifndef CPU_KERNELS_EXACT_PRODUCTS_H
#define CPU_KERNELS_EXACT_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/exact_product_ways.h"
#include "cpu/kernels/exact_sum.h"
#include "cpu/kernels/level.h"

/* What is kept from tile to tile: plain memory, aligned to 64 bytes. */
struct exact_products {
	bool trust;        /* the flags of the processor */
	bool parted;       /* high and low were used */
	uint32_t hold;     /* tiles to go before the bins are tried again */
	uint32_t patience; /* the last hold */
	struct exact_product_bins bins;
	struct exact_sum_work high, low; /* what the bins did not take */
	struct exactsum sum;             /* what is in no bin any more */
};

#define exact_products_init LEVEL(exact_products_init)
#define exact_products_add_f64 LEVEL(exact_products_add_f64)
#define exact_products_add_f32 LEVEL(exact_products_add_f32)
#define exact_products_end LEVEL(exact_products_end)

void exact_products_init(struct exact_products *products);

/* x[i] * y[i], or x[i] squared where y is NULL, of at most ORDER_TILE elements, NaN
 * and infinities too. */
void exact_products_add_f64(struct exact_products *products, const double *x, const double *y,
			    uint64_t count);
void exact_products_add_f32(struct exact_products *products, const float *x, const float *y,
			    uint64_t count);

/* Add it all to sum; products are as after exact_products_init(). */
void exact_products_end(struct exact_products *products, struct exactsum *sum);

#endif
