#include "config.h"
#include "engine/backends.h"

#include <stddef.h>

const struct backend_ops *const backends[] = {
	&cpu_backend,
	NULL,
};
