/* exact_two.h - the product of two binary64 numbers as the sum of two (Dekker, "A
 * floating-point technique for extending the available precision", Numer. Math.
 * 18, 1971): h = fl(x*y), and x*y - h, which is a binary64 number when h does not
 * overflow and the unit of x*y is no less than 2^-1074. */
#ifndef CPU_KERNELS_EXACT_TWO_H
#define CPU_KERNELS_EXACT_TWO_H

#include "cpu/kernels/vector.h"

/* Factors that are 0 or within 2^-480..2^511, the upper end out: a product is
 * below 2^1022, and the unit of its 106 bits 2^-1064 at least. */
#define EXACT_TWO_LEAST ((int64_t)(1023 - 480) << 52)
#define EXACT_TWO_GREATEST (((int64_t)(1023 + 511) << 52) - 1)

/* Bit 63 of an element: it is not one of them, or its bits without the sign are
 * above `most`, EXACT_TWO_GREATEST or less. Those of NaN and infinities are the
 * greatest. */
VECTOR_INLINE vi64 exact_two_outside(vf64 x, int64_t most)
{
	vi64 bits = (vi64)x & INT64_MAX;

	return ((bits - EXACT_TWO_LEAST) & ~(bits - 1)) | (most - bits);
}

#if !defined(__FMA__) || VECTOR_BYTES == 16
/* The nearest number of 26 bits; the difference has as many, since it is signed. */
VECTOR_INLINE vf64 exact_two_upper(vf64 x)
{
	return (vf64)(((vu64)x + ((uint64_t)1 << 26)) & ~(((uint64_t)1 << 27) - 1));
}
#endif

/* x*y - high */
VECTOR_INLINE vf64 exact_two_rest(vf64 x, vf64 y, vf64 high)
{
#ifdef VECTOR_512
	return (vf64)_mm512_fmsub_pd((__m512d)x, (__m512d)y, (__m512d)high);
#elif defined(__FMA__) && VECTOR_BYTES == 32
	return (vf64)_mm256_fmsub_pd((__m256d)x, (__m256d)y, (__m256d)high);
#else
	vf64 x1 = exact_two_upper(x), x2 = x - x1, y1 = exact_two_upper(y), y2 = y - y1;

	return x1 * y1 - high + x1 * y2 + x2 * y1 + x2 * y2;
#endif
}

#endif
