/* decimal.h - a JSON number literal taken exactly: for the few literals that
 * need more than 64 bits, or a comparison that no rounding may disturb. */
#ifndef PROTO_DECIMAL_H
#define PROTO_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* (-1)^negative * 0.D1D2D3... * 10^exponent, the digits D being text[first..]
 * without its '.', the first and the last of them not 0. No digits: zero. */
struct decimal {
	bool negative;
	const char *digits; /* points into the literal; may cross its '.' */
	size_t count;       /* digits, without the '.' */
	int64_t exponent;   /* the written one is clamped to +-2^58 */
};

/* The literal must obey the grammar of JSON numbers. */
void decimal_scan(struct decimal *out, const char *literal, size_t size);

/* The magnitude, when it is an integer below 2^64. */
bool decimal_is_integral(const struct decimal *a);
bool decimal_to_u64(const struct decimal *a, uint64_t *out);

/* Order of the magnitudes: below 0, 0 or above 0. */
int decimal_compare(const struct decimal *a, const struct decimal *b);

#ifdef __cplusplus
}
#endif

#endif
