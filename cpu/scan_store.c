#include "config.h"
#include "cpu/scan_store.h"

#include "engine/prefix.h"

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
			const struct integer_range *range, void *out)
{
	if (value < range->least || value > range->greatest) {
		if (args->overflow == OVERFLOW_ERROR)
			return false;
		if (args->overflow == OVERFLOW_SATURATE)
			value = value < range->least ? range->least : range->greatest;
	}
	integer_store((uint64_t)(unsigned __int128)value, args->result, out);
	return true;
}

enum status scan_overflow(const struct scan_args *args, uint64_t position, const char *value,
			  struct error *err)
{
	return prefix_overflow(args->op, args->result, position, value, err);
}
