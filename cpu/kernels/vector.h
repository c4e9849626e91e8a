/* vector.h - vectors as wide as the instruction set has them, in the vector
 * extensions of gcc and clang: + - * & | ^ == < work on them, and a comparison
 * gives -1 or 0 in each element. Intrinsics only for what has no operator. */
#ifndef CPU_KERNELS_VECTOR_H
#define CPU_KERNELS_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define VECTOR_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define VECTOR_BYTES 64
#define VECTOR_512 1
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define VECTOR_F64 (VECTOR_BYTES / 8u) /* elements of a vector */
#define VECTOR_F32 (VECTOR_BYTES / 4u)

/* Before a loop of few, constant rounds over vectors that shall stay in
 * registers. A sanitizer's checks in each round would take minutes to compile. */
#ifdef __has_feature
#define VECTOR_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VECTOR_SANITIZED 1
#else
#define VECTOR_SANITIZED 0
#endif
#if VECTOR_SANITIZED
#define VECTOR_UNROLL
#elif defined(__clang__)
#define VECTOR_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VECTOR_UNROLL _Pragma("GCC unroll 64")
#endif

typedef double vf64 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t vi64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vu64 __attribute__((vector_size(VECTOR_BYTES)));
typedef float vf32 __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t vi32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t vu32 __attribute__((vector_size(VECTOR_BYTES)));

/* Elements are aligned to their own size only. */
VECTOR_INLINE vf64 vector_load_f64(const double *at)
{
	vf64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

VECTOR_INLINE vf32 vector_load_f32(const float *at)
{
	vf32 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

VECTOR_INLINE vu64 vector_load_u64(const uint64_t *at)
{
	vu64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

VECTOR_INLINE vu32 vector_load_u32(const uint32_t *at)
{
	vu32 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* VECTOR_F64 floats, to binary64. */
VECTOR_INLINE vf64 vector_load_widened(const float *at)
{
#if VECTOR_BYTES == 64
	return (vf64)_mm512_cvtps_pd(_mm256_loadu_ps(at));
#elif VECTOR_BYTES == 32
	return (vf64)_mm256_cvtps_pd(_mm_loadu_ps(at));
#elif defined(__SSE2__)
	return (vf64)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const void *)at)));
#else
	return (vf64){at[0], at[1]};
#endif
}

VECTOR_INLINE vf64 vector_set_f64(double x)
{
	return x - (vf64){0}; /* x - 0 is x, -0 too */
}

VECTOR_INLINE vf32 vector_set_f32(float x)
{
	return x - (vf32){0};
}

VECTOR_INLINE vu64 vector_set_u64(uint64_t x)
{
	return x | (vu64){0};
}

VECTOR_INLINE vu32 vector_set_u32(uint32_t x)
{
	return x | (vu32){0};
}

/* mask, element by element -1 or 0, ? a : b */
VECTOR_INLINE vf64 vector_select(vi64 mask, vf64 a, vf64 b)
{
	return (vf64)((mask & (vi64)a) | (~mask & (vi64)b));
}

VECTOR_INLINE vu64 vector_select_u64(vi64 mask, vu64 a, vu64 b)
{
	return ((vu64)mask & a) | (~(vu64)mask & b);
}

VECTOR_INLINE vf64 vector_abs(vf64 x)
{
	return (vf64)((vi64)x & INT64_MAX);
}

/* 1.0, which the compiler is not to know. */
VECTOR_INLINE vf64 vector_one(void)
{
	vf64 one = vector_set_f64(1.0);

#ifdef __FMA__
	__asm__("" : "+v"(one));
#endif
	return one;
}

/* x + y and x - y, once rounded as ever, but by the multiplier where it adds as
 * well: for loops that keep the adder busy with other things. one is
 * vector_one(). */
VECTOR_INLINE vf64 vector_add_aside(vf64 x, vf64 y, vf64 one)
{
#if VECTOR_BYTES == 64
	return (vf64)_mm512_fmadd_pd((__m512d)x, (__m512d)one, (__m512d)y);
#elif defined(__FMA__) && VECTOR_BYTES == 32
	return (vf64)_mm256_fmadd_pd((__m256d)x, (__m256d)one, (__m256d)y);
#else
	(void)one;
	return x + y;
#endif
}

VECTOR_INLINE vf64 vector_subtract_aside(vf64 x, vf64 y, vf64 one)
{
#if VECTOR_BYTES == 64
	return (vf64)_mm512_fmsub_pd((__m512d)x, (__m512d)one, (__m512d)y);
#elif defined(__FMA__) && VECTOR_BYTES == 32
	return (vf64)_mm256_fmsub_pd((__m256d)x, (__m256d)one, (__m256d)y);
#else
	(void)one;
	return x - y;
#endif
}

/* The first n elements, -1, the others 0. */
VECTOR_INLINE vi64 vector_first(uint64_t n)
{
#if VECTOR_BYTES == 64
	const vi64 place = {0, 1, 2, 3, 4, 5, 6, 7};
#elif VECTOR_BYTES == 32
	const vi64 place = {0, 1, 2, 3};
#else
	const vi64 place = {0, 1};
#endif
	return place < (int64_t)n;
}

/* Elements from `half` on, in front; what is behind them is anything. */
VECTOR_INLINE vf64 vector_upper(vf64 v, unsigned half)
{
#if VECTOR_BYTES == 64
	if (half == 4)
		return __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7);
	if (half == 2)
		return __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3);
	return __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1);
#elif VECTOR_BYTES == 32
	if (half == 2)
		return __builtin_shufflevector(v, v, 2, 3, 2, 3);
	return __builtin_shufflevector(v, v, 1, 1, 1, 1);
#else
	(void)half;
	return __builtin_shufflevector(v, v, 1, 1);
#endif
}

/* x < y ? x : y, and x > y ? x : y: of two zeros, and where one is a NaN, y. */
VECTOR_INLINE vf64 vector_min_f64(vf64 x, vf64 y)
{
#if VECTOR_BYTES == 64
	return (vf64)_mm512_min_pd((__m512d)x, (__m512d)y);
#elif VECTOR_BYTES == 32
	return (vf64)_mm256_min_pd((__m256d)x, (__m256d)y);
#elif defined(__SSE2__)
	return (vf64)_mm_min_pd((__m128d)x, (__m128d)y);
#else
	return vector_select(x < y, x, y);
#endif
}

VECTOR_INLINE vf64 vector_max_f64(vf64 x, vf64 y)
{
#if VECTOR_BYTES == 64
	return (vf64)_mm512_max_pd((__m512d)x, (__m512d)y);
#elif VECTOR_BYTES == 32
	return (vf64)_mm256_max_pd((__m256d)x, (__m256d)y);
#elif defined(__SSE2__)
	return (vf64)_mm_max_pd((__m128d)x, (__m128d)y);
#else
	return vector_select(x > y, x, y);
#endif
}

VECTOR_INLINE vf32 vector_min_f32(vf32 x, vf32 y)
{
#if VECTOR_BYTES == 64
	return (vf32)_mm512_min_ps((__m512)x, (__m512)y);
#elif VECTOR_BYTES == 32
	return (vf32)_mm256_min_ps((__m256)x, (__m256)y);
#elif defined(__SSE2__)
	return (vf32)_mm_min_ps((__m128)x, (__m128)y);
#else
	vi32 less = x < y;

	return (vf32)((less & (vi32)x) | (~less & (vi32)y));
#endif
}

VECTOR_INLINE vf32 vector_max_f32(vf32 x, vf32 y)
{
#if VECTOR_BYTES == 64
	return (vf32)_mm512_max_ps((__m512)x, (__m512)y);
#elif VECTOR_BYTES == 32
	return (vf32)_mm256_max_ps((__m256)x, (__m256)y);
#elif defined(__SSE2__)
	return (vf32)_mm_max_ps((__m128)x, (__m128)y);
#else
	vi32 more = x > y;

	return (vf32)((more & (vi32)x) | (~more & (vi32)y));
#endif
}

/* Flags: whether something was true in any element so far. */
#ifdef VECTOR_512
typedef uint32_t vector_flags;
#else
typedef vu64 vector_flags;
#endif
#define VECTOR_NO_FLAGS ((vector_flags){0})

VECTOR_INLINE bool vector_any(vector_flags flags)
{
#ifdef VECTOR_512
	return flags != 0;
#elif VECTOR_BYTES == 32
	return !_mm256_testz_si256((__m256i)flags, (__m256i)flags);
#else
	return (flags[0] | flags[1]) != 0;
#endif
}

/* Is a or b a NaN? */
VECTOR_INLINE vector_flags vector_unordered_f64(vf64 a, vf64 b)
{
#ifdef VECTOR_512
	return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q);
#elif VECTOR_BYTES == 32
	return (vector_flags)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q);
#else
	return (vector_flags)((a != a) | (b != b));
#endif
}

VECTOR_INLINE vector_flags vector_unordered_f32(vf32 a, vf32 b)
{
#ifdef VECTOR_512
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
#elif VECTOR_BYTES == 32
	return (vector_flags)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
#else
	return (vector_flags)((a != a) | (b != b));
#endif
}

VECTOR_INLINE vector_flags vector_equal_u64(vu64 a, vu64 b)
{
#ifdef VECTOR_512
	return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
#else
	return (vector_flags)(a == b);
#endif
}

VECTOR_INLINE vector_flags vector_equal_u32(vu32 a, vu32 b)
{
#ifdef VECTOR_512
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#else
	return (vector_flags)(a == b);
#endif
}

/* mask as flags */
VECTOR_INLINE vector_flags vector_flagged(vi64 mask)
{
#ifdef VECTOR_512
	return _mm512_movepi64_mask((__m512i)mask);
#else
	return (vector_flags)mask;
#endif
}

/* Products of elements that have 32 bits, of two's complement in the first. */
VECTOR_INLINE vu64 vector_multiply_i32(vu64 x, vu64 y)
{
#if VECTOR_BYTES == 64
	return (vu64)_mm512_mul_epi32((__m512i)x, (__m512i)y);
#elif VECTOR_BYTES == 32
	return (vu64)_mm256_mul_epi32((__m256i)x, (__m256i)y);
#elif defined(__SSE4_1__)
	return (vu64)_mm_mul_epi32((__m128i)x, (__m128i)y);
#else
	return x * y;
#endif
}

VECTOR_INLINE vu64 vector_multiply_u32(vu64 x, vu64 y)
{
#if VECTOR_BYTES == 64
	return (vu64)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#elif VECTOR_BYTES == 32
	return (vu64)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
	return (vu64)_mm_mul_epu32((__m128i)x, (__m128i)y);
#else
	return x * y;
#endif
}

VECTOR_INLINE uint64_t vector_total_u64(vu64 v)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < VECTOR_F64; i++)
		total += v[i];
	return total;
}

VECTOR_INLINE uint64_t vector_total_u32(vu32 v)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < VECTOR_F32; i++)
		total += v[i];
	return total;
}

#endif
