/* load.cuh - elements as they are stored, and as kernels see them: floats as
 * double, integers and bool as int64_t or uint64_t (enum domain). */
#ifndef GPU_KERNELS_LOAD_CUH
#define GPU_KERNELS_LOAD_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "engine/dtype.h"

/* A tag for each element type: `type` is its storage, `wide` what kernels see. */
template <enum dtype D> struct stored;

#define STORED(DTYPE, TYPE, WIDE, EXPRESSION)                        \
	template <> struct stored<DTYPE> {                           \
		using type = TYPE;                                   \
		using wide = WIDE;                                   \
		static __device__ __forceinline__ WIDE widen(TYPE x) \
		{                                                    \
			return (EXPRESSION);                         \
		}                                                    \
	};

STORED(DTYPE_BOOL, uint8_t, int64_t, x != 0)
STORED(DTYPE_INT8, int8_t, int64_t, x)
STORED(DTYPE_INT16, int16_t, int64_t, x)
STORED(DTYPE_INT32, int32_t, int64_t, x)
STORED(DTYPE_INT64, int64_t, int64_t, x)
STORED(DTYPE_UINT8, uint8_t, uint64_t, x)
STORED(DTYPE_UINT16, uint16_t, uint64_t, x)
STORED(DTYPE_UINT32, uint32_t, uint64_t, x)
STORED(DTYPE_UINT64, uint64_t, uint64_t, x)
STORED(DTYPE_FLOAT16, uint16_t, double, __half2float(__ushort_as_half(x)))
STORED(DTYPE_BFLOAT16, uint16_t, double, __uint_as_float((uint32_t)x << 16))
STORED(DTYPE_FLOAT32, float, double, x)
STORED(DTYPE_FLOAT64, double, double, x)

#undef STORED

/* Calls f with the tag of a float type; f gives a cudaError_t. */
template <class F> cudaError_t with_float(enum dtype dtype, F f)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return f(stored<DTYPE_FLOAT16>{});
	case DTYPE_BFLOAT16:
		return f(stored<DTYPE_BFLOAT16>{});
	case DTYPE_FLOAT32:
		return f(stored<DTYPE_FLOAT32>{});
	case DTYPE_FLOAT64:
		return f(stored<DTYPE_FLOAT64>{});
	default:
		return cudaErrorInvalidValue;
	}
}

/* Element i as its wide type W (int64_t or uint64_t), the type known at run time
 * only: for kernels that do more than read. */
template <class W>
__device__ __forceinline__ W load_integer(const void *x, enum dtype dtype, uint64_t i)
{
	switch (dtype) {
	case DTYPE_BOOL:
		return (W)(((const uint8_t *)x)[i] != 0);
	case DTYPE_INT8:
		return (W)((const int8_t *)x)[i];
	case DTYPE_INT16:
		return (W)((const int16_t *)x)[i];
	case DTYPE_INT32:
		return (W)((const int32_t *)x)[i];
	case DTYPE_UINT8:
		return (W)((const uint8_t *)x)[i];
	case DTYPE_UINT16:
		return (W)((const uint16_t *)x)[i];
	case DTYPE_UINT32:
		return (W)((const uint32_t *)x)[i];
	default:
		return (W)((const uint64_t *)x)[i];
	}
}

/* The same for floats. */
__device__ __forceinline__ double load_float(const void *x, enum dtype dtype, uint64_t i)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return stored<DTYPE_FLOAT16>::widen(((const uint16_t *)x)[i]);
	case DTYPE_BFLOAT16:
		return stored<DTYPE_BFLOAT16>::widen(((const uint16_t *)x)[i]);
	case DTYPE_FLOAT32:
		return ((const float *)x)[i];
	default:
		return ((const double *)x)[i];
	}
}

#endif
