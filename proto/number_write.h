/* number_write.h - one element to text. */
#ifndef PROTO_NUMBER_WRITE_H
#define PROTO_NUMBER_WRITE_H

#include <stddef.h>
#include "engine/dtype.h"

/* One element to text, without a final 0; at most 32 bytes; returns their
 * number. Floats: fewest digits that rounded once to the type give the value,
 * always with '.' or an exponent; NaN and infinities as quoted strings. */
size_t number_write(char *out, enum dtype dtype, const void *element);

#endif
