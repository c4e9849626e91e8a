/* accum_exact.c - exact sums of floats: order-free. */
#include "config.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "engine/elementary.h"

static void sum_init(void *value)
{
	exactsum_init(value);
}

static void sum_combine(void *left, const void *right)
{
	exactsum_merge(left, right);
}

static void moments_init(void *value)
{
	struct exact_moments *moments = value;

	exactsum_init(&moments->sum);
	exactsum_init(&moments->squares);
}

static void moments_combine(void *left, const void *right)
{
	struct exact_moments *a = left;
	const struct exact_moments *b = right;

	exactsum_merge(&a->sum, &b->sum);
	exactsum_merge(&a->squares, &b->squares);
}

static void add_plain(void *value, double x, double y)
{
	(void)y;
	exactsum_add(value, x);
}

static void add_abs(void *value, double x, double y)
{
	(void)y;
	exactsum_add(value, elementary_abs(x));
}

static void add_square(void *value, double x, double y)
{
	(void)y;
	exactsum_add_product(value, x, x);
}

static void add_product(void *value, double x, double y)
{
	exactsum_add_product(value, x, y);
}

static void add_moments(void *value, double x, double y)
{
	struct exact_moments *moments = value;

	(void)y;
	exactsum_add(&moments->sum, x);
	exactsum_add_product(&moments->squares, x, x);
}

/* stride: bytes from one element's value to the next one's; 0: all into one. */
static inline __attribute__((always_inline)) void add_all(void *values, size_t stride,
							  const double *x, const double *y,
							  uint64_t count, bool omit,
							  void (*add)(void *, double, double))
{
	for (uint64_t i = 0; i < count; i++) {
		double b = y != NULL ? y[i] : 0.0;

		if (omit && (x[i] != x[i] || b != b))
			continue;
		add((char *)values + i * stride, x[i], b);
	}
}

#define EXACT_CLASS(NAME, VALUE, ADD, PAIR, INIT, COMBINE)                                         \
	static void NAME##_tile(void *value, const struct tile *tile,                              \
				const struct accum_args *args)                                     \
	{                                                                                          \
		add_all(value, 0, tile->x, (PAIR) ? tile->y : NULL, tile->count, args->omit, ADD); \
	}                                                                                          \
                                                                                                   \
	static void NAME##_step(void *runs, const void *x, const void *y, uint64_t count,          \
				uint64_t position, const struct accum_args *args)                  \
	{                                                                                          \
		(void)position;                                                                    \
		add_all(runs, sizeof(VALUE), x, (PAIR) ? y : NULL, count, args->omit, ADD);        \
	}                                                                                          \
                                                                                                   \
	const struct accum_class accum_exact_##NAME = {                                            \
		.name = "exact_" #NAME,                                                            \
		.ordered = false,                                                                  \
		.size = sizeof(VALUE),                                                             \
		.init = INIT,                                                                      \
		.tile = NAME##_tile,                                                               \
		.run_size = sizeof(VALUE),                                                         \
		.run_init = INIT,                                                                  \
		.step = NAME##_step,                                                               \
		.combine = COMBINE,                                                                \
	}

EXACT_CLASS(sum, struct exactsum, add_plain, false, sum_init, sum_combine);
EXACT_CLASS(abs, struct exactsum, add_abs, false, sum_init, sum_combine);
EXACT_CLASS(square, struct exactsum, add_square, false, sum_init, sum_combine);
EXACT_CLASS(dot, struct exactsum, add_product, true, sum_init, sum_combine);
EXACT_CLASS(moments, struct exact_moments, add_moments, false, moments_init, moments_combine);
