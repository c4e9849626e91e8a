/* leading.h - the leading bits of an exact number: all that one correct
 * rounding of it, of its quotient by an integer or of its root needs. */
#ifndef ENGINE_LEADING_H
#define ENGINE_LEADING_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/dtype.h"

/* (-1)^negative * (top + f) * 2^exponent, 0 <= f < 1, f > 0 when `more`. Top is
 * 0, then nothing is below it, or its bit 127 is set. */
struct leading {
	unsigned __int128 top;
	int64_t exponent;
	bool negative, more;
};

/* Divide by den, which is not 0; take the square root, of what is not
 * negative. At least 63 bits of the result are kept. */
void leading_divide(struct leading *number, uint64_t den);
void leading_root(struct leading *number);

/* One rounding, half to even, to a float type, as round_exact() has it. */
void leading_round(const struct leading *number, enum dtype to, void *out);

#endif
