/* numbers.cuh - elements for tests and benchmarks of kernels: the same on the host
 * and on the device, in any order. */
#ifndef TESTS_GPU_NUMBERS_CUH
#define TESTS_GPU_NUMBERS_CUH

#include <cstdint>
#include <cstring>
#include "engine/dtype.h"

extern "C" {
#include "engine/round.h"
}

/* Number i of a seed: SplitMix64. */
static inline __host__ __device__ uint64_t random_bits(uint64_t seed, uint64_t i)
{
	uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* An element of a float type, as it is stored. */
static inline double float_at(enum dtype dtype, const void *element)
{
	uint16_t half;
	float single;
	double number;

	switch (dtype) {
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		memcpy(&half, element, sizeof(half));
		return dtype == DTYPE_FLOAT16 ? float16_to_f64(half) : bfloat16_to_f64(half);
	case DTYPE_FLOAT32:
		memcpy(&single, element, sizeof(single));
		return single;
	default:
		memcpy(&number, element, sizeof(number));
		return number;
	}
}

#endif
