/* accum_exact.c - exact sums of squares and of products of floats, and of elements
 * together with their squares: order-free. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/exact_products.h"
#include "engine/combine.h"
#include "engine/order.h"

#define INLINE static inline __attribute__((always_inline))

struct moments_work {
	struct exact_sum_work sum;
	struct exact_products squares;
};

static void sum_init(void *value)
{
	exactsum_init(value);
}

static void moments_init(void *value)
{
	struct exact_moments *moments = value;

	exactsum_init(&moments->sum);
	exactsum_init(&moments->squares);
}

static void products_begin(void *work)
{
	exact_products_init(work);
}

static void products_end(void *work, void *value)
{
	exact_products_end(work, value);
}

static void moments_begin(void *work)
{
	struct moments_work *moments = work;

	exact_sum_init(&moments->sum);
	exact_products_init(&moments->squares);
}

static void moments_end(void *work, void *value)
{
	struct moments_work *moments = work;
	struct exact_moments *out = value;

	exact_sum_end(&moments->sum, &out->sum);
	exact_products_end(&moments->squares, &out->squares);
}

/* A tile's factors, y NULL for squares. Where NaNs are left out, pairs with one are
 * copied as -0 and +0, whose product is -0: it adds nothing, and neither does -0
 * itself. */
struct factors {
	const double *x, *y;
};

struct factors_f32 {
	const float *x, *y;
};

#define FACTORS(NAME, TYPE)                                                                  \
	INLINE struct NAME NAME##_of(const struct tile *tile, const struct accum_args *args, \
				     bool pair, TYPE *x, TYPE *y)                            \
	{                                                                                    \
		const TYPE *left = tile->x, *right = pair ? tile->y : tile->x;               \
                                                                                             \
		if (!args->omit || tile->nans == 0)                                          \
			return (struct NAME){left, pair ? right : NULL};                     \
		for (uint64_t i = 0; i < tile->count; i++) {                                 \
			bool is_nan = left[i] != left[i] || right[i] != right[i];            \
                                                                                             \
			x[i] = is_nan ? -(TYPE)0 : left[i];                                  \
			y[i] = is_nan ? (TYPE)0 : right[i];                                  \
		}                                                                            \
		return (struct NAME){x, y};                                                  \
	}
FACTORS(factors, double)
FACTORS(factors_f32, float)

INLINE void products_tile(void *work, const struct tile *tile, const struct accum_args *args,
			  bool pair)
{
	double x[ORDER_TILE], y[ORDER_TILE];
	struct factors in = factors_of(tile, args, pair, x, y);

	exact_products_add_f64(work, in.x, in.y, tile->count);
}

INLINE void products_tile_f32(void *work, const struct tile *tile, const struct accum_args *args,
			      bool pair)
{
	float x[ORDER_TILE], y[ORDER_TILE];
	struct factors_f32 in = factors_f32_of(tile, args, pair, x, y);

	exact_products_add_f32(work, in.x, in.y, tile->count);
}

static void square_tile(void *work, const struct tile *tile, const struct accum_args *args)
{
	products_tile(work, tile, args, false);
}

static void square_tile_f32(void *work, const struct tile *tile, const struct accum_args *args)
{
	products_tile_f32(work, tile, args, false);
}

static void dot_tile(void *work, const struct tile *tile, const struct accum_args *args)
{
	products_tile(work, tile, args, true);
}

static void dot_tile_f32(void *work, const struct tile *tile, const struct accum_args *args)
{
	products_tile_f32(work, tile, args, true);
}

static void moments_tile(void *work, const struct tile *tile, const struct accum_args *args)
{
	double x[ORDER_TILE], y[ORDER_TILE];
	struct factors in = factors_of(tile, args, false, x, y);
	struct moments_work *moments = work;

	exact_sum_add_f64(&moments->sum, in.x, tile->count, false);
	exact_products_add_f64(&moments->squares, in.x, in.y, tile->count);
}

static void moments_tile_f32(void *work, const struct tile *tile, const struct accum_args *args)
{
	float x[ORDER_TILE], y[ORDER_TILE];
	struct factors_f32 in = factors_f32_of(tile, args, false, x, y);
	struct moments_work *moments = work;

	exact_sum_add_f32(&moments->sum, in.x, tile->count, false);
	exact_products_add_f32(&moments->squares, in.x, in.y, tile->count);
}

/* One element for each of count lines: no tile to gain anything from. */
static void square_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
			const struct accum_args *args)
{
	const double *element = x;
	struct exactsum *sums = runs;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++)
		if (!(args->omit && element[i] != element[i]))
			exactsum_add_product(&sums[i], element[i], element[i]);
}

static void dot_step(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args)
{
	const double *left = x, *right = y;
	struct exactsum *sums = runs;

	(void)position;
	for (uint64_t i = 0; i < count; i++)
		if (!(args->omit && (left[i] != left[i] || right[i] != right[i])))
			exactsum_add_product(&sums[i], left[i], right[i]);
}

static void moments_step(void *runs, const void *x, const void *y, uint64_t count,
			 uint64_t position, const struct accum_args *args)
{
	struct exact_moments *moments = runs;
	const double *element = x;

	(void)y;
	(void)position;
	for (uint64_t i = 0; i < count; i++) {
		if (args->omit && element[i] != element[i])
			continue;
		exactsum_add(&moments[i].sum, element[i]);
		exactsum_add_product(&moments[i].squares, element[i], element[i]);
	}
}

const struct accum_class accum_exact_square = {
	.name = "exact_square",
	.ordered = false,
	.size = sizeof(struct exactsum),
	.init = sum_init,
	.tile = square_tile,
	.tile_f32 = square_tile_f32,
	.work_size = sizeof(struct exact_products),
	.work_init = products_begin,
	.work_end = products_end,
	.run_size = sizeof(struct exactsum),
	.run_init = sum_init,
	.step = square_step,
	.combine = combine_exactsum,
};

const struct accum_class accum_exact_dot = {
	.name = "exact_dot",
	.ordered = false,
	.size = sizeof(struct exactsum),
	.init = sum_init,
	.tile = dot_tile,
	.tile_f32 = dot_tile_f32,
	.work_size = sizeof(struct exact_products),
	.work_init = products_begin,
	.work_end = products_end,
	.run_size = sizeof(struct exactsum),
	.run_init = sum_init,
	.step = dot_step,
	.combine = combine_exactsum,
};

const struct accum_class accum_exact_moments = {
	.name = "exact_moments",
	.ordered = false,
	.size = sizeof(struct exact_moments),
	.init = moments_init,
	.tile = moments_tile,
	.tile_f32 = moments_tile_f32,
	.work_size = sizeof(struct moments_work),
	.work_init = moments_begin,
	.work_end = moments_end,
	.run_size = sizeof(struct exact_moments),
	.run_init = moments_init,
	.step = moments_step,
	.combine = combine_exact_moments,
};
