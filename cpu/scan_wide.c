#include "config.h"
#include "cpu/scan_wide.h"

#include "engine/elementary.h"

void scan_wide_init(struct scan_wide *sum)
{
	*sum = (struct scan_wide){.low = SCAN_WIDE_WORDS};
}

void scan_wide_add(struct scan_wide *s, double x)
{
	uint64_t bits = elementary_bits(x), mantissa = bits & 0xfffffffffffffu;
	unsigned exponent = (unsigned)(bits >> 52 & 0x7ff), shift, w;
	unsigned __int128 term;
	uint64_t part[2], carry = 0;

	if (exponent != 0)
		mantissa |= (uint64_t)1 << 52;
	shift = exponent != 0 ? exponent - 1 : 0;
	w = shift / 64;
	term = (unsigned __int128)mantissa << shift % 64;
	part[0] = (uint64_t)term;
	part[1] = (uint64_t)(term >> 64);
	if (w < s->low)
		s->low = w;
	for (unsigned k = 0; w + k < SCAN_WIDE_WORDS && (k < 2 || carry != 0); k++) {
		uint64_t add = k < 2 ? part[k] : 0, old = s->word[w + k];
		unsigned __int128 sum;

		if (bits >> 63)
			sum = (unsigned __int128)old - add - carry;
		else
			sum = (unsigned __int128)old + add + carry;
		s->word[w + k] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64) & 1;
	}
}

/* The sum's magnitude: top * 2^exponent and something below when `more`; the
 * highest bit of top is set, or top is 0. */
struct highest {
	uint64_t top;
	int exponent;
	bool negative, more;
};

static struct highest highest_of(const struct scan_wide *s)
{
	bool negative = s->word[SCAN_WIDE_WORDS - 1] >> 63;
	uint64_t sign = negative ? UINT64_MAX : 0, part[3], carry;
	struct highest out = {.negative = negative};
	int t = SCAN_WIDE_WORDS - 1, shift;

	while (t > 0 && s->word[t] == sign)
		t--;
	for (int k = (int)s->low; k < t - 1 && !out.more; k++)
		out.more = s->word[k] != 0;

	/* Words t-1, t, t+1 of the magnitude: -x is ~x + 1, and the 1 gets here
	 * when all below are 0. */
	carry = negative && !out.more;
	for (int k = 0; k < 3; k++) {
		int i = t - 1 + k;
		uint64_t word = i < 0 ? 0 : i < SCAN_WIDE_WORDS ? s->word[i] : sign;

		part[k] = negative && i >= 0 ? ~word : word;
		if (i >= 0) {
			part[k] += carry;
			carry = carry && part[k] == 0;
		}
	}
	if (part[2] != 0) { /* a power of two */
		part[0] = part[1];
		part[1] = part[2];
		t++;
	}
	if (part[1] == 0)
		return out;
	shift = __builtin_clzll(part[1]);
	out.top = part[1] << shift | (shift > 0 ? part[0] >> (64 - shift) : 0);
	out.more = out.more || part[0] << shift != 0;
	out.exponent = 64 * t - shift - 1074;
	return out;
}

static double round_sum(const struct highest *sum, bool odd)
{
	uint64_t sign = (uint64_t)sum->negative << 63, kept = sum->top >> 11, bits;
	uint64_t rest = sum->top & 0x7ff;
	int exponent = sum->exponent + 63; /* of the value */

	if (exponent > 1023)
		return elementary_from_bits(sign | 0x7ff0000000000000u);
	if (exponent < -1022) /* all of it lies above 2^-1074 */
		return elementary_from_bits(sign | sum->top >> (-1011 - exponent));
	if (odd)
		kept |= rest != 0 || sum->more;
	bits = ((uint64_t)(exponent + 1022) << 52) + kept;
	if (!odd && (rest > 0x400 || (rest == 0x400 && (sum->more || kept % 2 != 0))))
		bits++;
	return elementary_from_bits(sign | bits);
}

double scan_wide_value(const struct scan_wide *sum, bool odd)
{
	struct highest highest = highest_of(sum);

	return highest.top == 0 ? 0.0 : round_sum(&highest, odd);
}

bool scan_wide_span(const struct scan_wide *sum, int *lowest, int *highest)
{
	uint64_t sign = (uint64_t)((int64_t)sum->word[SCAN_WIDE_WORDS - 1] >> 63);
	int first = (int)sum->low, last = SCAN_WIDE_WORDS - 1;

	while (first < SCAN_WIDE_WORDS && sum->word[first] == 0)
		first++;
	if (first == SCAN_WIDE_WORDS)
		return false;
	while (last > first && sum->word[last] == sign)
		last--;
	*lowest = 64 * first + __builtin_ctzll(sum->word[first]);
	*highest = *lowest; /* of -2^lowest */
	if (sum->word[last] != sign)
		*highest = 64 * last + 63 - __builtin_clzll(sum->word[last] ^ sign);
	if (*highest < *lowest)
		*highest = *lowest;
	return true;
}

__int128 scan_wide_get(const struct scan_wide *sum, int bit)
{
	uint64_t sign = (uint64_t)((int64_t)sum->word[SCAN_WIDE_WORDS - 1] >> 63), part[3];
	int shift = bit % 64;
	unsigned __int128 value;

	for (int k = 0; k < 3; k++) {
		int i = bit / 64 + k;

		part[k] = i < SCAN_WIDE_WORDS ? sum->word[i] : sign;
	}
	value = (unsigned __int128)part[1] << 64 | part[0];
	if (shift > 0) {
		value >>= shift;
		value |= (unsigned __int128)part[2] << (128 - shift);
	}
	return (__int128)value;
}

void scan_wide_set(struct scan_wide *sum, __int128 value, int bit)
{
	int first = bit / 64, shift = bit % 64;
	unsigned __int128 low = (unsigned __int128)value << shift;
	__int128 high = shift > 0 ? value >> (128 - shift) : value >> 127;

	for (int i = 0; i < SCAN_WIDE_WORDS; i++)
		sum->word[i] = i < first ? 0 : (uint64_t)(high >> 127);
	sum->word[first] = (uint64_t)low;
	sum->word[first + 1] = (uint64_t)(low >> 64);
	if (first + 2 < SCAN_WIDE_WORDS)
		sum->word[first + 2] = (uint64_t)high;
	sum->low = (uint64_t)first;
}
