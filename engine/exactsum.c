#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "engine/exactsum.h"
#include "engine/round.h"

#define DIGIT_BITS 32
#define DIGIT_MASK (((int64_t)1 << DIGIT_BITS) - 1)

/* Invariant: |digit[i]| <= (pending + 1) * 2^32 for lo <= i <= hi; digits
 * outside lo..hi are void. 2^30 additions leave a factor of two to spare. */
#define MAX_PENDING ((uint32_t)1 << 30)

void exactsum_init(struct exactsum *sum)
{
	sum->pending = 0;
	sum->lo = 0;
	sum->hi = -1;
	sum->nan = sum->pos_inf = sum->neg_inf = false;
	sum->neg_zero = sum->other = false;
}

/* Make digits first..last part of the range. */
static void widen(struct exactsum *sum, int first, int last)
{
	int i;

	assert(first >= 0 && last < EXACTSUM_DIGITS);
	if (sum->lo > sum->hi) {
		sum->lo = (int16_t)first;
		sum->hi = (int16_t)(first - 1);
	}
	for (i = sum->hi + 1; i <= last; i++)
		sum->digit[i] = 0;
	for (i = first; i < sum->lo; i++)
		sum->digit[i] = 0;
	if (last > sum->hi)
		sum->hi = (int16_t)last;
	if (first < sum->lo)
		sum->lo = (int16_t)first;
}

/* Carries go up; the top digit keeps the sign and grows into new digits when
 * it leaves the open range -2^32..2^32. */
static void propagate(struct exactsum *sum)
{
	int64_t carry = 0;
	int i;

	for (i = sum->lo; i < sum->hi; i++) {
		int64_t digit = sum->digit[i] + carry;

		sum->digit[i] = digit & DIGIT_MASK;
		carry = digit >> DIGIT_BITS;
	}
	if (i == sum->hi)
		sum->digit[i] += carry;
	while (sum->lo <= sum->hi &&
	       (sum->digit[sum->hi] > DIGIT_MASK || sum->digit[sum->hi] < -DIGIT_MASK)) {
		int64_t digit = sum->digit[sum->hi];

		widen(sum, sum->lo, sum->hi + 1);
		sum->digit[sum->hi - 1] = digit & DIGIT_MASK;
		sum->digit[sum->hi] = digit >> DIGIT_BITS;
	}
	sum->pending = 0;
}

/* What decides is all that is kept: NaN; one infinity; -0 only of nothing else. */
static void settle_flags(struct exactsum *sum)
{
	sum->nan |= sum->pos_inf && sum->neg_inf;
	if (sum->nan)
		sum->pos_inf = sum->neg_inf = false;
	if (sum->nan || sum->pos_inf || sum->neg_inf) {
		sum->other = true;
		sum->lo = 0;
		sum->hi = -1;
	}
	if (sum->other)
		sum->neg_zero = false;
}

void exactsum_normalize(struct exactsum *sum)
{
	settle_flags(sum);
	propagate(sum);

	/* The highest digit is as low as the open range lets it be: a 0 goes,
	 * a -1 is joined to the digit below it. */
	while (sum->hi > sum->lo) {
		int64_t top = sum->digit[sum->hi], below = sum->digit[sum->hi - 1];

		if (top == -1 && below != 0)
			sum->digit[sum->hi - 1] = below - DIGIT_MASK - 1;
		else if (top != 0)
			break;
		sum->hi--;
	}
	while (sum->lo <= sum->hi && sum->digit[sum->lo] == 0)
		sum->lo++;
	if (sum->lo > sum->hi) {
		sum->lo = 0;
		sum->hi = -1;
	}
}

/* Add +-mantissa * 2^exponent. */
static void add_scaled(struct exactsum *sum, unsigned __int128 mantissa, int exponent,
		       bool negative)
{
	unsigned position = (unsigned)(exponent - EXACTSUM_LOW);
	unsigned first = position / DIGIT_BITS, shift = position % DIGIT_BITS, count = 0, i;
	int64_t part[5];

	/* The lowest digit by itself, so that the shift loses nothing. */
	part[count++] = (int64_t)((uint64_t)mantissa << shift) & DIGIT_MASK;
	for (mantissa >>= DIGIT_BITS - shift; mantissa != 0; mantissa >>= DIGIT_BITS)
		part[count++] = (int64_t)mantissa & DIGIT_MASK;

	if (sum->pending == MAX_PENDING)
		propagate(sum);
	sum->pending++;
	widen(sum, (int)first, (int)(first + count - 1));
	for (i = 0; i < count; i++)
		sum->digit[first + i] += negative ? -part[i] : part[i];
}

/* A finite number that is not 0 as mantissa * 2^exponent, mantissa < 2^53. */
static uint64_t split(double x, int *exponent)
{
	uint64_t bits, mantissa;
	int biased;

	memcpy(&bits, &x, sizeof(bits));
	mantissa = bits & (((uint64_t)1 << 52) - 1);
	biased = (int)(bits >> 52 & 0x7ff);
	if (biased == 0) {
		*exponent = -1074;
		return mantissa;
	}
	*exponent = biased - 1075;
	return mantissa | (uint64_t)1 << 52;
}

static void add_infinity(struct exactsum *sum, bool negative)
{
	if (negative)
		sum->neg_inf = true;
	else
		sum->pos_inf = true;
}

void exactsum_add(struct exactsum *sum, double x)
{
	bool negative = signbit(x) != 0;
	uint64_t mantissa;
	int exponent;

	sum->other |= x != 0 || !negative;
	if (isnan(x)) {
		sum->nan = true;
	} else if (isinf(x)) {
		add_infinity(sum, negative);
	} else if (x == 0) {
		sum->neg_zero |= negative;
	} else {
		mantissa = split(x, &exponent);
		add_scaled(sum, mantissa, exponent, negative);
	}
}

void exactsum_add_product(struct exactsum *sum, double x, double y)
{
	bool negative = (signbit(x) != 0) != (signbit(y) != 0);
	uint64_t x_mantissa, y_mantissa;
	int x_exponent, y_exponent;

	sum->other |= (x != 0 && y != 0) || !negative;
	if (isnan(x) || isnan(y) || (isinf(x) && y == 0) || (x == 0 && isinf(y))) {
		sum->nan = sum->other = true;
	} else if (isinf(x) || isinf(y)) {
		add_infinity(sum, negative);
	} else if (x == 0 || y == 0) {
		sum->neg_zero |= negative;
	} else {
		x_mantissa = split(x, &x_exponent);
		y_mantissa = split(y, &y_exponent);
		add_scaled(sum, (unsigned __int128)x_mantissa * y_mantissa, x_exponent + y_exponent,
			   negative);
	}
}

/* Add value * 2^exponent as three digits, the highest of them signed: no branch on
 * its size or sign. */
static void add_word(struct exactsum *sum, int64_t value, int exponent)
{
	unsigned position = (unsigned)(exponent - EXACTSUM_LOW);
	unsigned first = position / DIGIT_BITS, shift = position % DIGIT_BITS;
	uint64_t low = (uint64_t)value << shift;
	int64_t high = shift == 0 ? value >> 63 : value >> (64 - shift);

	if (sum->pending == MAX_PENDING)
		propagate(sum);
	sum->pending++;
	widen(sum, (int)first, (int)first + 2);
	sum->digit[first] += (int64_t)low & DIGIT_MASK;
	sum->digit[first + 1] += (int64_t)(low >> DIGIT_BITS);
	sum->digit[first + 2] += high;
}

void exactsum_add_integer(struct exactsum *sum, __int128 value, int exponent)
{
	bool negative = value < 0;

	if (value == (int64_t)value)
		add_word(sum, (int64_t)value, exponent);
	else
		add_scaled(sum, negative ? -(unsigned __int128)value : (unsigned __int128)value,
			   exponent, negative);
}

void exactsum_merge(struct exactsum *sum, const struct exactsum *other)
{
	int i;

	if (other->lo <= other->hi) {
		/* The sum of both bounds, each (pending + 1) * 2^32. */
		if (sum->pending + (uint64_t)other->pending + 1 > MAX_PENDING)
			propagate(sum);
		widen(sum, other->lo, other->hi);
		for (i = other->lo; i <= other->hi; i++)
			sum->digit[i] += other->digit[i];
		sum->pending += other->pending + 1;
		if (sum->pending >= MAX_PENDING)
			propagate(sum);
	}
	sum->nan |= other->nan;
	sum->pos_inf |= other->pos_inf;
	sum->neg_inf |= other->neg_inf;
	sum->neg_zero |= other->neg_zero;
	sum->other |= other->other;
}

bool exactsum_is_finite(const struct exactsum *sum, double *special)
{
	if (sum->nan || (sum->pos_inf && sum->neg_inf))
		*special = NAN;
	else if (sum->pos_inf)
		*special = INFINITY;
	else if (sum->neg_inf)
		*special = -INFINITY;
	else
		return true;
	return false;
}

void exactsum_value(struct exactsum *sum, struct bigint *magnitude, bool *negative,
		    int64_t *exponent)
{
	uint64_t words[EXACTSUM_DIGITS / 2 + 1];
	uint32_t used = 0;
	int64_t carry = 0;
	int i;

	exactsum_normalize(sum);
	*negative = sum->lo <= sum->hi && sum->digit[sum->hi] < 0;
	*exponent = DIGIT_BITS * (int64_t)sum->lo + EXACTSUM_LOW;
	for (i = sum->lo; i <= sum->hi; i++) {
		int64_t digit = (*negative ? -sum->digit[i] : sum->digit[i]) + carry;
		uint64_t low = (uint64_t)(digit & DIGIT_MASK);

		carry = digit >> DIGIT_BITS;
		if ((i - sum->lo) % 2 == 0)
			words[used++] = low;
		else
			words[used - 1] |= low << DIGIT_BITS;
	}
	bigint_set_words(magnitude, words, used);
}

/* The highest six digits of the magnitude, void ones as 0, in pairs; `more` is
 * whether digits below them are left out, of which the lowest is not 0. Of a
 * negative sum they are complemented, and the 1 to add gets here when there is
 * nothing below: with more, it is lost in f. */
static void highest_words(const struct exactsum *sum, uint64_t word[3], bool more)
{
	bool negative = sum->digit[sum->hi] < 0;
	int64_t flip = negative ? DIGIT_MASK : 0, carry = negative && !more;
	int first = sum->hi - 5;
	int k;

	for (k = 0; k < 6; k++) {
		int64_t digit = first + k >= sum->lo ? sum->digit[first + k] : 0;

		digit = ((digit & DIGIT_MASK) ^ flip) + carry;
		carry = digit >> DIGIT_BITS;
		if (k % 2 == 0)
			word[k / 2] = (uint64_t)(digit & DIGIT_MASK);
		else
			word[k / 2] |= (uint64_t)digit << DIGIT_BITS;
	}
}

void exactsum_leading(struct exactsum *sum, struct leading *out)
{
	uint64_t word[3];
	int shift;

	exactsum_normalize(sum);
	if (sum->lo > sum->hi) {
		*out = (struct leading){.negative = sum->neg_zero && !sum->other};
		return;
	}
	out->negative = sum->digit[sum->hi] < 0;
	out->more = sum->hi - 5 > sum->lo;
	highest_words(sum, word, out->more);

	/* One of the two highest digits is not 0: see exactsum_normalize(). */
	shift = __builtin_clzll(word[2]);
	out->top = ((unsigned __int128)word[2] << 64 | word[1]) << shift;
	if (shift > 0)
		out->top |= word[0] >> (64 - shift);
	out->more |= word[0] << shift != 0;
	out->exponent = DIGIT_BITS * (int64_t)(sum->hi - 3) + EXACTSUM_LOW - shift;
}

void exactsum_round(struct exactsum *sum, enum dtype to, void *out)
{
	struct leading leading;
	double special;

	if (!exactsum_is_finite(sum, &special)) {
		round_f64(special, to, out);
		return;
	}
	exactsum_leading(sum, &leading);
	leading_round(&leading, to, out);
}
