#include "config.h"
#include "cpu/scan_window.h"

#include <string.h>
#include "cpu/scan_store.h"

#define INLINE static inline __attribute__((always_inline))

#define FIELD_MASK 0x7ffu
#define MANTISSA_MASK (((uint64_t)1 << 52) - 1)

/* An element's field may be this far above the window's: its bits are then below
 * 2^116, those of a block's sum below 2^122. */
#define REACH 63
/* |value| before a block: 2^126 + 2^122 is below 2^127. */
#define ROOM 126

/* A bit of the window, 0..126, leads a normal number: its field is the window's,
 * less 52, and the bit's number. */
#define LEAST_FIELD 53
#define GREATEST_FIELD (2046 + 52 - 127)

void scan_window_span(const struct scan_window *window, struct scan_span *out)
{
	__int128 value = scan_window_value(window);
	uint64_t high = window->high ^ (uint64_t)(value >> 127);
	uint64_t low = window->low ^ (uint64_t)(value >> 127);

	out->any = value != 0;
	if (!out->any)
		return;
	out->lowest = (int)window->field + (window->low != 0 ? __builtin_ctzll(window->low)
							     : 64 + __builtin_ctzll(window->high));
	out->highest = (int)window->field + (high != 0  ? 127 - __builtin_clzll(high)
					     : low != 0 ? 63 - __builtin_clzll(low)
							: 0);
	if (out->highest < out->lowest) /* of -2^lowest */
		out->highest = out->lowest;
}

int scan_window_place(const struct scan_span *sum, const double *x, uint64_t count, bool omit)
{
	int least = FIELD_MASK, greatest = 0, field, slack;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits;
		int own;

		memcpy(&bits, x + i, sizeof(bits));
		own = (int)(bits >> 52 & FIELD_MASK);
		if (bits << 1 == 0 || (omit && own == FIELD_MASK && (bits & MANTISSA_MASK) != 0))
			continue;
		if (own == 0 || own == FIELD_MASK)
			return 0;
		least = own < least ? own : least;
		greatest = own > greatest ? own : greatest;
	}
	if (greatest == 0) /* nothing but zeros */
		least = greatest = sum->any ? sum->lowest : GREATEST_FIELD;
	field = sum->any && sum->lowest < least ? sum->lowest : least;

	/* Half of what is left goes below: smaller elements may come. */
	slack = REACH - (greatest - field);
	if (sum->any && ROOM - 1 - (sum->highest - field) < slack)
		slack = ROOM - 1 - (sum->highest - field);
	if (slack < 0 || field < LEAST_FIELD)
		return 0;
	field -= slack / 2;
	if (field < LEAST_FIELD)
		field = LEAST_FIELD;
	if (field > GREATEST_FIELD) {
		field = GREATEST_FIELD;
		if (greatest - field > REACH || (sum->any && sum->highest - field > ROOM - 1))
			return 0;
	}
	return field;
}

/* What one element adds; false: it does not fit. */
INLINE bool term_of(uint64_t bits, uint64_t window_field, bool omit, unsigned __int128 *out)
{
	uint64_t field = bits >> 52 & FIELD_MASK, mantissa = bits & MANTISSA_MASK;
	uint64_t shift = field - window_field, turned, mask;
	uint64_t sign = (uint64_t)((int64_t)bits >> 63);

	mantissa |= (uint64_t)1 << 52;
	if (bits << 1 == 0 || (omit && bits << 1 > (uint64_t)FIELD_MASK << 53))
		mantissa = shift = 0;
	if (__builtin_expect(shift > REACH, 0))
		return false;
	/* Shifted by a rotation: the bits that left at the top are at the
	 * bottom, and belong into the upper word. */
	turned = mantissa << shift | mantissa >> (-shift & 63);
	mask = ((uint64_t)1 << shift) - 1;
	*out = (unsigned __int128)((turned & mask) ^ sign) << 64 | ((turned & ~mask) ^ sign);
	*out -= (unsigned __int128)(__int128)(int64_t)sign;
	return true;
}

/* value * 2^(field - 1075) to one element. */
INLINE void store(unsigned __int128 value, uint64_t field, enum dtype to, void *out)
{
	uint64_t sign = (uint64_t)((__int128)value >> 127);
	unsigned __int128 magnitude =
		(value ^ (unsigned __int128)(__int128)(int64_t)sign) + (sign & 1);
	uint64_t high = (uint64_t)(magnitude >> 64), low = (uint64_t)magnitude, top, bits;
	int shift;
	double wide;

	field += 127 - 52;
	if (high == 0) {
		if (low == 0) {
			scan_store_f64(0.0, to, out);
			return;
		}
		high = low;
		low = 0;
		field -= 64;
	}
	/* The leading bit on top, and that there is more below in the lowest. */
	shift = __builtin_clzll(high);
	field -= (uint64_t)shift;
	top = high << shift | low >> 1 >> (63 - shift);
	top |= low << shift != 0;
	sign <<= 63;

	if (to == DTYPE_FLOAT64) { /* the processor rounds 63 bits, half to even */
		wide = (double)(int64_t)(top >> 1 | (top & 1));
		memcpy(&bits, &wide, sizeof(bits));
		bits += (field - (1023 + 62)) << 52;
		bits |= sign;
		memcpy(out, &bits, sizeof(bits));
	} else if (to == DTYPE_FLOAT32) { /* to odd, then once to nearest */
		bits = ((field - 1) << 52) + (top >> 11 | ((top & 0x7ff) != 0));
		bits |= sign;
		memcpy(&wide, &bits, sizeof(wide));
		scan_store_f64(wide, to, out);
	} else {
		round_bits(sign != 0, top, (int64_t)field - 1023 - 63, top & 1, to, out);
	}
}

INLINE uint64_t run(struct scan_window *window, const double *x, uint64_t count, char *out,
		    uint64_t step, bool exclusive, bool omit, enum dtype to)
{
	unsigned __int128 value = (unsigned __int128)scan_window_value(window);
	uint64_t field = (uint64_t)window->field, i = 0;

	while (i < count) {
		uint64_t end = count - i < SCAN_WINDOW_BLOCK ? count : i + SCAN_WINDOW_BLOCK;

		/* |value| <= 2^126 */
		if (value + ((unsigned __int128)1 << ROOM) > (unsigned __int128)1 << (ROOM + 1))
			break;
		for (; i < end; i++, out += step) {
			unsigned __int128 term;
			uint64_t bits;

			memcpy(&bits, x + i, sizeof(bits));
			if (!term_of(bits, field, omit, &term))
				goto out;
			if (exclusive)
				store(value, field, to, out);
			value += term;
			if (!exclusive)
				store(value, field, to, out);
		}
	}
out:
	scan_window_set(window, (__int128)value, (int)field);
	return i;
}

/* A loop for each of the two types that matter. */
INLINE uint64_t run_types(struct scan_window *window, const struct scan_args *args, const double *x,
			  uint64_t count, char *out, uint64_t step, bool exclusive, bool omit)
{
	if (args->result == DTYPE_FLOAT64)
		return run(window, x, count, out, step, exclusive, omit, DTYPE_FLOAT64);
	if (args->result == DTYPE_FLOAT32)
		return run(window, x, count, out, step, exclusive, omit, DTYPE_FLOAT32);
	return run(window, x, count, out, step, exclusive, omit, args->result);
}

uint64_t scan_window_run(struct scan_window *window, const struct scan_args *args, const double *x,
			 uint64_t count, char *out, uint64_t step)
{
	if (args->exclusive)
		return run_types(window, args, x, count, out, step, true, args->omit);
	return run_types(window, args, x, count, out, step, false, args->omit);
}
