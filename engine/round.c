#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "engine/round.h"

const struct float_format *float_format_of(enum dtype dtype)
{
	static const struct float_format float16 = {11, -14, 15, 2};
	static const struct float_format bfloat16 = {8, -126, 127, 2};
	static const struct float_format float32 = {24, -126, 127, 4};
	static const struct float_format float64 = {53, -1022, 1023, 8};

	switch (dtype) {
	case DTYPE_FLOAT16:
		return &float16;
	case DTYPE_BFLOAT16:
		return &bfloat16;
	case DTYPE_FLOAT32:
		return &float32;
	default:
		assert(dtype == DTYPE_FLOAT64);
		return &float64;
	}
}

static void store(const struct float_format *format, uint64_t bits, void *out)
{
	uint16_t bits16 = (uint16_t)bits;
	uint32_t bits32 = (uint32_t)bits;

	if (format->size == 2)
		memcpy(out, &bits16, sizeof(bits16));
	else if (format->size == 4)
		memcpy(out, &bits32, sizeof(bits32));
	else
		memcpy(out, &bits, sizeof(bits));
}

static uint64_t sign_bit(const struct float_format *format, bool negative)
{
	return (uint64_t)negative << (8 * format->size - 1);
}

static uint64_t infinity_bits(const struct float_format *format)
{
	return (uint64_t)(2 * format->max_exponent + 1) << (format->precision - 1);
}

/* (mantissa + f) * 2^exponent, 0 <= f < 1, f > 0 when `more`; mantissa not 0. */
static uint64_t round_magnitude(const struct float_format *format, uint64_t mantissa,
				int64_t exponent, bool more)
{
	int shift = __builtin_clzll(mantissa), keep = format->precision, drop;
	int64_t leading = exponent + 63 - shift; /* the value's own exponent */
	uint64_t kept, rest, half, bits;

	if (leading > format->max_exponent)
		return infinity_bits(format);
	if (leading < format->min_exponent) {
		if (leading < (int64_t)format->min_exponent - format->precision)
			return 0; /* below half of the least subnormal */
		keep -= (int)(format->min_exponent - leading);
	}

	/* With more behind it the mantissa has at least 56 bits, see below:
	 * what is shifted in at the right end is never kept. */
	mantissa <<= shift;
	drop = 64 - keep;
	half = (uint64_t)1 << (drop - 1);
	kept = drop < 64 ? mantissa >> drop : 0;
	rest = drop < 64 ? mantissa & (((uint64_t)1 << drop) - 1) : mantissa;

	/* A carry goes into the exponent, where it belongs, up to infinity. */
	bits = kept;
	if (leading >= format->min_exponent) {
		uint64_t biased = (uint64_t)(leading + format->max_exponent);

		bits += (biased - 1) << (format->precision - 1);
	}
	/* Without a branch: it would be taken at random. */
	bits += (rest > half) | ((rest == half) & (more | (kept & 1)));
	return bits;
}

void round_bits(bool negative, uint64_t mantissa, int64_t exponent, bool more, enum dtype to,
		void *out)
{
	const struct float_format *format = float_format_of(to);
	uint64_t bits = sign_bit(format, negative);

	if (mantissa != 0)
		bits |= round_magnitude(format, mantissa, exponent, more);
	store(format, bits, out);
}

void round_f64(double value, enum dtype to, void *out)
{
	const struct float_format *format = float_format_of(to);
	uint64_t bits, sign, mantissa;
	int biased;

	memcpy(&bits, &value, sizeof(bits));
	sign = sign_bit(format, bits >> 63 != 0);
	mantissa = bits & (((uint64_t)1 << 52) - 1);
	biased = (int)(bits >> 52 & 0x7ff);

	if (isnan(value)) /* quiet, positive, no payload */
		bits = infinity_bits(format) | (uint64_t)1 << (format->precision - 2);
	else if (isinf(value))
		bits = sign | infinity_bits(format);
	else if (to == DTYPE_FLOAT64)
		; /* as it is */
	else if (biased > 0)
		bits = sign |
		       round_magnitude(format, mantissa | (uint64_t)1 << 52, biased - 1075, false);
	else if (mantissa > 0)
		bits = sign | round_magnitude(format, mantissa, -1074, false);
	else
		bits = sign;
	store(format, bits, out);
}

/* The highest bits of an integer that is not 0 as a 64-bit mantissa with its
 * top bit set, the exponent that goes with them, and whether more follow. */
static uint64_t leading_bits(const struct bigint *a, int64_t *exponent, bool *more)
{
	uint32_t top = a->used - 1, i;
	int shift = __builtin_clzll(a->word[top]);
	uint64_t mantissa = a->word[top] << shift, rest = 0;

	*exponent = 64 * (int64_t)top - shift;
	if (top > 0) {
		if (shift > 0)
			mantissa |= a->word[top - 1] >> (64 - shift);
		rest = a->word[top - 1] << shift;
		for (i = 0; i + 1 < top; i++)
			rest |= a->word[i];
	}
	*more = rest != 0;
	return mantissa;
}

/* num * 2^exponent / den to a quotient of `bits` or bits+1 bits: num is scaled
 * by a power of two first, so that long numbers cost little. With `even` the
 * exponent that remains is even, and the quotient may have bits+2 bits. */
static void scaled_quotient(struct bigint *quotient, int64_t *exponent, bool *more,
			    const struct exact_value *value, int64_t bits, bool even)
{
	int64_t den_bits = value->den != NULL ? bigint_bits(value->den) : 1;
	int64_t shift = bits + den_bits - (int64_t)bigint_bits(value->num);
	bool lost = false, rest = false;

	if (even && ((value->exponent - shift) & 1) != 0)
		shift++;
	*exponent = value->exponent - shift;

	bigint_set_words(quotient, value->num->word, value->num->used);
	if (shift >= 0)
		bigint_shift_left(quotient, (uint32_t)shift);
	else
		bigint_shift_right(quotient, (uint32_t)-shift, &lost);
	if (value->den != NULL)
		bigint_divide(quotient, &rest, quotient, value->den);
	*more = lost || rest;
}

void round_exact(const struct exact_value *value, enum dtype to, void *out)
{
	uint64_t mantissa;
	struct bigint quotient, root;
	int64_t exponent, top_exponent;
	bool more = false, rest = false, tail;

	if (value->num->used == 0) {
		round_bits(value->negative, 0, 0, false, to, out);
		return;
	}

	/* floor(sqrt(x)) = floor(sqrt(floor(x))), and the root is exact only
	 * when nothing was lost before: 126 bits or more give 63. */
	if (value->root) {
		scaled_quotient(&quotient, &exponent, &more, value, 126, true);
		bigint_sqrt(&root, &rest, &quotient);
		mantissa = leading_bits(&root, &top_exponent, &tail);
		exponent = exponent / 2 + top_exponent;
	} else if (value->den != NULL) {
		scaled_quotient(&quotient, &exponent, &more, value, 63, false);
		mantissa = leading_bits(&quotient, &top_exponent, &tail);
		exponent += top_exponent;
	} else {
		mantissa = leading_bits(value->num, &top_exponent, &tail);
		exponent = value->exponent + top_exponent;
	}
	round_bits(value->negative, mantissa, exponent, more || rest || tail, to, out);
}

double float16_to_f64(uint16_t bits)
{
	int biased = bits >> 10 & 0x1f;
	uint64_t sign = (uint64_t)(bits >> 15) << 63, mantissa = bits & 0x3ff, wide;
	double value;

	if (biased == 0) { /* zero or subnormal: an integer times 2^-24 */
		value = (double)mantissa * 0x1p-24;
		return sign != 0 ? -value : value;
	}
	wide = sign | mantissa << 42;
	wide |= (uint64_t)(biased == 0x1f ? 0x7ff : biased - 15 + 1023) << 52;
	memcpy(&value, &wide, sizeof(value));
	return value;
}

double bfloat16_to_f64(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}
