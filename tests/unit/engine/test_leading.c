#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include "engine/leading.h"
#include <cmocka.h> /* last: it defines fail() */

/* Random numbers against rationals: tests/property/test_exact.py. */

static struct leading number(uint64_t value, int64_t exponent, bool more)
{
	int shift = __builtin_clzll(value) + 64;

	return (struct leading){.top = (unsigned __int128)value << shift,
				.exponent = exponent - shift,
				.more = more};
}

static double rounded(struct leading number)
{
	double value;

	leading_round(&number, DTYPE_FLOAT64, &value);
	return value;
}

static double quotient(struct leading number, uint64_t den)
{
	leading_divide(&number, den);
	return rounded(number);
}

static double root(struct leading number)
{
	leading_root(&number);
	return rounded(number);
}

static void test_zero(void **state)
{
	struct leading zero = {.negative = true};

	(void)state;
	leading_divide(&zero, 3);
	leading_root(&zero);
	assert_true(rounded(zero) == 0 && signbit(rounded(zero)));
	zero.negative = false;
	assert_true(rounded(zero) == 0 && !signbit(rounded(zero)));
}

static void test_sign_and_range(void **state)
{
	struct leading one = number(1, 0, false);

	(void)state;
	one.negative = true;
	assert_true(rounded(one) == -1);
	assert_true(quotient(one, 3) == -1.0 / 3);
	assert_true(rounded(number(1, 1024, false)) == HUGE_VAL);
	assert_true(rounded(number(3, -1075, false)) == 0x1p-1073);
	assert_true(rounded(number(1, -1075, false)) == 0); /* a tie */
	assert_true(rounded(number(1, -1075, true)) == 0x1p-1074);
}

static void test_quotients(void **state)
{
	(void)state;
	assert_true(quotient(number(7, 0, false), 7) == 1);
	assert_true(quotient(number(1, 0, false), UINT64_MAX) == 0x1p-64);
	assert_true(quotient(number(UINT64_MAX, 0, false), UINT64_MAX) == 1);
	assert_true(quotient(number(1, 900, false), (uint64_t)1 << 63) == 0x1p837);

	/* (1 + 2^-53) * 5: a tie, and just above. */
	assert_true(quotient(number(5 * (((uint64_t)1 << 53) + 1), -53, false), 5) == 1);
	assert_true(quotient(number(5 * (((uint64_t)1 << 53) + 1), -53, true), 5) == 1 + 0x1p-52);
	/* The remainder alone breaks it. */
	assert_true(quotient(number(5 * (((uint64_t)1 << 53) + 1) + 1, -53, false), 5) ==
		    1 + 0x1p-52);
}

static void test_roots(void **state)
{
	uint64_t half = ((uint64_t)1 << 53) + 1;
	unsigned __int128 square = (unsigned __int128)half * half;
	struct leading tie = {.top = square << 21, .exponent = -21};

	(void)state;
	assert_true(root(number(9, 0, false)) == 3);
	assert_true(root(number(2, 0, false)) == sqrt(2));
	assert_true(root(number(1, 1, false)) == sqrt(2));
	assert_true(root(number(1, -2148, false)) == 0x1p-1074);
	assert_true(root(tie) == 0x1p53);
	tie.more = true;
	assert_true(root(tie) == 0x1p53 + 2);
	tie.top -= 1; /* below the square */
	assert_true(root(tie) == 0x1p53);
	tie = (struct leading){.top = ~(unsigned __int128)0, .exponent = 0, .more = true};
	assert_true(root(tie) == 0x1p64);
}

static void test_one_rounding(void **state)
{
	struct leading tie = number(((uint64_t)1 << 11) + 1, -11, true);
	uint16_t half;

	(void)state;
	leading_round(&tie, DTYPE_FLOAT16, &half);
	assert_int_equal(half, 0x3c01);
	tie.more = false;
	leading_round(&tie, DTYPE_FLOAT16, &half);
	assert_int_equal(half, 0x3c00);
	tie.top |= 1; /* the lowest bit of 128 */
	leading_round(&tie, DTYPE_FLOAT16, &half);
	assert_int_equal(half, 0x3c01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero),         cmocka_unit_test(test_sign_and_range),
		cmocka_unit_test(test_quotients),    cmocka_unit_test(test_roots),
		cmocka_unit_test(test_one_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
