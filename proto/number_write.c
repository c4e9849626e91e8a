#include "config.h"
#include "proto/number_write.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "engine/round.h"
#include "proto/charconv.h"
#include "proto/half.h"

/* As Python does it: positional from 1e-4 to below 1e16. */
#define LEAST_POSITIONAL -4
#define MOST_POSITIONAL 15

static int read_exponent(const char *p, const char *end)
{
	const int sign = *p == '-' ? -1 : 1;
	int value = 0;

	for (p++; p < end; p++)
		value = value * 10 + (*p - '0');
	return sign * value;
}

/* d.ddde+XX in Python's layout. */
static size_t layout_digits(char *out, const char *text, size_t size)
{
	const char *e = memchr(text, 'e', size);
	const int exponent = read_exponent(e + 1, text + size);
	char digits[20];
	int count = 0, i;
	char *p = out;

	if (exponent < LEAST_POSITIONAL || exponent > MOST_POSITIONAL) {
		memcpy(out, text, size);
		return size;
	}
	if (*text == '-')
		*p++ = *text++;
	for (; text < e; text++) {
		if (*text != '.')
			digits[count++] = *text;
	}
	if (exponent < 0) {
		memcpy(p, "0.0000", 6);
		p += 1 - exponent;
		memcpy(p, digits, (size_t)count);
		return (size_t)(p - out) + (size_t)count;
	}
	for (i = 0; i < count || i <= exponent + 1; i++) {
		if (i == exponent + 1)
			*p++ = '.';
		*p++ = i < count ? digits[i] : '0';
	}
	return (size_t)(p - out);
}

/* Fewest digits for the 16-bit types: the nearest decimals of 1, 2, ... digits,
 * and (an interval is lopsided at a power of two) their neighbours, until one
 * rounds to the value. */
static size_t shortest_half(char *text, double value, uint16_t half, enum dtype dtype)
{
	unsigned precision;

	for (precision = 0;; precision++) {
		size_t size = charconv_round_f64(text, value, precision);
		char *last = (char *)memchr(text, 'e', size) - 1;
		const char nearest = *last;
		uint16_t got;
		int step;

		for (step = 0; step < 3; step++) {
			*last = (char)(nearest + (step == 2 ? -1 : step));
			if (*last < '0' || *last > '9')
				continue;
			half_read(text, text + size, dtype, &got);
			if (got == half)
				return size;
		}
	}
}

static size_t write_special(char *out, double value)
{
	const char *word = isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";

	memcpy(out, word, strlen(word));
	return strlen(word);
}

static size_t write_f64(char *out, const void *element)
{
	char text[CHARCONV_ROOM];
	double value;

	memcpy(&value, element, sizeof(value));
	if (!isfinite(value))
		return write_special(out, value);
	return layout_digits(out, text, charconv_write_f64(text, value));
}

static size_t write_f32(char *out, const void *element)
{
	char text[CHARCONV_ROOM];
	float value;

	memcpy(&value, element, sizeof(value));
	if (!isfinite(value))
		return write_special(out, (double)value);
	return layout_digits(out, text, charconv_write_f32(text, value));
}

static size_t write_half(char *out, enum dtype dtype, const void *element)
{
	char text[CHARCONV_ROOM + 8]; /* 5 digits at most */
	uint16_t half;
	double value;

	memcpy(&half, element, sizeof(half));
	value = dtype == DTYPE_FLOAT16 ? float16_to_f64(half) : bfloat16_to_f64(half);
	if (!isfinite(value))
		return write_special(out, value);
	return layout_digits(out, text, shortest_half(text, value, half, dtype));
}

static size_t write_integer(char *out, enum dtype dtype, const void *element)
{
	const size_t size = dtype_size(dtype);
	const unsigned shift = 64 - 8 * (unsigned)size;
	uint64_t bits = 0;

	memcpy(&bits, element, size);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bits <<= shift;
#endif
	if (dtype_class(dtype) == DTYPE_CLASS_UINT)
		return charconv_write_u64(out, bits >> shift);
	return charconv_write_i64(out, (int64_t)bits >> shift);
}

size_t number_write(char *out, enum dtype dtype, const void *element)
{
	const bool truth = *(const unsigned char *)element != 0;

	switch (dtype) {
	case DTYPE_BOOL:
		memcpy(out, truth ? "true" : "false", truth ? 4 : 5);
		return truth ? 4 : 5;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		return write_half(out, dtype, element);
	case DTYPE_FLOAT32:
		return write_f32(out, element);
	case DTYPE_FLOAT64:
		return write_f64(out, element);
	default:
		return write_integer(out, dtype, element);
	}
}
