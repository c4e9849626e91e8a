#include "config.h"
#include "cpu/kernels/exact_small.h"

#include <string.h>
#include "engine/elementary.h"

#define INLINE static inline __attribute__((always_inline))

#define BLOCK 64u         /* terms cut up at a time; measured: 32 to 256 alike */
#define MAX_PENDING 1024u /* terms below 2^52 in a word of 63 bits */
#define DIGIT_MASK (((int64_t)1 << 32) - 1)
#define MINUS_ZERO ((uint64_t)1 << 63)

void exact_small_init(struct exact_small *s)
{
	memset(s, 0, sizeof(*s));
}

/* The upper part of each digit goes to the next: below 2^34 is left. The last
 * digit keeps its own, a carry's carry. */
static void propagate(struct exact_small *s)
{
	for (int k = EXACT_SMALL_DIGITS - 2; k >= 0; k--) {
		s->digit[k + 1] += s->digit[k] >> 32;
		s->digit[k] &= DIGIT_MASK;
	}
	s->pending = 0;
}

/* Element i of x, which is of double or of float. */
INLINE uint64_t bits_of(const void *x, uint64_t i, bool single, bool magnitude)
{
	double value = single ? (double)((const float *)x)[i] : ((const double *)x)[i];
	uint64_t bits = elementary_bits(value);

	return magnitude ? bits & ~MINUS_ZERO : bits;
}

struct block {
	int64_t low[BLOCK], high[BLOCK];
	uint32_t digit[BLOCK]; /* of low; high is added to the next */
};

/* Cut finite terms up. */
INLINE void cut(struct block *block, const uint64_t *bits, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t exponent = bits[i] >> 52 & 0x7ff, normal = exponent != 0;
		uint64_t mantissa = (bits[i] & 0xfffffffffffffu) | normal << 52;
		/* 2^-1074, the unit of exponents 0 and 1, is bit 14 of digit 0. */
		uint64_t position = exponent + 14 - normal, shift = position & 31;
		int64_t sign = (int64_t)bits[i] >> 63;
		int64_t low = (int64_t)(mantissa << shift) & DIGIT_MASK;
		int64_t high = (int64_t)(mantissa >> (32 - shift));

		block->low[i] = (low ^ sign) - sign;
		block->high[i] = (high ^ sign) - sign;
		block->digit[i] = (uint32_t)(position >> 5);
	}
}

/* NaN and infinities are noted; zeros take their place. */
static void take_specials(struct exact_small *s, uint64_t *bits, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if ((bits[i] >> 52 & 0x7ff) != 0x7ff)
			continue;
		if ((bits[i] & 0xfffffffffffffu) != 0)
			s->nan = true;
		else if (bits[i] >> 63 != 0)
			s->neg_inf = true;
		else
			s->pos_inf = true;
		bits[i] = 0;
	}
}

INLINE void add_block(struct exact_small *s, const void *x, uint64_t first, uint64_t count,
		      bool single, bool magnitude)
{
	uint64_t bits[BLOCK], special = 0, other = 0;
	struct block block;

	for (uint64_t i = 0; i < count; i++) {
		bits[i] = bits_of(x, first + i, single, magnitude);
		other |= bits[i] ^ MINUS_ZERO;
		special |= (bits[i] & 0x7fffffffffffffffu) + ((uint64_t)1 << 52);
	}
	s->other |= other;
	s->neg_zero |= other == 0;
	if (special >> 63 != 0)
		take_specials(s, bits, count);

	if (s->pending + count > MAX_PENDING)
		propagate(s);
	s->pending += (uint32_t)count;
	cut(&block, bits, count);
	for (uint64_t i = 0; i < count; i++) {
		int64_t *digit = s->digit + block.digit[i];

		digit[0] += block.low[i];
		/* One addition of both as a vector would wait for the last one's
		 * store: 4 times slower where terms are close (measured). */
		__asm__ volatile("" ::: "memory");
		digit[1] += block.high[i];
	}
}

INLINE void add_all(struct exact_small *s, const void *x, uint64_t count, bool single,
		    bool magnitude)
{
	uint64_t i = 0;

	for (; i + BLOCK <= count; i += BLOCK)
		add_block(s, x, i, BLOCK, single, magnitude);
	if (i < count)
		add_block(s, x, i, count - i, single, magnitude);
}

void exact_small_add(struct exact_small *s, const double *x, uint64_t count, bool magnitude)
{
	if (magnitude)
		add_all(s, x, count, false, true);
	else
		add_all(s, x, count, false, false);
}

void exact_small_add_f32(struct exact_small *s, const float *x, uint64_t count, bool magnitude)
{
	if (magnitude)
		add_all(s, x, count, true, true);
	else
		add_all(s, x, count, true, false);
}

void exact_small_end(struct exact_small *s, struct exactsum *sum)
{
	struct exactsum part;
	int lo = 0, hi = EXACT_SMALL_DIGITS - 1;

	exactsum_init(&part);
	propagate(s);
	while (lo <= hi && s->digit[lo] == 0)
		lo++;
	while (lo <= hi && s->digit[hi] == 0)
		hi--;
	if (lo <= hi) {
		memcpy(part.digit + EXACT_SMALL_FIRST + lo, s->digit + lo,
		       (size_t)(hi - lo + 1) * sizeof(s->digit[0]));
		part.lo = (int16_t)(EXACT_SMALL_FIRST + lo);
		part.hi = (int16_t)(EXACT_SMALL_FIRST + hi);
		part.pending = 3; /* digits are below 2^34 */
	}
	part.nan = s->nan;
	part.pos_inf = s->pos_inf;
	part.neg_inf = s->neg_inf;
	part.neg_zero = s->neg_zero;
	part.other = s->other != 0;
	exactsum_merge(sum, &part);
	exact_small_init(s);
}
