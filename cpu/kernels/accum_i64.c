/* accum_i64.c - exact accumulators of bool and signed integers. */
#include "config.h"

#include "cpu/kernels/accum_int.h"

static inline __int128 i64_plain(int64_t x, int64_t y)
{
	(void)y;
	return x;
}

static inline __int128 i64_magnitude(int64_t x, int64_t y)
{
	(void)y;
	return x < 0 ? -(__int128)x : x;
}

static inline __int128 i64_product(int64_t x, int64_t y)
{
	return (__int128)x * y;
}

ACCUM_INT_SUM_CLASS(i64_sum, int64_t, __int128, i64_plain, false);
ACCUM_INT_SUM_CLASS(i64_abs, int64_t, __int128, i64_magnitude, false);
ACCUM_INT_SUM_CLASS(i64_square, int64_t, __int128, i64_product, false);
ACCUM_INT_SUM_CLASS(i64_dot, int64_t, __int128, i64_product, true);
ACCUM_INT_PROD_CLASS(i64_prod, int64_t, intprod_mul_i64);
ACCUM_INT_MOMENTS_CLASS(i64_moments, int64_t, int192_add_i64, __int128, i64_square_tile);
