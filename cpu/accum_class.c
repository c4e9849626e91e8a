/* accum_class.c - which class serves an accumulator in a domain. */
#include "config.h"

#include <stddef.h>
#include "cpu/simd.h"

const struct accum_class *accum_class(enum accum accum, enum domain domain)
{
	const struct kernels *kernels = simd_kernels();

	switch (domain) {
	case DOMAIN_F64:
		return kernels->f64[accum];
	case DOMAIN_I64:
		return kernels->i64[accum];
	case DOMAIN_U64:
		return kernels->u64[accum];
	}
	return NULL;
}

uint32_t accum_size(enum accum accum)
{
	const struct accum_class *class = kernels_portable.f64[accum];

	if (class == NULL)
		class = kernels_portable.i64[accum];
	return class->size;
}
