#include "config.h"
#include "engine/prefix.h"

#include <stdio.h>

enum status prefix_overflow(enum op op, enum dtype result, uint64_t position, const char *value,
			    struct error *err)
{
	enum status status = fail(err, STATUS_INTEGER_OVERFLOW,
				  "the prefix %s at element %llu%s%s is out of the range of %s",
				  op_name(op), (unsigned long long)position,
				  value[0] != '\0' ? ", " : "", value, dtype_name(result));

	if (err != NULL) {
		err->has_index = true;
		err->index = position;
		snprintf(err->value, sizeof(err->value), "%s", value);
	}
	return status;
}
