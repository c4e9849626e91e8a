#include "config.h"
#include "proto/literal.h"

#include <stdio.h>
#include <string.h>
#include "proto/charconv.h"
#include "proto/decimal.h"
#include "proto/half.h"

#define SMALL_DIGITS 19 /* any 19 digits fit 64 bits */
#define SHOWN_DIGITS 40 /* of a literal at fault: chosen */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

static inline bool scan(struct literal *out, const char *p, const char *end)
{
	const char *first, *last;
	uint64_t value = 0;

	out->begin = p;
	out->negative = *p == '-';
	first = last = p + out->negative;
	for (; last < end && is_digit(*last); last++)
		value = value * 10 + (uint64_t)(*last - '0');
	if (last == first || (*first == '0' && last - first > 1))
		return false;
	if (last < end && *last == '.' && (end - last < 2 || !is_digit(last[1])))
		return false;
	out->integer = last == end || (*last != '.' && *last != 'e' && *last != 'E');
	out->small = out->integer && last - first <= SMALL_DIGITS;
	out->value = value;
	out->end = out->integer ? last : end;
	return true;
}

bool literal_scan(struct literal *out, const char *p, const char *end)
{
	return scan(out, p, end);
}

uint64_t literal_read_run(const char **at, const char *end, double *out, uint64_t room)
{
	const char *p = *at;
	struct literal literal;
	uint64_t count = 0;

	while (count < room && p < end && scan(&literal, p, end) && !literal.integer) {
		p = charconv_read_f64(p, end, &out[count++]);
		*at = p;
		if (end - p < 2 || *p != ',')
			break;
		p += p[1] == ' ' ? 2 : 1;
	}
	return count;
}

/* As from_chars() finds it. */
static void find_end(struct literal *literal)
{
	const char *end = literal->end, *p = skip_digits(literal->begin + literal->negative, end);
	const char *digits;

	if (p < end && *p == '.')
		p = skip_digits(p + 1, end);
	if (p < end && (*p == 'e' || *p == 'E')) {
		digits = p + 1;
		if (digits < end && (*digits == '-' || *digits == '+'))
			digits++;
		end = skip_digits(digits, end);
		p = end > digits ? end : p;
	}
	literal->end = p;
}

bool literal_to_u64(const struct literal *literal, uint64_t *out)
{
	struct decimal exact;

	if (literal->small) {
		*out = literal->value;
		return true;
	}
	decimal_scan(&exact, literal->begin, (size_t)(literal->end - literal->begin));
	return decimal_to_u64(&exact, out);
}

/* False when it is out of the type's range. */
static bool store_integer(uint64_t magnitude, bool negative, enum dtype dtype, void *out)
{
	const size_t size = dtype_size(dtype);
	uint64_t value = negative ? 0 - magnitude : magnitude;
	uint64_t limit;

	switch (dtype_class(dtype)) {
	case DTYPE_CLASS_BOOL:
		limit = negative ? 0 : 1;
		break;
	case DTYPE_CLASS_UINT:
		limit = negative ? 0 : UINT64_MAX >> (64 - 8 * size);
		break;
	default:
		limit = (UINT64_C(1) << (8 * size - 1)) - (negative ? 0 : 1);
	}
	if (magnitude > limit)
		return false;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value <<= 64 - 8 * size;
#endif
	memcpy(out, &value, size);
	return true;
}

static enum status refuse(const struct literal *literal, enum dtype dtype, struct error *err)
{
	struct decimal exact;
	char why[64];

	decimal_scan(&exact, literal->begin, (size_t)(literal->end - literal->begin));
	snprintf(why, sizeof(why), "is %s %s",
		 decimal_is_integral(&exact) ? "out of the range of" : "no integer, for",
		 dtype_name(dtype));
	return literal_fail(literal, why, err);
}

enum status literal_store(struct literal *literal, enum dtype dtype, void *out, struct error *err)
{
	uint64_t magnitude;
	uint16_t half;
	double value;
	float single;

	switch (dtype) {
	case DTYPE_FLOAT64:
		literal->end = charconv_read_f64(literal->begin, literal->end, &value);
		memcpy(out, &value, sizeof(value));
		return STATUS_OK;
	case DTYPE_FLOAT32:
		literal->end = charconv_read_f32(literal->begin, literal->end, &single);
		memcpy(out, &single, sizeof(single));
		return STATUS_OK;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		literal->end = half_read(literal->begin, literal->end, dtype, &half);
		memcpy(out, &half, sizeof(half));
		return STATUS_OK;
	default:
		find_end(literal);
		if (literal_to_u64(literal, &magnitude) &&
		    store_integer(magnitude, literal->negative, dtype, out))
			return STATUS_OK;
		return refuse(literal, dtype, err);
	}
}

enum status literal_fail(const struct literal *literal, const char *why, struct error *err)
{
	const size_t size = (size_t)(literal->end - literal->begin);

	return fail(err, STATUS_BAD_VALUE, "%.*s%s %s",
		    (int)(size > SHOWN_DIGITS ? SHOWN_DIGITS : size), literal->begin,
		    size > SHOWN_DIGITS ? "..." : "", why);
}
