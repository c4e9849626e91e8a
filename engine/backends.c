#include "config.h"
#include "engine/backends.h"

#include <stddef.h>

const struct backend_ops *const backends[] = {
#ifdef HAVE_CUDA
	&cuda_backend,
#endif
	&cpu_backend,
	NULL,
};
