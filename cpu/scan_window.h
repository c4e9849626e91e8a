/* scan_window.h - a running sum whose bits, and those of the elements that come,
 * lie within a window of 128: one addition an element, and the prefix is rounded
 * from two words. What does not fit goes to scan_wide.h. */
#ifndef CPU_SCAN_WINDOW_H
#define CPU_SCAN_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/scan.h"

/* The sum is value * 2^(field - 1075): the exponent field of binary64 whose
 * mantissas begin at bit 0. |value| < 2^127. */
struct scan_window {
	uint64_t low, high; /* of value */
	int64_t field;
};

#define SCAN_WINDOW_BLOCK 64u

/* Where the sum has its bits, in exponent fields like above: it is a multiple of
 * 2^(lowest - 1075), and at most 2^(highest + 1 - 1075). */
struct scan_span {
	bool any; /* false: the sum is 0 */
	int lowest, highest;
};
void scan_window_span(const struct scan_window *window, struct scan_span *out);

/* The field of a window that holds the sum and count elements more, at most
 * SCAN_WINDOW_BLOCK; 0: there is none. omit: NaNs do not count. */
int scan_window_place(const struct scan_span *sum, const double *x, uint64_t count, bool omit);

static inline __int128 scan_window_value(const struct scan_window *window)
{
	return (__int128)((unsigned __int128)window->high << 64 | window->low);
}

static inline void scan_window_set(struct scan_window *window, __int128 value, int field)
{
	window->low = (uint64_t)value;
	window->high = (uint64_t)(value >> 64);
	window->field = field;
}

/* The same sum, which is not 0, in a window that holds it. */
static inline void scan_window_move(struct scan_window *window, int field)
{
	int64_t down = window->field - field;
	__int128 value = scan_window_value(window);

	if (down >= 0)
		value = (__int128)((unsigned __int128)value << down);
	else
		value >>= -down;
	scan_window_set(window, value, field);
}

/* Prefixes of elements as far as they fit; their number. Some element was no -0
 * before: a sum of 0 is +0. */
uint64_t scan_window_run(struct scan_window *window, const struct scan_args *args, const double *x,
			 uint64_t count, char *out, uint64_t step);

#endif
