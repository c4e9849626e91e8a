/* accum_u64.c - exact accumulators of unsigned integers. */
#include "config.h"

#include "cpu/kernels/accum_int.h"

VECTOR_INLINE vu64 term_plain(vu64 x, vu64 y)
{
	(void)y;
	return x;
}

VECTOR_INLINE __int128 wide_plain(uint64_t x, uint64_t y)
{
	(void)y;
	return x;
}

/* Right for elements of 32 bits. */
VECTOR_INLINE vu64 term_product(vu64 x, vu64 y)
{
	return vector_multiply_u32(x, y);
}

VECTOR_INLINE __int128 wide_product(uint64_t x, uint64_t y)
{
	return (__int128)((unsigned __int128)x * y);
}

#define PLAIN ((struct int_kind){.term = term_plain, .wide = wide_plain})
#define PRODUCT(PAIR)       \
	((struct int_kind){ \
		.term = term_product, .wide = wide_product, .pair = (PAIR), .product = true})

ACCUM_INT_SUM_CLASS(u64_sum, PLAIN);
ACCUM_INT_SUM_CLASS(u64_square, PRODUCT(false));
ACCUM_INT_SUM_CLASS(u64_dot, PRODUCT(true));
ACCUM_INT_PROD_CLASS(u64_prod, uint64_t, intprod_mul_u64);
ACCUM_INT_MOMENTS_CLASS(u64_moments, PLAIN, PRODUCT(false));
