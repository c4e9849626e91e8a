/* exact_sum.h - exact sums of the elements of tiles, or of their magnitudes, at
 * the speed of plain sums where exponents are near each other, and of one integer
 * addition an element where they are not. */
#ifndef CPU_KERNELS_EXACT_SUM_H
#define CPU_KERNELS_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/exact_bins.h"
#include "cpu/kernels/exact_small.h"
#include "cpu/kernels/exact_table.h"
#include "cpu/kernels/level.h"
#include "engine/exactsum.h"

/* How the last tiles were added. */
enum exact_way {
	EXACT_NARROW, /* the fewest operations an element */
	EXACT_BINS,   /* more bins */
	EXACT_MANY    /* the table */
};

/* What is kept from tile to tile: plain memory, aligned to 64 bytes. */
struct exact_sum_work {
	bool trust; /* the flags of the processor */
	bool small_open;
	enum exact_way way;
	uint32_t hold;     /* tiles to go before a narrower way is looked for */
	uint32_t patience; /* the last hold */
	uint32_t since;    /* narrow tiles in a row */
	struct exactsum sum;
	struct exact_bins bins;
	struct exact_small small;
	struct exact_table table;
};

#define exact_sum_init LEVEL(exact_sum_init)
#define exact_sum_add_f64 LEVEL(exact_sum_add_f64)
#define exact_sum_add_f32 LEVEL(exact_sum_add_f32)
#define exact_sum_end LEVEL(exact_sum_end)

void exact_sum_init(struct exact_sum_work *work);

/* At most ORDER_TILE elements, NaN and infinities too. */
void exact_sum_add_f64(struct exact_sum_work *work, const double *x, uint64_t count,
		       bool magnitude);
void exact_sum_add_f32(struct exact_sum_work *work, const float *x, uint64_t count, bool magnitude);

/* Add it all to sum; the work is as after exact_sum_init(). */
void exact_sum_end(struct exact_sum_work *work, struct exactsum *sum);

#endif
