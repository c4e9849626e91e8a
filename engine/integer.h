/* integer.h - elements of integer types and of bool: their range, and their
 * bits. */
#ifndef ENGINE_INTEGER_H
#define ENGINE_INTEGER_H

#include <stdint.h>
#include "engine/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both ends of an integer type's range; bool holds 0 and 1; of a float type
 * both are 0. */
struct integer_range {
	__int128 least, greatest;
};

struct integer_range integer_range_of(enum dtype dtype);

/* The low bits of a number as an element of an integer type: the result modulo
 * 2 to the bits of the type. */
void integer_store(uint64_t bits, enum dtype dtype, void *out);

#ifdef __cplusplus
}
#endif

#endif
