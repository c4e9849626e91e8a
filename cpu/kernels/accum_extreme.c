/* accum_extreme.c - minimum, maximum and largest magnitude with the lowest
 * index: order-free. IEEE 754-2019 minimum and maximum: NaN wins, -0 < +0.
 *
 * A tile is read twice at most: once for its extreme, and for the index only
 * when that beats or equals what is known. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "engine/elementary.h"

#define EXTREME_INLINE static inline __attribute__((always_inline))
#define EXTREME_INFINITY (0x1p+1023 * 2.0)

static void extreme_init(void *value)
{
	*(struct extreme *)value = (struct extreme){{.u = 0}, 0, false, false};
}

static uint64_t c_index(const struct accum_args *args, uint64_t position)
{
	return args->index_map == NULL ? position : args->index_map(args->map, position);
}

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

/* Signed integers in the order of the floats, -0 below +0; NaN aside. */
EXTREME_INLINE int64_t f64_key(uint64_t bits)
{
	int64_t key = (int64_t)bits;

	return key < 0 ? (int64_t)(0x8000000000000000u - bits) - 1 : key;
}

EXTREME_INLINE bool f64_less(uint64_t a, uint64_t b)
{
	return f64_key(a) < f64_key(b);
}

EXTREME_INLINE bool i64_less(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b;
}

EXTREME_INLINE bool u64_less(uint64_t a, uint64_t b)
{
	return a < b;
}

typedef bool (*extreme_less)(uint64_t a, uint64_t b);

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

EXTREME_INLINE void extreme_combine(struct extreme *a, const struct extreme *b, bool max,
				    extreme_less less)
{
	if (!b->any)
		return;
	if (b->nan)
		extreme_set(a, b->value.u, b->index, true, !a->nan);
	else
		extreme_offer(a, b->value.u, b->index, max, less);
}

/* A NaN that takes part. */
static void extreme_offer_nan(struct extreme *e, double nan, uint64_t index)
{
	extreme_set(e, elementary_bits(nan), index, true, !e->nan);
}

/* Elements as they are compared: all of them bits of 8 bytes. */
typedef uint64_t (*extreme_view)(uint64_t bits);

EXTREME_INLINE uint64_t view_plain(uint64_t bits)
{
	return bits;
}

EXTREME_INLINE uint64_t view_f64_abs(uint64_t bits)
{
	return bits & 0x7fffffffffffffffu;
}

EXTREME_INLINE uint64_t view_i64_abs(uint64_t bits)
{
	return (int64_t)bits < 0 ? 0 - bits : bits;
}

/* Positions of the tile whose view is `bits` are offered. */
EXTREME_INLINE void offer_equal(struct extreme *e, const struct tile *tile,
				const struct accum_args *args, uint64_t bits, bool max,
				extreme_less less, extreme_view view)
{
	const uint64_t *x = tile->x;

	for (uint64_t i = 0; i < tile->count; i++) {
		if (view(x[i]) != bits)
			continue;
		extreme_offer(e, bits, c_index(args, tile->position + i), max, less);
		if (args->index_map == NULL)
			return; /* the lowest index comes first */
	}
}

EXTREME_INLINE void int_tile(struct extreme *e, const struct tile *tile,
			     const struct accum_args *args, bool max, extreme_less less,
			     extreme_view view)
{
	const uint64_t *x = tile->x;
	uint64_t best;

	if (tile->count == 0)
		return;
	best = view(x[0]);
	for (uint64_t i = 1; i < tile->count; i++) {
		uint64_t bits = view(x[i]);

		if (max ? less(best, bits) : less(bits, best))
			best = bits;
	}
	if (e->any && (max ? less(best, e->value.u) : less(e->value.u, best)))
		return;
	offer_equal(e, tile, args, best, max, less, view);
}

/* The extreme among numbers, zeros of both signs taken for equal, in eight
 * lanes that compile to the machine's own minimum. NaN never wins. */
EXTREME_INLINE double f64_scan(const struct tile *tile, bool max, bool magnitude)
{
	double lane[8], best;
	const double *x = tile->x;
	uint64_t i = 0;

	for (unsigned l = 0; l < 8; l++)
		lane[l] = max ? -EXTREME_INFINITY : EXTREME_INFINITY;
	for (; i + 8 <= tile->count; i += 8)
		for (unsigned l = 0; l < 8; l++) {
			double v = magnitude ? elementary_abs(x[i + l]) : x[i + l];

			lane[l] = (max ? v > lane[l] : v < lane[l]) ? v : lane[l];
		}
	best = lane[0];
	for (unsigned l = 1; l < 8; l++)
		best = (max ? lane[l] > best : lane[l] < best) ? lane[l] : best;
	for (; i < tile->count; i++) {
		double v = magnitude ? elementary_abs(x[i]) : x[i];

		best = (max ? v > best : v < best) ? v : best;
	}
	return best;
}

static bool tile_has(const struct tile *tile, uint64_t bits)
{
	const uint64_t *x = tile->x;

	for (uint64_t i = 0; i < tile->count; i++)
		if (x[i] == bits)
			return true;
	return false;
}

EXTREME_INLINE void f64_tile(struct extreme *e, const struct tile *tile,
			     const struct accum_args *args, bool max, bool magnitude)
{
	const double *x = tile->x;
	double best;
	uint64_t bits;

	if (tile->nans > 0 && !args->omit) {
		for (uint64_t i = 0; i < tile->count; i++)
			if (x[i] != x[i])
				extreme_offer_nan(e, x[i], c_index(args, tile->position + i));
		return;
	}
	if (tile->count == tile->nans || (e->any && e->nan))
		return;
	best = f64_scan(tile, max, magnitude);
	bits = elementary_bits(best);
	if (best == 0.0) {
		uint64_t wanted = max || magnitude ? 0 : 0x8000000000000000u;

		bits = magnitude || tile_has(tile, wanted) ? wanted : wanted ^ 0x8000000000000000u;
	}
	if (e->any && (max ? f64_less(bits, e->value.u) : f64_less(e->value.u, bits)))
		return;
	if (magnitude)
		offer_equal(e, tile, args, bits, max, f64_less, view_f64_abs);
	else
		offer_equal(e, tile, args, bits, max, f64_less, view_plain);
}

EXTREME_INLINE void f64_step(struct extreme *runs, const double *x, uint64_t count,
			     uint64_t position, const struct accum_args *args, bool max,
			     extreme_view view)
{
	uint64_t index = c_index(args, position);

	for (uint64_t i = 0; i < count; i++) {
		if (x[i] == x[i])
			extreme_offer(&runs[i], view(elementary_bits(x[i])), index, max, f64_less);
		else if (!args->omit)
			extreme_offer_nan(&runs[i], x[i], index);
	}
}

EXTREME_INLINE void int_step(struct extreme *runs, const uint64_t *x, uint64_t count,
			     uint64_t position, const struct accum_args *args, bool max,
			     extreme_less less, extreme_view view)
{
	uint64_t index = c_index(args, position);

	for (uint64_t i = 0; i < count; i++)
		extreme_offer(&runs[i], view(x[i]), index, max, less);
}

#define EXTREME_CLASS(NAME, TILE, STEP, MAX, LESS)                                        \
	static void NAME##_tile(void *value, const struct tile *tile,                     \
				const struct accum_args *args)                            \
	{                                                                                 \
		TILE;                                                                     \
	}                                                                                 \
                                                                                          \
	static void NAME##_step(void *runs, const void *x, const void *y, uint64_t count, \
				uint64_t position, const struct accum_args *args)         \
	{                                                                                 \
		(void)y;                                                                  \
		STEP;                                                                     \
	}                                                                                 \
                                                                                          \
	static void NAME##_combine(void *left, const void *right)                         \
	{                                                                                 \
		extreme_combine(left, right, MAX, LESS);                                  \
	}                                                                                 \
                                                                                          \
	const struct accum_class accum_##NAME = {                                         \
		.name = #NAME,                                                            \
		.ordered = false,                                                         \
		.size = sizeof(struct extreme),                                           \
		.init = extreme_init,                                                     \
		.tile = NAME##_tile,                                                      \
		.run_size = sizeof(struct extreme),                                       \
		.run_init = extreme_init,                                                 \
		.step = NAME##_step,                                                      \
		.combine = NAME##_combine,                                                \
	}

#define F64_CLASS(NAME, MAX, MAGNITUDE, VIEW)                            \
	EXTREME_CLASS(NAME, f64_tile(value, tile, args, MAX, MAGNITUDE), \
		      f64_step(runs, x, count, position, args, MAX, VIEW), MAX, f64_less)
#define INT_CLASS(NAME, MAX, LESS, VIEW)                                  \
	EXTREME_CLASS(NAME, int_tile(value, tile, args, MAX, LESS, VIEW), \
		      int_step(runs, x, count, position, args, MAX, LESS, VIEW), MAX, LESS)

F64_CLASS(f64_min, false, false, view_plain);
F64_CLASS(f64_max, true, false, view_plain);
F64_CLASS(f64_max_abs, true, true, view_f64_abs);
INT_CLASS(i64_min, false, i64_less, view_plain);
INT_CLASS(i64_max, true, i64_less, view_plain);
INT_CLASS(i64_max_abs, true, u64_less, view_i64_abs);
INT_CLASS(u64_min, false, u64_less, view_plain);
INT_CLASS(u64_max, true, u64_less, view_plain);
