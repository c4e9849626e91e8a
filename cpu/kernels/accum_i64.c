/* accum_i64.c - exact accumulators of bool and signed integers. */
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
	return (int64_t)x;
}

VECTOR_INLINE vu64 term_magnitude(vu64 x, vu64 y)
{
	vu64 sign = (vu64)((vi64)x < 0);

	(void)y;
	return (x ^ sign) - sign;
}

VECTOR_INLINE __int128 wide_magnitude(uint64_t x, uint64_t y)
{
	(void)y;
	return (int64_t)x < 0 ? -(__int128)(int64_t)x : (__int128)(int64_t)x;
}

/* Right for elements of 32 bits. */
VECTOR_INLINE vu64 term_product(vu64 x, vu64 y)
{
	return vector_multiply_i32(x, y);
}

VECTOR_INLINE __int128 wide_product(uint64_t x, uint64_t y)
{
	return (__int128)(int64_t)x * (int64_t)y;
}

#define PLAIN                                    \
	((struct int_kind){.term = term_plain,   \
			   .wide = wide_plain,   \
			   .signed_terms = true, \
			   .signed_elements = true})
#define MAGNITUDE \
	((struct int_kind){.term = term_magnitude, .wide = wide_magnitude, .signed_elements = true})
#define PRODUCT(PAIR)                               \
	((struct int_kind){.term = term_product,    \
			   .wide = wide_product,    \
			   .pair = (PAIR),          \
			   .signed_terms = true,    \
			   .signed_elements = true, \
			   .product = true})

ACCUM_INT_SUM_CLASS(i64_sum, PLAIN);
ACCUM_INT_SUM_CLASS(i64_abs, MAGNITUDE);
ACCUM_INT_SUM_CLASS(i64_square, PRODUCT(false));
ACCUM_INT_SUM_CLASS(i64_dot, PRODUCT(true));
ACCUM_INT_PROD_CLASS(i64_prod, int64_t, intprod_mul_i64);
ACCUM_INT_MOMENTS_CLASS(i64_moments, PLAIN, PRODUCT(false));
