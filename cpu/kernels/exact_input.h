/* exact_input.h - the elements of a tile as a kernel of exact sums reads them:
 * whole rounds of vectors where they lie, the rest from a copy filled up with
 * zeros, which add nothing. */
#ifndef CPU_KERNELS_EXACT_INPUT_H
#define CPU_KERNELS_EXACT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "cpu/kernels/vector.h"

/* Fetch what is `ahead` bytes after an element, which may be nowhere: hardware
 * looks ahead within a page only, and loops that do much with an element have few
 * loads on their way. */
VECTOR_INLINE void exact_input_fetch(const void *element, uintptr_t ahead)
{
	__builtin_prefetch((const void *)((uintptr_t)element + ahead), 0, 3);
}

/* The terms of VECTOR_F64 elements from the at-th on, as binary64. */
typedef vf64 (*exact_load)(const void *x, const void *y, uint64_t at);

struct exact_input {
	const void *x, *y; /* y: pairs, or NULL */
	uint64_t count;
	uint32_t size; /* bytes of an element */
};

#define EXACT_INPUT_ROUND 64u /* elements of a round at most */

struct exact_rest {
	double x[EXACT_INPUT_ROUND], y[EXACT_INPUT_ROUND];
};

/* The elements from the first-th on, fewer than a round of `round`. */
VECTOR_INLINE struct exact_input exact_input_rest(const struct exact_input *in, uint64_t first,
						  uint64_t round, struct exact_rest *rest)
{
	size_t used = (size_t)(in->count - first) * in->size, size = (size_t)round * in->size;
	struct exact_input out = {rest->x, NULL, round, in->size};

	memset((char *)rest->x + used, 0, size - used);
	memcpy(rest->x, (const char *)in->x + first * in->size, used);
	if (in->y != NULL) {
		memset((char *)rest->y + used, 0, size - used);
		memcpy(rest->y, (const char *)in->y + first * in->size, used);
		out.y = rest->y;
	}
	return out;
}

VECTOR_INLINE vf64 exact_load_f64(const void *x, const void *y, uint64_t at)
{
	(void)y;
	return vector_load_f64((const double *)x + at);
}

VECTOR_INLINE vf64 exact_load_f32(const void *x, const void *y, uint64_t at)
{
	(void)y;
	return vector_load_widened((const float *)x + at);
}

VECTOR_INLINE vf64 exact_load_abs_f64(const void *x, const void *y, uint64_t at)
{
	return vector_abs(exact_load_f64(x, y, at));
}

VECTOR_INLINE vf64 exact_load_abs_f32(const void *x, const void *y, uint64_t at)
{
	return vector_abs(exact_load_f32(x, y, at));
}

#endif
