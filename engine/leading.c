#include "config.h"
#include "engine/leading.h"

#include <math.h>
#include "engine/round.h"

/* A result that is not 0. */
static void set(struct leading *number, unsigned __int128 top, int64_t exponent, bool more)
{
	uint64_t high = (uint64_t)(top >> 64);
	int shift = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)top);

	number->top = top << shift;
	number->exponent = exponent - shift;
	number->more = more;
}

/* floor((top + f) / den) = floor(top / den); a remainder is left when top had
 * one or f > 0. The quotient has 63 bits or 64. */
void leading_divide(struct leading *number, uint64_t den)
{
	int drop = 1 + __builtin_clzll(den); /* leaves 63 bits more than den has */
	unsigned __int128 top = number->top;
	uint64_t quotient;
	bool more = number->more;

	if (top == 0)
		return;
	more |= (top & (((unsigned __int128)1 << drop) - 1)) != 0;
	top >>= drop;
	quotient = (uint64_t)(top / den);
	more |= (unsigned __int128)quotient * den != top;
	set(number, quotient, number->exponent + drop, more);
}

/* floor(sqrt(a)) of a from 2^126 on: an estimate with an error below 2^12, one
 * step of Newton's, which leaves at most 1. */
static uint64_t root_of(unsigned __int128 a)
{
	double estimate = sqrt((double)a);
	uint64_t root = estimate < 0x1p64 ? (uint64_t)estimate : UINT64_MAX;
	unsigned __int128 next = (a / root + root) / 2;

	root = next >> 64 == 0 ? (uint64_t)next : UINT64_MAX;
	while ((unsigned __int128)root * root > a)
		root--;
	while (root < UINT64_MAX && (unsigned __int128)(root + 1) * (root + 1) <= a)
		root++;
	return root;
}

/* floor(sqrt(x)) = floor(sqrt(floor(x))), and it is the root itself when
 * nothing was lost anywhere. */
void leading_root(struct leading *number)
{
	unsigned __int128 top = number->top;
	int64_t exponent = number->exponent;
	bool more = number->more;
	uint64_t root;

	if (top == 0)
		return;
	if (exponent % 2 != 0) {
		more |= (top & 1) != 0;
		top >>= 1;
		exponent++;
	}
	root = root_of(top);
	more |= (unsigned __int128)root * root != top;
	set(number, root, exponent / 2, more);
}

void leading_round(const struct leading *number, enum dtype to, void *out)
{
	uint64_t high = (uint64_t)(number->top >> 64), low = (uint64_t)number->top;

	round_bits(number->negative, high, number->exponent + 64, number->more || low != 0, to,
		   out);
}
