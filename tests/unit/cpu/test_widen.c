#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include "cpu/simd.h"
#include "engine/dtype.h"
#include <cmocka.h> /* last: it defines fail() */

/* A 16-bit float by its definition. */
static double decode(uint16_t bits, int exponent_bits, int fraction_bits)
{
	int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
	int fraction = bits & ((1 << fraction_bits) - 1);
	int bias = (1 << (exponent_bits - 1)) - 1;
	double magnitude;

	if (exponent == (1 << exponent_bits) - 1)
		magnitude = fraction == 0 ? INFINITY : NAN;
	else if (exponent == 0)
		magnitude = ldexp(fraction, 1 - bias - fraction_bits);
	else
		magnitude = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
	return copysign(magnitude, bits >> 15 ? -1.0 : 1.0);
}

static void every_half(void **state)
{
	static uint16_t in[65536];
	static double half[65536], brain[65536];
	static float narrow[65536];

	(void)state;
	for (unsigned i = 0; i < 65536; i++)
		in[i] = (uint16_t)i;
	simd_kernels()->widen(DTYPE_FLOAT16, in, 65536, DOMAIN_F64, half);
	simd_kernels()->widen(DTYPE_BFLOAT16, in, 65536, DOMAIN_F64, brain);
	for (unsigned i = 0; i < 65536; i++) {
		double h = decode((uint16_t)i, 5, 10), b = decode((uint16_t)i, 8, 7);

		assert_true(isnan(h) ? isnan(half[i]) : memcmp(&half[i], &h, sizeof(h)) == 0);
		assert_true(isnan(b) ? isnan(brain[i]) : memcmp(&brain[i], &b, sizeof(b)) == 0);
	}
	simd_kernels()->widen_f32(DTYPE_FLOAT16, in, 65536, narrow);
	for (unsigned i = 0; i < 65536; i++)
		assert_true(isnan(half[i]) ? isnan(narrow[i])
					   : half[i] == narrow[i] &&
						     !signbit(half[i]) == !signbit(narrow[i]));
	assert_int_equal(simd_kernels()->count_nans_f32(narrow, 65536), 2 * 1023);
	simd_kernels()->widen_f32(DTYPE_BFLOAT16, in, 65536, narrow);
	for (unsigned i = 0; i < 65536; i++)
		assert_true(isnan(brain[i]) ? isnan(narrow[i])
					    : brain[i] == narrow[i] &&
						      !signbit(brain[i]) == !signbit(narrow[i]));
	assert_int_equal(simd_kernels()->count_nans(half, 65536), 2 * 1023);
	assert_int_equal(simd_kernels()->count_nans(brain, 65536), 2 * 127);
}

static void integers(void **state)
{
	const uint8_t bytes[] = {0, 1, 2, 128, 255};
	const int8_t i8[] = {-128, -1, 0, 127};
	const int16_t i16[] = {-32768, 32767};
	const int32_t i32[] = {INT32_MIN, INT32_MAX};
	const int64_t i64[] = {INT64_MIN, INT64_MAX, ((int64_t)1 << 53) + 1};
	const uint16_t u16[] = {65535};
	const uint32_t u32[] = {UINT32_MAX};
	const uint64_t u64[] = {UINT64_MAX, UINT64_MAX - 1024};
	int64_t i[5];
	uint64_t u[5];
	double d[5];

	(void)state;
	simd_kernels()->widen(DTYPE_BOOL, bytes, 5, DOMAIN_I64, i);
	assert_true(i[0] == 0 && i[1] == 1 && i[2] == 1 && i[3] == 1 && i[4] == 1);
	simd_kernels()->widen(DTYPE_BOOL, bytes, 5, DOMAIN_F64, d);
	assert_true(d[0] == 0.0 && d[2] == 1.0 && d[4] == 1.0);
	simd_kernels()->widen(DTYPE_UINT8, bytes, 5, DOMAIN_U64, u);
	assert_true(u[3] == 128 && u[4] == 255);
	simd_kernels()->widen(DTYPE_INT8, i8, 4, DOMAIN_I64, i);
	assert_true(i[0] == -128 && i[1] == -1 && i[3] == 127);
	simd_kernels()->widen(DTYPE_INT8, i8, 4, DOMAIN_F64, d);
	assert_true(d[0] == -128.0 && d[3] == 127.0);
	simd_kernels()->widen(DTYPE_INT16, i16, 2, DOMAIN_I64, i);
	assert_true(i[0] == -32768 && i[1] == 32767);
	simd_kernels()->widen(DTYPE_INT32, i32, 2, DOMAIN_I64, i);
	assert_true(i[0] == INT32_MIN && i[1] == INT32_MAX);
	simd_kernels()->widen(DTYPE_INT32, i32, 2, DOMAIN_F64, d);
	assert_true(d[0] == -2147483648.0 && d[1] == 2147483647.0);
	simd_kernels()->widen(DTYPE_INT64, i64, 3, DOMAIN_I64, i);
	assert_memory_equal(i, i64, sizeof(i64));
	simd_kernels()->widen(DTYPE_INT64, i64, 3, DOMAIN_F64, d);
	assert_true(d[0] == -0x1p63 && d[1] == 0x1p63 && d[2] == 0x1p53);
	simd_kernels()->widen(DTYPE_UINT16, u16, 1, DOMAIN_U64, u);
	assert_int_equal(u[0], 65535);
	simd_kernels()->widen(DTYPE_UINT32, u32, 1, DOMAIN_U64, u);
	assert_int_equal(u[0], UINT32_MAX);
	simd_kernels()->widen(DTYPE_UINT32, u32, 1, DOMAIN_F64, d);
	assert_true(d[0] == 4294967295.0);
	simd_kernels()->widen(DTYPE_UINT64, u64, 2, DOMAIN_U64, u);
	assert_memory_equal(u, u64, sizeof(u64));
	simd_kernels()->widen(DTYPE_UINT64, u64, 2, DOMAIN_F64, d);
	assert_true(d[0] == 0x1p64 && d[1] == 0x1.fffffffffffffp63);
}

static void floats(void **state)
{
	const float f32[] = {-0.0f, 0x1p-149f, INFINITY, NAN, 3.5f};
	double d[5], copy[5];

	(void)state;
	simd_kernels()->widen(DTYPE_FLOAT32, f32, 5, DOMAIN_F64, d);
	assert_true(signbit(d[0]) && d[1] == 0x1p-149 && d[2] == INFINITY && isnan(d[3]) &&
		    d[4] == 3.5);
	assert_int_equal(simd_kernels()->count_nans(d, 5), 1);
	simd_kernels()->widen(DTYPE_FLOAT64, d, 5, DOMAIN_F64, copy);
	assert_memory_equal(copy, d, sizeof(d));
	simd_kernels()->widen(DTYPE_FLOAT64, NULL, 0, DOMAIN_F64, NULL);
}

/* Element i of a type, from its bytes. */
static double f64_of(enum dtype dtype, const void *data, uint64_t i)
{
	switch (dtype) {
	case DTYPE_BOOL:
		return ((const uint8_t *)data)[i] != 0;
	case DTYPE_INT8:
		return ((const int8_t *)data)[i];
	case DTYPE_INT16:
		return ((const int16_t *)data)[i];
	case DTYPE_INT32:
		return ((const int32_t *)data)[i];
	case DTYPE_INT64:
		return (double)((const int64_t *)data)[i];
	case DTYPE_UINT8:
		return ((const uint8_t *)data)[i];
	case DTYPE_UINT16:
		return ((const uint16_t *)data)[i];
	case DTYPE_UINT32:
		return ((const uint32_t *)data)[i];
	case DTYPE_UINT64:
		return (double)((const uint64_t *)data)[i];
	case DTYPE_FLOAT16:
		return decode(((const uint16_t *)data)[i], 5, 10);
	case DTYPE_BFLOAT16:
		return decode(((const uint16_t *)data)[i], 8, 7);
	case DTYPE_FLOAT32:
		return (double)((const float *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

/* Any length of any type from any place aligned to an element; nothing beyond
 * the end is written. */
static void any_length(void **state)
{
	static uint64_t words[200];
	static double out[151];
	static float narrow[151];
	static int64_t whole[151];

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		words[i] = (i + 1) * 0x9e3779b97f4a7c15u;
	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (uint64_t n = 0; n <= 150; n++) {
			const char *in = (const char *)words + dtype_size(dtype) * (n % 7);
			enum domain domain = dtype_domain(dtype);
			uint64_t nans = 0;

			out[n] = -7.0;
			simd_kernels()->widen(dtype, in, n, DOMAIN_F64, out);
			for (uint64_t i = 0; i < n; i++) {
				nans += isnan(out[i]) != 0;
				assert_true(same(out[i], f64_of(dtype, in, i)));
			}
			assert_true(out[n] == -7.0);
			assert_int_equal(simd_kernels()->count_nans(out, n), nans);
			if (dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16) {
				narrow[n] = -7.0f;
				simd_kernels()->widen_f32(dtype, in, n, narrow);
				for (uint64_t i = 0; i < n; i++)
					assert_true(same((double)narrow[i], out[i]));
				assert_true(narrow[n] == -7.0f);
				assert_int_equal(simd_kernels()->count_nans_f32(narrow, n), nans);
			}
			if (domain == DOMAIN_F64)
				continue;
			whole[n] = -7;
			simd_kernels()->widen(dtype, in, n, domain, whole);
			for (uint64_t i = 0; i < n; i++)
				assert_true(
					f64_of(domain == DOMAIN_I64 ? DTYPE_INT64 : DTYPE_UINT64,
					       whole, i) == out[i]);
			assert_int_equal(whole[n], -7);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_half),
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(any_length),
	};
	int failed = 0;

	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		failed += cmocka_run_group_tests_name(simd_name(simd), tests, NULL, NULL);
	}
	return failed;
}
