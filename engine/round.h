/* round.h - one rounding, half to even, from an exact value to a float type.
 * Out of range becomes +-inf; subnormals are rounded as such. */
#ifndef ENGINE_ROUND_H
#define ENGINE_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/bigint.h"
#include "engine/dtype.h"

/* The binary formats: IEEE 754 binary16, 32, 64 and bfloat16. Their finite values
 * are multiples of 2^(min_exponent - precision + 1) below 2^(max_exponent + 1). */
struct float_format {
	int precision; /* significant bits, the hidden one included */
	int min_exponent, max_exponent;
	int size; /* bytes */
};

const struct float_format *float_format_of(enum dtype dtype);

/* A binary64 value to float16, bfloat16, float32 or float64, written to out as
 * an element. NaN becomes the positive quiet NaN. */
void round_f64(double value, enum dtype to, void *out);

/* (-1)^negative * (mantissa + f) * 2^exponent, 0 <= f < 1, f > 0 when `more`;
 * the mantissa then has 56 bits or more. Mantissa 0 gives +0 or -0. */
void round_bits(bool negative, uint64_t mantissa, int64_t exponent, bool more, enum dtype to,
		void *out);

/* (-1)^negative * num * 2^exponent / den, or the square root of that (then not
 * negative). num 0 gives +0 or -0 by `negative`. den: NULL is 1, never 0. */
struct exact_value {
	bool negative;
	const struct bigint *num;
	const struct bigint *den;
	int64_t exponent;
	bool root;
};

void round_exact(const struct exact_value *value, enum dtype to, void *out);

/* Elements of float16 and bfloat16 to binary64, exactly. */
double float16_to_f64(uint16_t bits);
double bfloat16_to_f64(uint16_t bits);

#endif
