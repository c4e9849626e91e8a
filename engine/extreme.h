/* extreme.h - which of two candidates is the extreme: IEEE 754-2019 minimum and
 * maximum (NaN wins, -0 < +0), the lowest index of equals. Inline, for kernels
 * too: the order, as extreme_less, and max are constants where they are called.
 *
 * Values are compared as their 64 bits. */
#ifndef ENGINE_EXTREME_H
#define ENGINE_EXTREME_H

#include "engine/accum.h"

#define EXTREME_INLINE static inline __attribute__((always_inline))

/* Signed integers in the order of the floats, -0 below +0; NaN aside. */
EXTREME_INLINE int64_t extreme_f64_key(uint64_t bits)
{
	int64_t key = (int64_t)bits;

	return key < 0 ? (int64_t)(0x8000000000000000u - bits) - 1 : key;
}

EXTREME_INLINE bool extreme_f64_less(uint64_t a, uint64_t b)
{
	return extreme_f64_key(a) < extreme_f64_key(b);
}

EXTREME_INLINE bool extreme_i64_less(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b;
}

EXTREME_INLINE bool extreme_u64_less(uint64_t a, uint64_t b)
{
	return a < b;
}

typedef bool (*extreme_less)(uint64_t a, uint64_t b);

/* A candidate that equals the known extreme, or takes its place. */
EXTREME_INLINE void extreme_set(struct extreme *e, uint64_t bits, uint64_t index, bool nan,
				bool better)
{
	if (e->any && !better && e->index <= index)
		return;
	e->value.u = bits;
	e->index = index;
	e->any = true;
	e->nan = nan;
}

/* One more number, as bits, that takes part. */
EXTREME_INLINE void extreme_offer(struct extreme *e, uint64_t bits, uint64_t index, bool max,
				  extreme_less less)
{
	bool better = max ? less(e->value.u, bits) : less(bits, e->value.u);
	bool equal = bits == e->value.u;

	if (e->any && (e->nan || (!better && !equal)))
		return;
	extreme_set(e, bits, index, false, better);
}

/* A NaN that takes part; what its bits are does not matter. */
EXTREME_INLINE void extreme_offer_nan(struct extreme *e, uint64_t bits, uint64_t index)
{
	extreme_set(e, bits, index, true, !e->nan);
}

EXTREME_INLINE void extreme_combine(struct extreme *a, const struct extreme *b, bool max,
				    extreme_less less)
{
	if (!b->any)
		return;
	if (b->nan)
		extreme_offer_nan(a, b->value.u, b->index);
	else
		extreme_offer(a, b->value.u, b->index, max, less);
}

#endif
