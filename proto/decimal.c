#include "config.h"
#include "proto/decimal.h"

/* Exponents beyond this decide by themselves: no literal has so many digits. */
#define EXPONENT_CLAMP (INT64_C(1) << 58)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int64_t read_exponent(const char *p, const char *end)
{
	int64_t value = 0;
	bool negative = p < end && *p == '-';

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (; p < end; p++) {
		value = value * 10 + (*p - '0');
		if (value > EXPONENT_CLAMP)
			value = EXPONENT_CLAMP;
	}
	return negative ? -value : value;
}

void decimal_scan(struct decimal *out, const char *literal, size_t size)
{
	const char *p = literal, *end = literal + size, *last = NULL;
	struct decimal value = {false, NULL, 0, 0};
	int64_t before_point = 0;   /* digits before the '.', from the first not 0 */
	int64_t zeros_after = 0;    /* zeros between the '.' and the first digit */
	size_t count = 0, upto = 0; /* digits since the first; up to the last not 0 */
	bool fraction = false;

	if (p < end && *p == '-') {
		value.negative = true;
		p++;
	}
	for (; p < end && (is_digit(*p) || *p == '.'); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		if (value.digits == NULL && *p == '0') {
			zeros_after += fraction ? 1 : 0;
			continue;
		}
		if (value.digits == NULL)
			value.digits = p;
		count++;
		before_point += fraction ? 0 : 1;
		if (*p != '0') {
			last = p;
			upto = count;
		}
	}
	if (last != NULL) {
		value.count = upto;
		value.exponent = before_point > 0 ? before_point : -zeros_after;
		if (p < end)
			value.exponent += read_exponent(p + 1, end);
	}
	*out = value;
}

bool decimal_is_integral(const struct decimal *a)
{
	return a->count == 0 || a->exponent >= (int64_t)a->count;
}

bool decimal_to_u64(const struct decimal *a, uint64_t *out)
{
	unsigned __int128 value = 0;
	const char *p = a->digits;
	int64_t i;

	if (!decimal_is_integral(a) || (a->count > 0 && a->exponent > 20))
		return false;
	for (i = 0; a->count > 0 && i < a->exponent; i++) {
		unsigned digit = 0;

		if (i < (int64_t)a->count) {
			if (*p == '.')
				p++;
			digit = (unsigned)(*p++ - '0');
		}
		value = value * 10 + digit;
	}
	if (value > UINT64_MAX)
		return false;
	*out = (uint64_t)value;
	return true;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
	const char *p = a->digits, *q = b->digits;
	size_t i;

	if (a->count == 0 || b->count == 0)
		return (a->count > 0) - (b->count > 0);
	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -1 : 1;
	for (i = 0; i < a->count && i < b->count; i++, p++, q++) {
		if (*p == '.')
			p++;
		if (*q == '.')
			q++;
		if (*p != *q)
			return *p < *q ? -1 : 1;
	}
	return (a->count > b->count) - (a->count < b->count);
}
