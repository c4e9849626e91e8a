/* prefix.h - the first prefix of a scan that its result's type cannot hold, as
 * every backend tells of it. */
#ifndef ENGINE_PREFIX_H
#define ENGINE_PREFIX_H

#include "engine/dtype.h"
#include "engine/op.h"
#include "engine/status.h"

/* STATUS_INTEGER_OVERFLOW: position counts from the start of the line; value is
 * the prefix in decimal, "" where it is not known. */
enum status prefix_overflow(enum op op, enum dtype result, uint64_t position, const char *value,
			    struct error *err);

#endif
