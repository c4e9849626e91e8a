/* scan_store.h - one prefix to one element of the result. */
#ifndef CPU_SCAN_STORE_H
#define CPU_SCAN_STORE_H

#include <string.h>
#include "cpu/scan.h"
#include "engine/integer.h"
#include "engine/round.h"

/* Where the index-th prefix of a feed goes. */
static inline void *scan_slot(void *out, uint64_t out_stride, uint64_t index, enum dtype dtype)
{
	return (char *)out + index * out_stride * dtype_size(dtype);
}

/* Rounded once; NaN becomes the positive quiet one. */
static inline void scan_store_f64(double value, enum dtype to, void *out)
{
	if (value == value && to == DTYPE_FLOAT64) {
		memcpy(out, &value, sizeof(value));
	} else if (value == value && to == DTYPE_FLOAT32) {
		float narrow = (float)value;

		memcpy(out, &narrow, sizeof(narrow));
	} else {
		round_f64(value, to, out);
	}
}

/* An exact integer to a float type, rounded once. */
void scan_store_rounded(__int128 value, enum dtype to, void *out);

/* An exact integer to an integer type by the overflow rule; false: out of range
 * and the rule is OVERFLOW_ERROR. */
bool scan_store_integer(__int128 value, const struct scan_args *args,
			const struct integer_range *range, void *out);

/* The failure of a scan's first prefix out of range. */
enum status scan_overflow(const struct scan_args *args, uint64_t position, const char *value,
			  struct error *err);

#endif
