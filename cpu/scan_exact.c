/* scan_exact.c - prefix sums of floats, each rounded once: the running sum is a
 * two's complement integer in units of 2^-1074, always carried through, so that
 * its leading word is found and rounded at once. */
#include "config.h"

#include "cpu/scan_store.h"
#include "cpu/scan_ways.h"
#include "engine/elementary.h"

#define SCAN_INFINITY (0x1p+1023 * 2.0)

/* 2,098 bits of binary64, 60 of the number of elements, a sign: 2,159. */
#define SCAN_WORDS 34

struct state {
	uint64_t word[SCAN_WORDS]; /* word[0] lowest */
	uint64_t low;              /* no word below was ever touched */
	uint64_t any, nan, pos_inf, neg_inf;
	uint64_t not_minus_zero; /* some term was no -0 */
};

static void init(void *state)
{
	*(struct state *)state = (struct state){.low = SCAN_WORDS};
}

static void add_finite(struct state *s, double x)
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
	for (unsigned k = 0; w + k < SCAN_WORDS && (k < 2 || carry != 0); k++) {
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

static void add(struct state *s, double x)
{
	s->any = true;
	if (x != x)
		s->nan = true;
	else if (x == SCAN_INFINITY)
		s->pos_inf = true;
	else if (x == -SCAN_INFINITY)
		s->neg_inf = true;
	else
		add_finite(s, x);
	if (elementary_bits(x) != 0x8000000000000000u)
		s->not_minus_zero = true;
}

/* The sum's magnitude: top * 2^exponent and something below when `more`; the
 * highest bit of top is set, or top is 0. */
struct leading {
	uint64_t top;
	int exponent;
	bool negative, more;
};

static struct leading leading_of(const struct state *s)
{
	bool negative = s->word[SCAN_WORDS - 1] >> 63;
	uint64_t sign = negative ? UINT64_MAX : 0, part[3], carry;
	struct leading out = {.negative = negative};
	int t = SCAN_WORDS - 1, shift;

	while (t > 0 && s->word[t] == sign)
		t--;
	for (int k = (int)s->low; k < t - 1 && !out.more; k++)
		out.more = s->word[k] != 0;

	/* Words t-1, t, t+1 of the magnitude: -x is ~x + 1, and the 1 gets here
	 * when all below are 0. */
	carry = negative && !out.more;
	for (int k = 0; k < 3; k++) {
		int i = t - 1 + k;
		uint64_t word = i < 0 ? 0 : i < SCAN_WORDS ? s->word[i] : sign;

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

/* The sum as a binary64: half to even, or, when it is to be rounded again to a
 * narrower type, to odd (Boldo, Melquiond, IEEE Trans. Comp. 57, 2008). */
static double round_sum(const struct leading *sum, bool odd)
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

static double prefix_of(const struct state *s, bool odd)
{
	struct leading sum;

	if (s->nan || (s->pos_inf && s->neg_inf))
		return elementary_from_bits(0x7ff8000000000000u);
	if (s->pos_inf || s->neg_inf)
		return s->pos_inf ? SCAN_INFINITY : -SCAN_INFINITY;
	sum = leading_of(s);
	if (sum.top == 0)
		return s->any && !s->not_minus_zero ? -0.0 : 0.0;
	return round_sum(&sum, odd);
}

static enum status feed(void *state, const struct scan_args *args, const void *x, uint64_t count,
			void *out, uint64_t out_stride, struct error *err)
{
	struct state *s = state;
	bool odd = args->result != DTYPE_FLOAT64;

	(void)err;
	for (uint64_t i = 0; i < count; i++) {
		double element = ((const double *)x)[i];
		void *slot = scan_slot(out, out_stride, i, args->result);

		if (args->exclusive)
			scan_store_f64(prefix_of(s, odd), args->result, slot);
		if (!(args->omit && element != element))
			add(s, element);
		if (!args->exclusive)
			scan_store_f64(prefix_of(s, odd), args->result, slot);
	}
	return STATUS_OK;
}

const struct scan_way scan_exact_way = {sizeof(struct state), init, feed};
