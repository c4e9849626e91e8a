/* accum_u64.c - exact accumulators of unsigned integers. */
#include "config.h"

#include "cpu/kernels/accum_int.h"

static inline unsigned __int128 u64_plain(uint64_t x, uint64_t y)
{
	(void)y;
	return x;
}

static inline unsigned __int128 u64_product(uint64_t x, uint64_t y)
{
	return (unsigned __int128)x * y;
}

ACCUM_INT_SUM_CLASS(u64_sum, uint64_t, unsigned __int128, u64_plain, false);
ACCUM_INT_SUM_CLASS(u64_square, uint64_t, unsigned __int128, u64_product, false);
ACCUM_INT_SUM_CLASS(u64_dot, uint64_t, unsigned __int128, u64_product, true);
ACCUM_INT_PROD_CLASS(u64_prod, uint64_t, intprod_mul_u64);
ACCUM_INT_MOMENTS_CLASS(u64_moments, uint64_t, int192_add_u64, unsigned __int128, u64_square_tile);
