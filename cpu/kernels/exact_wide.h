/* exact_wide.h - an exact accumulator for products of binary64 numbers of any
 * range, added as integers: where no pair of binary64 numbers holds a product.
 * Digits are those of struct exactsum in wider words, so that carries may wait
 * for a tile. */
#ifndef CPU_KERNELS_EXACT_WIDE_H
#define CPU_KERNELS_EXACT_WIDE_H

#include <stdint.h>
#include "cpu/kernels/level.h"
#include "engine/exactsum.h"

#define exact_wide_add LEVEL(exact_wide_add)

/* Add x[i] * y[i] of count elements, ORDER_TILE at most, to sum, as
 * exactsum_add_product() does one by one. */
void exact_wide_add(struct exactsum *sum, const double *x, const double *y, uint64_t count);

#endif
