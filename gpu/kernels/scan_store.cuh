/* scan_store.cuh - one prefix to one element of the result: rounded once, a NaN
 * the positive quiet one; integers by the overflow rule. */
#ifndef GPU_KERNELS_SCAN_STORE_CUH
#define GPU_KERNELS_SCAN_STORE_CUH

#include <cuda_fp16.h>
#include "gpu/kernels/launch.h"

struct scan_output {
	void *out;
	enum dtype dtype;
	enum overflow_rule rule;
	__int128 least, greatest; /* of an integer type */
	uint64_t *overflow;       /* lowest stored position of a prefix out of range */
	/* Where element i stands in the array: lines are columns of it, that were
	 * turned (struct columns); length 0: they were not. */
	struct columns turned;
};

/* By way of a binary32 rounded to odd: 24 bits are more than 8 + 2. */
__device__ __forceinline__ uint16_t scan_bfloat16_of(double value)
{
	uint32_t bits = __float_as_uint(__double2float_rz(value));

	if ((double)__uint_as_float(bits) != value && (bits & 0x7fffffff) < 0x7f800000)
		bits |= 1;
	bits += 0x7fff + (bits >> 16 & 1);
	return (uint16_t)(bits >> 16);
}

__device__ __forceinline__ void scan_store_float(double value, const struct scan_output &out,
						 uint64_t i)
{
	const bool nan = value != value;

	switch (out.dtype) {
	case DTYPE_FLOAT16:
		((uint16_t *)out.out)[i] = nan ? 0x7e00 : __half_as_ushort(__double2half(value));
		break;
	case DTYPE_BFLOAT16:
		((uint16_t *)out.out)[i] = nan ? 0x7fc0 : scan_bfloat16_of(value);
		break;
	case DTYPE_FLOAT32:
		((float *)out.out)[i] = nan ? __uint_as_float(0x7fc00000) : (float)value;
		break;
	default:
		((double *)out.out)[i] = nan ? __longlong_as_double(0x7ff8000000000000) : value;
	}
}

static __device__ __noinline__ void scan_note_overflow(const struct scan_output &out, uint64_t i)
{
	const struct columns &turned = out.turned;
	unsigned long long position = i;

	if (turned.length != 0) {
		const uint64_t line = i / turned.length, k = i - line * turned.length;
		const uint64_t o = line / turned.inner, column = line - o * turned.inner;

		position = (o * turned.length + k) * turned.inner + column;
	}
	atomicMin((unsigned long long *)out.overflow, position);
}

__device__ __forceinline__ void scan_store_integer(__int128 value, const struct scan_output &out,
						   uint64_t i)
{
	if (value < out.least || value > out.greatest) {
		if (out.rule == OVERFLOW_ERROR)
			scan_note_overflow(out, i);
		else if (out.rule == OVERFLOW_SATURATE)
			value = value < out.least ? out.least : out.greatest;
	}
	switch (out.dtype) {
	case DTYPE_BOOL:
		((uint8_t *)out.out)[i] = (uint8_t)((uint64_t)value & 1);
		break;
	case DTYPE_INT8:
	case DTYPE_UINT8:
		((uint8_t *)out.out)[i] = (uint8_t)value;
		break;
	case DTYPE_INT16:
	case DTYPE_UINT16:
		((uint16_t *)out.out)[i] = (uint16_t)value;
		break;
	case DTYPE_INT32:
	case DTYPE_UINT32:
		((uint32_t *)out.out)[i] = (uint32_t)value;
		break;
	default:
		((uint64_t *)out.out)[i] = (uint64_t)value;
	}
}

#endif
