#include "config.h"
#include "cpu/scan_store.h"

#include <stdio.h>

struct scan_range scan_range_of(enum dtype dtype)
{
	unsigned bits = 8 * (unsigned)dtype_size(dtype);
	struct scan_range range = {0, 0};

	switch (dtype_class(dtype)) {
	case DTYPE_CLASS_BOOL:
		range.greatest = 1;
		break;
	case DTYPE_CLASS_INT:
		range.greatest = ((__int128)1 << (bits - 1)) - 1;
		range.least = -range.greatest - 1;
		break;
	case DTYPE_CLASS_UINT:
		range.greatest = ((__int128)1 << bits) - 1;
		break;
	case DTYPE_CLASS_FLOAT:
		break;
	}
	return range;
}

void scan_store_bits(uint64_t bits, enum dtype to, void *out)
{
	uint8_t bits8 = (uint8_t)bits;
	uint16_t bits16 = (uint16_t)bits;
	uint32_t bits32 = (uint32_t)bits;

	if (to == DTYPE_BOOL)
		bits8 &= 1;
	switch (dtype_size(to)) {
	case 1:
		memcpy(out, &bits8, sizeof(bits8));
		break;
	case 2:
		memcpy(out, &bits16, sizeof(bits16));
		break;
	case 4:
		memcpy(out, &bits32, sizeof(bits32));
		break;
	default:
		memcpy(out, &bits, sizeof(bits));
		break;
	}
}

void scan_store_rounded(__int128 value, enum dtype to, void *out)
{
	/* The compiler's conversions of 128 bits round once, half to even; a
	 * narrower type than float32 must not be reached through them. */
	if (to == DTYPE_FLOAT64) {
		double wide = (double)value;

		memcpy(out, &wide, sizeof(wide));
	} else if (to == DTYPE_FLOAT32) {
		float narrow = (float)value;

		memcpy(out, &narrow, sizeof(narrow));
	} else {
		unsigned __int128 magnitude =
			value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
		uint64_t words[2] = {(uint64_t)magnitude, (uint64_t)(magnitude >> 64)};
		struct bigint num;
		struct exact_value exact = {.negative = value < 0, .num = &num};

		bigint_set_words(&num, words, 2);
		round_exact(&exact, to, out);
	}
}

bool scan_store_integer(__int128 value, const struct scan_args *args,
			const struct scan_range *range, void *out)
{
	if (value < range->least || value > range->greatest) {
		if (args->overflow == OVERFLOW_ERROR)
			return false;
		if (args->overflow == OVERFLOW_SATURATE)
			value = value < range->least ? range->least : range->greatest;
	}
	scan_store_bits((uint64_t)(unsigned __int128)value, args->result, out);
	return true;
}

enum status scan_overflow(const struct scan_args *args, uint64_t position, const char *value,
			  struct error *err)
{
	enum status status = fail(err, STATUS_INTEGER_OVERFLOW,
				  "the prefix %s at element %llu%s%s is out of the range of %s",
				  op_name(args->op), (unsigned long long)position,
				  value[0] != '\0' ? ", " : "", value, dtype_name(args->result));

	if (err != NULL) {
		err->has_index = true;
		err->index = position;
		snprintf(err->value, sizeof(err->value), "%s", value);
	}
	return status;
}
