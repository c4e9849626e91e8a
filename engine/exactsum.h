/* exactsum.h - exact sums of floats and of products of two floats: a wide
 * fixed-point integer. Elements may come, and sums be merged, in any order.
 *
 * Digits of 32 bits in 64-bit words, so that carries wait: digit[i] has the
 * weight 2^(32*i + EXACTSUM_LOW). Covers products of two binary64 numbers,
 * 2^-2148 to 2^2048, times 2^63 of them. Digits outside lo..hi are void: they
 * are neither initialised nor compared. */
#ifndef ENGINE_EXACTSUM_H
#define ENGINE_EXACTSUM_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/bigint.h"
#include "engine/dtype.h"
#include "engine/leading.h"

#define EXACTSUM_LOW (-2176) /* a multiple of 32 below -2148 */
#define EXACTSUM_DIGITS 136  /* up to 2^2176 */

struct exactsum {
	int64_t digit[EXACTSUM_DIGITS];
	uint32_t pending; /* additions since carries were propagated */
	int16_t lo, hi;   /* digits in use: lo..hi, none: lo > hi */
	/* Terms that came: */
	bool nan, pos_inf, neg_inf;
	bool neg_zero; /* -0 */
	bool other;    /* anything but -0 */
};

void exactsum_init(struct exactsum *sum);
void exactsum_add(struct exactsum *sum, double x);
void exactsum_add_product(struct exactsum *sum, double x, double y);

/* Add value * 2^exponent to the finite part, within the range above. Not a term:
 * the flags are the caller's to set. */
void exactsum_add_integer(struct exactsum *sum, __int128 value, int exponent);

void exactsum_merge(struct exactsum *sum, const struct exactsum *other);

/* Propagate carries: digits but the top one in 0..2^32-1, the top one within
 * -2^32..2^32 (neither end) and not 0, as low as that allows; digit[lo] not 0;
 * of zero lo 0, hi -1. Where NaN or infinities decide, that alone is kept, without
 * digits; neg_zero is kept when no other term came. Equal sums have equal flags,
 * lo, hi and digits between. */
void exactsum_normalize(struct exactsum *sum);

/* False when NaN or an infinity took part: *special is what the sum is. */
bool exactsum_is_finite(const struct exactsum *sum, double *special);

/* The finite part as (-1)^negative * magnitude * 2^exponent. Normalizes. */
void exactsum_value(struct exactsum *sum, struct bigint *magnitude, bool *negative,
		    int64_t *exponent);

/* The finite part's leading bits; of zero the sign as exactsum_round() has it.
 * Normalizes. */
void exactsum_leading(struct exactsum *sum, struct leading *out);

/* The sum, rounded once to a float type and written to out; +0 of no terms,
 * -0 when all were -0. Normalizes. */
void exactsum_round(struct exactsum *sum, enum dtype to, void *out);

#endif
