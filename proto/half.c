#include "config.h"
#include "proto/half.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "engine/round.h"
#include "proto/charconv.h"
#include "proto/decimal.h"

#define MIDPOINT_DIGITS 97u /* significant ones of bfloat16's: 9 bits times 2^-134, at most */

/* Exactly between two neighbours of the type? */
static bool is_midpoint(double value, enum dtype dtype)
{
	const int precision = dtype == DTYPE_FLOAT16 ? 11 : 8;
	const int least = dtype == DTYPE_FLOAT16 ? -24 : -133; /* exponent of the least bit */
	int exponent, ulp;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7FF) - 1023;
	if (exponent == -1023 || exponent == 1024)
		return false; /* zero, far below any midpoint, or infinite */
	bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	ulp = exponent - (precision - 1) > least ? exponent - (precision - 1) : least;
	return exponent - 52 + __builtin_ctzll(bits) == ulp - 1;
}

/* A midpoint that the literal was rounded to, moved to the literal's own side,
 * so that rounding it again rounds the literal once. */
static double off_midpoint(double value, const char *begin, const char *end)
{
	struct decimal literal, midpoint;
	char text[CHARCONV_ROOM + MIDPOINT_DIGITS];
	size_t size = charconv_round_f64(text, value, MIDPOINT_DIGITS);
	int order;

	decimal_scan(&literal, begin, (size_t)(end - begin));
	decimal_scan(&midpoint, text, size);
	order = decimal_compare(&literal, &midpoint);
	if (order == 0)
		return value;
	return nextafter(value, order > 0 ? copysign(HUGE_VAL, value) : 0);
}

const char *half_read(const char *begin, const char *end, enum dtype dtype, uint16_t *out)
{
	const char *next;
	double value;

	next = charconv_read_f64(begin, end, &value);
	if (is_midpoint(value, dtype))
		value = off_midpoint(value, begin, next);
	round_f64(value, dtype, out);
	return next;
}
