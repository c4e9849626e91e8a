#include "config.h"
#include "cpu/kernels/widen.h"

#include <assert.h>
#include <string.h>
#include "cpu/kernels/vector.h"

#define SOME 512u /* elements at a time: they stay in the nearest cache */

/* A loop for each pair of types; the compiler vectorises them. */
#define CONVERT(FROM, TO)                            \
	do {                                         \
		const FROM *from = in;               \
		TO *to = out;                        \
                                                     \
		for (uint64_t i = 0; i < count; i++) \
			to[i] = (TO)from[i];         \
	} while (0)

#define CONVERT_BOOL(TO)                             \
	do {                                         \
		const uint8_t *from = in;            \
		TO *to = out;                        \
                                                     \
		for (uint64_t i = 0; i < count; i++) \
			to[i] = (TO)(from[i] != 0);  \
	} while (0)

/* Bits of a binary32. */
static inline float float32_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Exponent and fraction moved to binary32's places are the value times 2^-112;
 * infinities and NaNs then need the largest exponent. */
static inline float half_to_f32(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = half & 0x7fffu;
	uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0;

	return float32_bits(sign | magnitude << 13 | special) * (special != 0 ? 1.0f : 0x1p112f);
}

static void halves(const uint16_t *in, uint64_t count, float *out)
{
	uint64_t i = 0;

#if VECTOR_BYTES == 64
	for (; i + 16 <= count; i += 16)
		_mm512_storeu_ps(out + i,
				 _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(in + i))));
#elif VECTOR_BYTES == 32
	for (; i + 8 <= count; i += 8)
		_mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(in + i))));
#endif
	for (; i < count; i++)
		out[i] = half_to_f32(in[i]);
}

static void bfloats(const uint16_t *in, uint64_t count, float *out)
{
	for (uint64_t i = 0; i < count; i++)
		out[i] = float32_bits((uint32_t)in[i] << 16);
}

static void singles(const float *in, uint64_t count, double *out)
{
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= count; i += VECTOR_F64) {
		vf64 v = vector_load_widened(in + i);

		memcpy(out + i, &v, sizeof(v));
	}
	for (; i < count; i++)
		out[i] = (double)in[i];
}

/* By way of binary32, which holds every one of them. */
static void widen_16_bits(enum dtype dtype, const uint16_t *in, uint64_t count, double *out)
{
	float some[SOME];

	while (count > 0) {
		uint64_t n = count < SOME ? count : SOME;

		kernel_widen_f32(dtype, in, n, some);
		singles(some, n, out);
		in += n;
		out += n;
		count -= n;
	}
}

static void widen_f64(enum dtype dtype, const void *in, uint64_t count, void *out)
{
	switch (dtype) {
	case DTYPE_BOOL:
		CONVERT_BOOL(double);
		break;
	case DTYPE_INT8:
		CONVERT(int8_t, double);
		break;
	case DTYPE_INT16:
		CONVERT(int16_t, double);
		break;
	case DTYPE_INT32:
		CONVERT(int32_t, double);
		break;
	case DTYPE_INT64:
		CONVERT(int64_t, double);
		break;
	case DTYPE_UINT8:
		CONVERT(uint8_t, double);
		break;
	case DTYPE_UINT16:
		CONVERT(uint16_t, double);
		break;
	case DTYPE_UINT32:
		CONVERT(uint32_t, double);
		break;
	case DTYPE_UINT64:
		CONVERT(uint64_t, double);
		break;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		widen_16_bits(dtype, in, count, out);
		break;
	case DTYPE_FLOAT32:
		singles(in, count, out);
		break;
	case DTYPE_FLOAT64:
		memcpy(out, in, count * sizeof(double));
		break;
	case DTYPE_COUNT:
		assert(0);
	}
}

static void widen_i64(enum dtype dtype, const void *in, uint64_t count, void *out)
{
	switch (dtype) {
	case DTYPE_BOOL:
		CONVERT_BOOL(int64_t);
		break;
	case DTYPE_INT8:
		CONVERT(int8_t, int64_t);
		break;
	case DTYPE_INT16:
		CONVERT(int16_t, int64_t);
		break;
	case DTYPE_INT32:
		CONVERT(int32_t, int64_t);
		break;
	case DTYPE_INT64:
		memcpy(out, in, count * sizeof(int64_t));
		break;
	default:
		assert(!"no signed integer");
	}
}

static void widen_u64(enum dtype dtype, const void *in, uint64_t count, void *out)
{
	switch (dtype) {
	case DTYPE_UINT8:
		CONVERT(uint8_t, uint64_t);
		break;
	case DTYPE_UINT16:
		CONVERT(uint16_t, uint64_t);
		break;
	case DTYPE_UINT32:
		CONVERT(uint32_t, uint64_t);
		break;
	case DTYPE_UINT64:
		memcpy(out, in, count * sizeof(uint64_t));
		break;
	default:
		assert(!"no unsigned integer");
	}
}

void kernel_widen(enum dtype dtype, const void *in, uint64_t count, enum domain domain, void *out)
{
	if (count == 0)
		return; /* pointers may be NULL */
	switch (domain) {
	case DOMAIN_F64:
		widen_f64(dtype, in, count, out);
		break;
	case DOMAIN_I64:
		widen_i64(dtype, in, count, out);
		break;
	case DOMAIN_U64:
		widen_u64(dtype, in, count, out);
		break;
	}
}

void kernel_widen_f32(enum dtype dtype, const void *in, uint64_t count, float *out)
{
	assert(dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16);
	if (dtype == DTYPE_FLOAT16)
		halves(in, count, out);
	else
		bfloats(in, count, out);
}

uint64_t kernel_count_nans(const double *x, uint64_t count)
{
	vu64 found[2] = {{0}, {0}};
	uint64_t nans = 0, i = 0;

	for (; i + 2 * VECTOR_F64 <= count; i += 2 * VECTOR_F64) {
		vf64 a = vector_load_f64(x + i), b = vector_load_f64(x + i + VECTOR_F64);

		found[0] -= (vu64)(a != a);
		found[1] -= (vu64)(b != b);
	}
	for (; i < count; i++)
		nans += x[i] != x[i];
	return nans + vector_total_u64(found[0] + found[1]);
}

/* The 32-bit counts are read before they can overflow. */
uint64_t kernel_count_nans_f32(const float *x, uint64_t count)
{
	uint64_t nans = 0;

	while (count > 0) {
		uint64_t n = count < (1u << 24) ? count : (1u << 24), i = 0;
		vu32 found[2] = {{0}, {0}};

		for (; i + 2 * VECTOR_F32 <= n; i += 2 * VECTOR_F32) {
			vf32 a = vector_load_f32(x + i), b = vector_load_f32(x + i + VECTOR_F32);

			found[0] -= (vu32)(a != a);
			found[1] -= (vu32)(b != b);
		}
		for (; i < n; i++)
			nans += x[i] != x[i];
		nans += vector_total_u32(found[0]) + vector_total_u32(found[1]);
		x += n;
		count -= n;
	}
	return nans;
}
