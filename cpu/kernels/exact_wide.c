#include "config.h"
#include "cpu/kernels/exact_wide.h"

#include <assert.h>
#include <string.h>
#include "engine/order.h"

#define DIGIT_MASK (((int64_t)1 << 32) - 1)

/* Parts of a product are below 2^42, those of a tile below 2^54. */
struct words {
	int64_t digit[EXACTSUM_DIGITS];
};

/* A factor as mantissa * 2^(exponent - 1075); of subnormals too. */
struct factor {
	uint64_t mantissa, exponent;
};

static inline struct factor factor_of(uint64_t bits)
{
	uint64_t exponent = bits >> 52 & 0x7ff, normal = exponent != 0;

	return (struct factor){(bits & 0xfffffffffffffu) | normal << 52, exponent + 1 - normal};
}

/* One of finite factors that are not 0: 106 bits, in four parts. */
static inline void add_one(struct words *words, uint64_t x, uint64_t y)
{
	struct factor a = factor_of(x), b = factor_of(y);
	unsigned __int128 product = (unsigned __int128)a.mantissa * b.mantissa;
	uint64_t bottom = (uint64_t)product, top = (uint64_t)(product >> 64);
	uint64_t position = a.exponent + b.exponent - 2150 - EXACTSUM_LOW, shift = position & 31;
	int64_t *digit = words->digit + (position >> 5), sign = (int64_t)(x ^ y) >> 63;
	uint64_t middle = bottom >> (32 - shift) | top << (32 + shift);
	int64_t lowest = (int64_t)(bottom << shift) & DIGIT_MASK;
	int64_t low = (int64_t)middle & DIGIT_MASK, high = (int64_t)(middle >> 32);
	int64_t highest = (int64_t)(top >> (32 - shift));

	digit[0] += (lowest ^ sign) - sign;
	digit[1] += (low ^ sign) - sign;
	digit[2] += (high ^ sign) - sign;
	digit[3] += (highest ^ sign) - sign;
}

/* Digits in use, carries propagated once, so that they are below 2^34. */
static void end(struct words *words, struct exactsum *sum)
{
	struct exactsum part;
	int lo = 0, hi = EXACTSUM_DIGITS - 1;

	exactsum_init(&part);
	for (int k = EXACTSUM_DIGITS - 2; k >= 0; k--) {
		words->digit[k + 1] += words->digit[k] >> 32;
		words->digit[k] &= DIGIT_MASK;
	}
	while (lo <= hi && words->digit[lo] == 0)
		lo++;
	while (lo <= hi && words->digit[hi] == 0)
		hi--;
	if (lo <= hi) {
		memcpy(part.digit + lo, words->digit + lo,
		       (size_t)(hi - lo + 1) * sizeof(words->digit[0]));
		part.lo = (int16_t)lo;
		part.hi = (int16_t)hi;
		part.pending = 3;
	}
	exactsum_merge(sum, &part);
}

/* Neither 0, infinite nor NaN. */
static inline bool ordinary(uint64_t bits)
{
	return (bits << 1) - 1 < ((uint64_t)0x7ff << 53) - 1;
}

void exact_wide_add(struct exactsum *sum, const double *x, const double *y, uint64_t count)
{
	struct words words;
	bool other = false;

	assert(count <= ORDER_TILE);
	memset(&words, 0, sizeof(words));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t a, b;

		memcpy(&a, x + i, sizeof(a));
		memcpy(&b, y + i, sizeof(b));
		if (__builtin_expect(ordinary(a) && ordinary(b), 1)) {
			other = true;
			add_one(&words, a, b);
		} else {
			exactsum_add_product(sum, x[i], y[i]); /* of which no digits come */
		}
	}
	sum->other |= other;
	end(&words, sum);
}
