/* half.h - a number literal to the 16-bit float types, which <charconv> does not
 * have. */
#ifndef PROTO_HALF_H
#define PROTO_HALF_H

#include <stdint.h>
#include "engine/dtype.h"

/* charconv_read_f64() for DTYPE_FLOAT16 and DTYPE_BFLOAT16. */
const char *half_read(const char *begin, const char *end, enum dtype dtype, uint16_t *out);

#endif
