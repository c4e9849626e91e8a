#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include "engine/round.h"

/* Exhaustive and random rounding: tests/property/test_exact.py. */

static uint64_t bits_of_f64(double value, enum dtype to)
{
	uint64_t bits = 0;

	round_f64(value, to, &bits); /* little-endian hosts */
	return bits;
}

static void test_constants_of_each_type(void **state)
{
	static const struct {
		double value;
		uint64_t f16, bf16, f32, f64;
	} rows[] = {
		{0.0, 0, 0, 0, 0},
		{-0.0, 0x8000, 0x8000, 0x80000000, 0x8000000000000000},
		{1.0, 0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000},
		{-2.5, 0xc100, 0xc020, 0xc0200000, 0xc004000000000000},
		{65504.0, 0x7bff, 0x4780, 0x477fe000, 0x40effc0000000000},
		{HUGE_VAL, 0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000},
		{-HUGE_VAL, 0xfc00, 0xff80, 0xff800000, 0xfff0000000000000},
		{0x1p-149, 0, 0, 1, 0x36a0000000000000},
		{0x1p-1074, 0, 0, 0, 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(bits_of_f64(rows[i].value, DTYPE_FLOAT16) == rows[i].f16);
		assert_true(bits_of_f64(rows[i].value, DTYPE_BFLOAT16) == rows[i].bf16);
		assert_true(bits_of_f64(rows[i].value, DTYPE_FLOAT32) == rows[i].f32);
		assert_true(bits_of_f64(rows[i].value, DTYPE_FLOAT64) == rows[i].f64);
	}
}

static void test_nan_is_always_the_same(void **state)
{
	const uint64_t payloads[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
				     0xffffffffffffffff};
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		memcpy(&value, &payloads[i], sizeof(value));
		assert_true(bits_of_f64(value, DTYPE_FLOAT16) == 0x7e00);
		assert_true(bits_of_f64(value, DTYPE_BFLOAT16) == 0x7fc0);
		assert_true(bits_of_f64(value, DTYPE_FLOAT32) == 0x7fc00000);
		assert_true(bits_of_f64(value, DTYPE_FLOAT64) == 0x7ff8000000000000);
	}
}

static void test_ties_and_ends(void **state)
{
	(void)state;
	/* Halfway between 1 and its successor, and 1 + 2 and 1 + 3 steps. */
	assert_true(bits_of_f64(1 + 0x1p-11, DTYPE_FLOAT16) == 0x3c00);
	assert_true(bits_of_f64(1 + 3 * 0x1p-11, DTYPE_FLOAT16) == 0x3c02);
	assert_true(bits_of_f64(1 + 0x1p-11 + 0x1p-52, DTYPE_FLOAT16) == 0x3c01);
	/* By way of binary32 this would be a tie and go to 1. */
	assert_true(bits_of_f64(1 + 0x1p-8 + 0x1p-40, DTYPE_BFLOAT16) == 0x3f81);
	/* 65520 is halfway from the largest finite to 2^16. */
	assert_true(bits_of_f64(65520.0, DTYPE_FLOAT16) == 0x7c00);
	assert_true(bits_of_f64(nextafter(65520.0, 0), DTYPE_FLOAT16) == 0x7bff);
	/* Half of the least subnormal goes to 0, more to 1; the sign stays. */
	assert_true(bits_of_f64(-0x1p-25, DTYPE_FLOAT16) == 0x8000);
	assert_true(bits_of_f64(nextafter(0x1p-25, 1), DTYPE_FLOAT16) == 1);
	assert_true(bits_of_f64(0x1p-26, DTYPE_FLOAT16) == 0);
	/* The largest subnormal, and what rounds up to the least normal. */
	assert_true(bits_of_f64(0x1p-14 - 0x1p-24, DTYPE_FLOAT16) == 0x3ff);
	assert_true(bits_of_f64(0x1p-14 - 0x1p-25, DTYPE_FLOAT16) == 0x400);
}

static void test_float32_agrees_with_the_machine(void **state)
{
	uint64_t bits = 0x9e3779b97f4a7c15;
	uint32_t mine, its;
	double value;
	float narrow;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &bits, sizeof(value));
		if (isnan(value))
			continue;
		if (i % 2 != 0) /* near the range of binary32 */
			value = ldexp(frexp(value, &(int){0}), (int)(bits >> 33) % 300 - 160);
		narrow = (float)value;
		memcpy(&its, &narrow, sizeof(its));
		round_f64(value, DTYPE_FLOAT32, &mine);
		assert_int_equal(mine, its);
	}
}

static void test_exact_values(void **state)
{
	struct bigint num, den;
	struct exact_value value = {.num = &num, .den = &den};
	uint64_t bits;
	uint16_t bits16;

	(void)state;
	bigint_set(&num, 1);
	bigint_set(&den, 3);
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0x3fd5555555555555);
	value.negative = true;
	round_exact(&value, DTYPE_BFLOAT16, &bits16);
	assert_int_equal(bits16, 0xbeab);

	value = (struct exact_value){.num = &num, .root = true, .exponent = 1};
	round_exact(&value, DTYPE_FLOAT64, &bits); /* sqrt 2 */
	assert_true(bits == 0x3ff6a09e667f3bcd);
	value.exponent = -2147; /* sqrt(2)/2 of the least subnormal */
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 1);
	value.exponent = -2150; /* exactly half of it */
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0);

	value = (struct exact_value){.num = &num, .exponent = 1024};
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0x7ff0000000000000);
	bigint_set(&num, 0);
	value.negative = true;
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0x8000000000000000);
}

/* A single bit, thousands of places below a tie, decides. */
static void test_far_bits_count(void **state)
{
	struct bigint num, one;
	struct exact_value value = {.num = &num, .exponent = -4000};
	uint64_t bits;

	(void)state;
	bigint_set(&num, ((uint64_t)1 << 53) + 1);
	bigint_shift_left(&num, 4000 - 53);
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0x3ff0000000000000);
	bigint_set(&one, 1);
	bigint_add(&num, &num, &one);
	round_exact(&value, DTYPE_FLOAT64, &bits);
	assert_true(bits == 0x3ff0000000000001);
}

static void test_widen(void **state)
{
	(void)state;
	assert_true(float16_to_f64(0x3555) == 0x1.554p-2);
	assert_true(float16_to_f64(0x0001) == 0x1p-24);
	assert_true(float16_to_f64(0x83ff) == -0x1.ff8p-15);
	assert_true(float16_to_f64(0x8000) == 0 && signbit(float16_to_f64(0x8000)));
	assert_true(float16_to_f64(0xfc00) == -HUGE_VAL);
	assert_true(isnan(float16_to_f64(0x7e00)));
	assert_true(bfloat16_to_f64(0x0001) == 0x1p-133);
	assert_true(bfloat16_to_f64(0xc040) == -3);
	assert_true(bfloat16_to_f64(0x7f80) == HUGE_VAL);
	assert_true(isnan(bfloat16_to_f64(0x7fc0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants_of_each_type),
		cmocka_unit_test(test_nan_is_always_the_same),
		cmocka_unit_test(test_ties_and_ends),
		cmocka_unit_test(test_float32_agrees_with_the_machine),
		cmocka_unit_test(test_exact_values),
		cmocka_unit_test(test_far_bits_count),
		cmocka_unit_test(test_widen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
