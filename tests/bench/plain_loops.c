/* One level: PLAIN_LEVEL is its name, PLAIN_BYTES the bytes of a vector. */
#include "config.h"

#include <stddef.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include "tests/bench/plain_loops.h"

#define PASTE_NAMES(a, b) a##b
#define PASTE(a, b) PASTE_NAMES(a, b)
#define QUOTE_NAME(a) #a
#define QUOTE(a) QUOTE_NAME(a)

/* Vectors are greater than their elements are aligned to. */
typedef float vector_f32 __attribute__((vector_size(PLAIN_BYTES), aligned(4)));
typedef double vector_f64 __attribute__((vector_size(PLAIN_BYTES), aligned(8)));

#if PLAIN_BYTES == 64
#define MAX_F32(a, b) ((vector_f32)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define MAX_F64(a, b) ((vector_f64)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif PLAIN_BYTES == 32
#define MAX_F32(a, b) ((vector_f32)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define MAX_F64(a, b) ((vector_f64)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#elif defined(__SSE2__)
#define MAX_F32(a, b) ((vector_f32)_mm_max_ps((__m128)(a), (__m128)(b)))
#define MAX_F64(a, b) ((vector_f64)_mm_max_pd((__m128d)(a), (__m128d)(b)))
#else
/* A comparison of vectors gives all ones where it holds. */
typedef int32_t mask_f32 __attribute__((vector_size(PLAIN_BYTES), aligned(4)));
typedef int64_t mask_f64 __attribute__((vector_size(PLAIN_BYTES), aligned(8)));
#define PICK(vector, mask, a, b) ((vector)(((mask)(a) & ((a) > (b))) | ((mask)(b) & ~((a) > (b)))))
#define MAX_F32(a, b) PICK(vector_f32, mask_f32, a, b)
#define MAX_F64(a, b) PICK(vector_f64, mask_f64, a, b)
#endif

#define SUFFIX _f32
#define ELEMENT float
#define VECTOR vector_f32
#define VECTOR_MAX MAX_F32
#include "tests/bench/plain_body.h"
#undef SUFFIX
#undef ELEMENT
#undef VECTOR
#undef VECTOR_MAX

#define SUFFIX _f64
#define ELEMENT double
#define VECTOR vector_f64
#define VECTOR_MAX MAX_F64
#include "tests/bench/plain_body.h"

#define WAYS(op, suffix)                                                             \
	{                                                                            \
		PASTE(op##_1, suffix), PASTE(op##_2, suffix), PASTE(op##_4, suffix), \
			PASTE(op##_8, suffix)                                        \
	}
#define OPS(suffix)                                                         \
	{                                                                   \
		WAYS(sum, suffix), WAYS(squares, suffix), WAYS(max, suffix) \
	}

const struct plain_level PASTE(plain_, PLAIN_LEVEL) = {
	.name = QUOTE(PLAIN_LEVEL),
	.f32 = OPS(_f32),
	.f64 = OPS(_f64),
};
