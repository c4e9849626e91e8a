/* exact_ways.h - the loops over a tile that exact sums choose from, for each kind
 * of element. */
#ifndef CPU_KERNELS_EXACT_WAYS_H
#define CPU_KERNELS_EXACT_WAYS_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/exact_bins.h"
#include "cpu/kernels/exact_input.h"
#include "cpu/kernels/level.h"

/* More bins than this are slower than a table (measured). */
#define EXACT_WAYS_BINS (VECTOR_BYTES == 64 ? 7 : VECTOR_BYTES == 32 ? 3 : 2)

struct exact_ways {
	/* Whether elements below 2^(top + 1), multiples of 2^bottom, are sure to
	 * be added by narrow(). */
	bool (*fits)(int top, int bottom);

	/* False: no proof, nothing was added. Opens the bins as it needs them.
	 * Flags are clear before, and after a failure. */
	bool (*narrow)(struct exact_bins *bins, const struct exact_input *in, struct exactsum *sum);

	/* To the open bins, 2 to EXACT_WAYS_BINS of them; else the same. */
	bool (*bins)(struct exact_bins *bins, const struct exact_input *in, struct exactsum *sum);
};

/* [whether of float][whether of magnitudes]; with the processor's flags, and
 * without. */
#define exact_ways_flagged LEVEL(exact_ways_flagged)
#define exact_ways_plain LEVEL(exact_ways_plain)
extern const struct exact_ways exact_ways_flagged[2][2], exact_ways_plain[2][2];

/* Empty bins into sum and open some; false: too great for bins. */
#define exact_ways_reopen LEVEL(exact_ways_reopen)
bool exact_ways_reopen(struct exact_bins *bins, int count, int top, struct exactsum *sum);

#endif
