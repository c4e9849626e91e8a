/* accum_extreme.c - minimum, maximum and largest magnitude with the lowest
 * index: order-free. IEEE 754-2019 minimum and maximum: NaN wins, -0 < +0.
 *
 * A tile is read twice at most: once for its extreme, and for the index only
 * when that beats or equals what is known; the second time from the nearest
 * cache. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/extreme_scan.h"
#include "engine/combine.h"
#include "engine/elementary.h"
#include "engine/extreme.h"

#define NAN_BITS 0x7ff8000000000000u
#define SIGN_BIT 0x8000000000000000u

static void extreme_init(void *value)
{
	*(struct extreme *)value = (struct extreme){{.u = 0}, 0, false, false};
}

static uint64_t c_index(const struct accum_args *args, uint64_t position)
{
	return args->index_map == NULL ? position : args->index_map(args->map, position);
}

/* A tile's best is bits; is there no need to look where it stands? */
EXTREME_INLINE bool no_news(const struct extreme *e, const struct tile *tile,
			    const struct accum_args *args, uint64_t bits, bool max,
			    extreme_less less)
{
	if (!e->any)
		return false;
	if (e->nan || (max ? less(bits, e->value.u) : less(e->value.u, bits)))
		return true;
	return bits == e->value.u && args->index_map == NULL && e->index <= tile->position;
}

/* The first place in the tile, from `from` on, of an element that is `bits`
 * once `ignore` is cleared; tile->count when there is none. */
EXTREME_INLINE uint64_t find(const struct tile *tile, uint64_t from, uint64_t bits, uint64_t ignore,
			     bool narrow)
{
	float number;
	uint32_t image;

	if (!narrow)
		return scan_find_u64(tile->x, from, tile->count, bits, ignore);
	number = (float)elementary_from_bits(bits);
	memcpy(&image, &number, sizeof(image));
	return scan_find_u32(tile->x, from, tile->count, image, (uint32_t)(ignore >> 32));
}

/* Where the tile's extreme stands: the lowest place, or with a map all. */
EXTREME_INLINE void offer_places(struct extreme *e, const struct tile *tile,
				 const struct accum_args *args, uint64_t bits, uint64_t ignore,
				 bool narrow, bool max, extreme_less less)
{
	uint64_t i = find(tile, 0, bits, ignore, narrow);

	while (i < tile->count) {
		extreme_offer(e, bits, c_index(args, tile->position + i), max, less);
		if (args->index_map == NULL)
			return;
		i = find(tile, i + 1, bits, ignore, narrow);
	}
}

EXTREME_INLINE bool is_nan(const struct tile *tile, uint64_t i, bool narrow)
{
	if (narrow)
		return ((const float *)tile->x)[i] != ((const float *)tile->x)[i];
	return ((const double *)tile->x)[i] != ((const double *)tile->x)[i];
}

EXTREME_INLINE void offer_nans(struct extreme *e, const struct tile *tile,
			       const struct accum_args *args, bool narrow)
{
	for (uint64_t i = 0; i < tile->count; i++) {
		if (!is_nan(tile, i, narrow))
			continue;
		extreme_offer_nan(e, NAN_BITS, c_index(args, tile->position + i));
		if (args->index_map == NULL)
			return; /* the lowest index comes first */
	}
}

EXTREME_INLINE void float_tile(struct extreme *e, const struct tile *tile,
			       const struct accum_args *args, bool narrow, bool max, bool magnitude)
{
	const uint64_t ignore = magnitude ? SIGN_BIT : 0;
	struct scan_result found;
	uint64_t bits;

	/* Nothing takes part, or the first NaN is known. */
	if (tile->count == (args->omit ? tile->nans : 0))
		return;
	if (e->any && e->nan && args->index_map == NULL && e->index <= tile->position)
		return;
	found = narrow ? scan_f32(tile, max, magnitude) : scan_f64(tile, max, magnitude);
	if (found.nan && !args->omit) {
		offer_nans(e, tile, args, narrow);
		return;
	}
	bits = elementary_bits(found.best);
	if (found.best == 0.0) { /* of which sign? The scan does not tell. */
		bits = max || magnitude ? 0 : SIGN_BIT;
		if (no_news(e, tile, args, bits, max, extreme_f64_less))
			return;
		if (find(tile, 0, bits, ignore, narrow) == tile->count)
			bits ^= SIGN_BIT;
	}
	if (no_news(e, tile, args, bits, max, extreme_f64_less))
		return;
	offer_places(e, tile, args, bits, ignore, narrow, max, extreme_f64_less);
}

/* Elements as they are compared: all of them bits of 8 bytes. */
typedef uint64_t (*extreme_view)(uint64_t bits);

EXTREME_INLINE uint64_t view_plain(uint64_t bits)
{
	return bits;
}

EXTREME_INLINE uint64_t view_i64_abs(uint64_t bits)
{
	return (int64_t)bits < 0 ? 0 - bits : bits;
}

EXTREME_INLINE void int_tile(struct extreme *e, const struct tile *tile,
			     const struct accum_args *args, enum scan_order order, bool max,
			     extreme_less less)
{
	const bool magnitude = order == SCAN_MAGNITUDE;
	uint64_t best, i;

	if (tile->count == 0)
		return;
	best = scan_int(tile, order, max);
	if (no_news(e, tile, args, best, max, less))
		return;
	if (!magnitude) {
		offer_places(e, tile, args, best, 0, false, max, less);
		return;
	}
	for (i = 0; i < tile->count; i++) {
		if (view_i64_abs(((const uint64_t *)tile->x)[i]) != best)
			continue;
		extreme_offer(e, best, c_index(args, tile->position + i), max, less);
		if (args->index_map == NULL)
			return;
	}
}

/* Most elements change nothing, which one comparison tells. */
EXTREME_INLINE void f64_step(struct extreme *runs, const double *x, uint64_t count,
			     uint64_t position, const struct accum_args *args, bool max,
			     bool magnitude)
{
	uint64_t index = c_index(args, position);

	for (uint64_t i = 0; i < count; i++) {
		double v = magnitude ? elementary_abs(x[i]) : x[i];
		double known = runs[i].value.f;

		if (runs[i].any && !runs[i].nan && (max ? v < known : v > known))
			continue;
		if (v == v)
			extreme_offer(&runs[i], elementary_bits(v), index, max, extreme_f64_less);
		else if (!args->omit)
			extreme_offer_nan(&runs[i], NAN_BITS, index);
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

#define EXTREME_CLASS(NAME, TILE, TILE_F32, STEP, COMBINE)                                \
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
	const struct accum_class accum_##NAME = {                                         \
		.name = #NAME,                                                            \
		.ordered = false,                                                         \
		.size = sizeof(struct extreme),                                           \
		.init = extreme_init,                                                     \
		.tile = NAME##_tile,                                                      \
		.tile_f32 = TILE_F32,                                                     \
		.work_size = sizeof(struct extreme),                                      \
		.work_init = extreme_init,                                                \
		.run_size = sizeof(struct extreme),                                       \
		.run_init = extreme_init,                                                 \
		.step = NAME##_step,                                                      \
		.combine = COMBINE,                                                       \
	}

#define F64_CLASS(NAME, MAX, MAGNITUDE, COMBINE)                                                   \
	static void NAME##_tile_f32(void *value, const struct tile *tile,                          \
				    const struct accum_args *args)                                 \
	{                                                                                          \
		float_tile(value, tile, args, true, MAX, MAGNITUDE);                               \
	}                                                                                          \
                                                                                                   \
	EXTREME_CLASS(NAME, float_tile(value, tile, args, false, MAX, MAGNITUDE), NAME##_tile_f32, \
		      f64_step(runs, x, count, position, args, MAX, MAGNITUDE), COMBINE)
#define INT_CLASS(NAME, ORDER, MAX, LESS, VIEW, COMBINE)                         \
	EXTREME_CLASS(NAME, int_tile(value, tile, args, ORDER, MAX, LESS), NULL, \
		      int_step(runs, x, count, position, args, MAX, LESS, VIEW), COMBINE)

F64_CLASS(f64_min, false, false, combine_f64_min);
F64_CLASS(f64_max, true, false, combine_f64_max);
F64_CLASS(f64_max_abs, true, true, combine_f64_max);
INT_CLASS(i64_min, SCAN_SIGNED, false, extreme_i64_less, view_plain, combine_i64_min);
INT_CLASS(i64_max, SCAN_SIGNED, true, extreme_i64_less, view_plain, combine_i64_max);
INT_CLASS(i64_max_abs, SCAN_MAGNITUDE, true, extreme_u64_less, view_i64_abs, combine_u64_max);
INT_CLASS(u64_min, SCAN_UNSIGNED, false, extreme_u64_less, view_plain, combine_u64_min);
INT_CLASS(u64_max, SCAN_UNSIGNED, true, extreme_u64_less, view_plain, combine_u64_max);
