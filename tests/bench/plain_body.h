/* plain_body.h - the loops over one type of element; plain_loops.c includes it
 * once for each, with SUFFIX, ELEMENT, VECTOR and VECTOR_MAX defined. */

#define NAME(name) PASTE(name, SUFFIX)
#define LANES (PLAIN_BYTES / sizeof(ELEMENT))
#define INLINE static inline __attribute__((always_inline))

INLINE VECTOR NAME(take)(VECTOR kept, VECTOR x, enum plain_op op)
{
	if (op == PLAIN_SUM)
		return kept + x;
	if (op == PLAIN_SQUARES)
		return kept + x * x;
	return VECTOR_MAX(kept, x);
}

INLINE ELEMENT NAME(take_one)(ELEMENT kept, ELEMENT x, enum plain_op op)
{
	if (op == PLAIN_SUM)
		return kept + x;
	if (op == PLAIN_SQUARES)
		return kept + x * x;
	return x > kept ? x : kept;
}

INLINE double NAME(combine)(double a, double b, enum plain_op op)
{
	if (op == PLAIN_MAX)
		return b > a ? b : a;
	return a + b;
}

/* count is at least 1. Every kept lane of a maximum begins as x[0]. */
INLINE double NAME(loop)(const ELEMENT *x, uint64_t count, uint64_t ahead, enum plain_op op,
			 const unsigned vectors)
{
	const uint64_t step = vectors * LANES;
	const ELEMENT first = op == PLAIN_MAX ? x[0] : 0;
	ELEMENT tail = first;
	VECTOR kept[8];
	uint64_t i = 0;
	double result;

#pragma GCC unroll 8
	for (unsigned k = 0; k < vectors; k++)
		kept[k] = (VECTOR){0} + first;
	if (ahead == 0) {
		for (; i + step <= count; i += step) {
#pragma GCC unroll 8
			for (unsigned k = 0; k < vectors; k++)
				kept[k] = NAME(take)(kept[k], *(const VECTOR *)(x + i + k * LANES),
						     op);
		}
	} else {
		for (; i + step <= count; i += step) {
#pragma GCC unroll 8
			for (unsigned k = 0; k < vectors; k++) {
				/* One for each line of 64 bytes. */
				if (k * PLAIN_BYTES % 64 == 0)
					__builtin_prefetch((const char *)(x + i + k * LANES) +
							   ahead);
				kept[k] = NAME(take)(kept[k], *(const VECTOR *)(x + i + k * LANES),
						     op);
			}
		}
	}
	for (; i < count; i++)
		tail = NAME(take_one)(tail, x[i], op);
	result = (double)tail;
#pragma GCC unroll 8
	for (unsigned k = 0; k < vectors; k++)
		for (unsigned lane = 0; lane < LANES; lane++)
			result = NAME(combine)(result, (double)kept[k][lane], op);
	return result;
}

#define WAY(name, op, vectors)                                                              \
	static double NAME(name##_##vectors)(const void *x, uint64_t count, uint64_t ahead) \
	{                                                                                   \
		return NAME(loop)(x, count, ahead, op, vectors);                            \
	}
#define ALL_WAYS(name, op) WAY(name, op, 1) WAY(name, op, 2) WAY(name, op, 4) WAY(name, op, 8)

ALL_WAYS(sum, PLAIN_SUM)
ALL_WAYS(squares, PLAIN_SQUARES)
ALL_WAYS(max, PLAIN_MAX)

#undef NAME
#undef LANES
#undef INLINE
#undef WAY
#undef ALL_WAYS
