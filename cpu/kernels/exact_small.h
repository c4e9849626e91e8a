/* exact_small.h - a small exact accumulator, for few elements of any range: it
 * costs little to begin and to end. Neal, "Fast exact summation using small and
 * large superaccumulators" (arXiv 1505.05571), whose chunks hold a term in
 * three parts; two are enough with digits of 32 bits and wider words.
 *
 * A term is an integer below 2^84 in units of a digit of struct exactsum: its
 * low 32 bits and the rest, below 2^52, are added to that digit and the next.
 * The words are signed and wider than a digit, so carries may wait. */
#ifndef CPU_KERNELS_EXACT_SMALL_H
#define CPU_KERNELS_EXACT_SMALL_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/level.h"
#include "engine/exactsum.h"

/* Digit 0 is the one that 2^-1074 falls into, 64 that of the greatest numbers:
 * their upper parts reach 65, and carries 67. */
#define EXACT_SMALL_FIRST ((-1074 - EXACTSUM_LOW) / 32)
#define EXACT_SMALL_DIGITS 68

struct exact_small {
	int64_t digit[EXACT_SMALL_DIGITS];
	uint64_t other;   /* not 0: some term was not -0 */
	uint32_t pending; /* terms since carries were propagated */
	bool nan, pos_inf, neg_inf, neg_zero;
};

#define exact_small_init LEVEL(exact_small_init)
#define exact_small_add LEVEL(exact_small_add)
#define exact_small_add_f32 LEVEL(exact_small_add_f32)
#define exact_small_end LEVEL(exact_small_end)

void exact_small_init(struct exact_small *s);

/* Elements, or their magnitudes; NaN and infinities too. */
void exact_small_add(struct exact_small *s, const double *x, uint64_t count, bool magnitude);
void exact_small_add_f32(struct exact_small *s, const float *x, uint64_t count, bool magnitude);

/* Add it all to sum; s is as after exact_small_init(). */
void exact_small_end(struct exact_small *s, struct exactsum *sum);

#endif
