/* exp, log and pow: special cases of C17 annex F, and values that Python's
 * decimal module gives (rounded correctly). tests/property/test_orders.py
 * measures the error on many more. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "engine/elementary.h"
#include <cmocka.h>

static bool same(double a, double b)
{
	return isnan(b) ? isnan(a) : elementary_bits(a) == elementary_bits(b);
}

/* Neighbouring numbers of one sign have neighbouring bits. */
static bool within_one_ulp(double a, double b)
{
	int64_t distance = (int64_t)(elementary_bits(a) - elementary_bits(b));

	return distance >= -1 && distance <= 1;
}

static void exp_special(void **state)
{
	(void)state;
	assert_true(same(elementary_exp(0.0), 1.0));
	assert_true(same(elementary_exp(-0.0), 1.0));
	assert_true(same(elementary_exp(INFINITY), INFINITY));
	assert_true(same(elementary_exp(-INFINITY), 0.0));
	assert_true(same(elementary_exp(NAN), NAN));
	assert_true(same(elementary_exp(0x1.62e42fefa39efp+9), 0x1.fffffffffff2ap+1023));
	assert_true(same(elementary_exp(0x1.62e42fefa39f0p+9), INFINITY));
	assert_true(same(elementary_exp(-0x1.74910d52d3051p+9), 0x1p-1074));
	assert_true(same(elementary_exp(-0x1.74910d52d3052p+9), 0.0));
	assert_true(same(elementary_exp(1e300), INFINITY));
	assert_true(same(elementary_exp(-1e300), 0.0));
	assert_true(same(elementary_exp(0x1p-60), 1.0));
	assert_true(within_one_ulp(elementary_exp(1.0), 0x1.5bf0a8b145769p+1));
	assert_true(within_one_ulp(elementary_exp(-1.0), 0x1.78b56362cef38p-2));
	assert_true(within_one_ulp(elementary_exp(-700.0), 0x1.14f2b0fb9307fp-1010));
}

static void log_special(void **state)
{
	(void)state;
	assert_true(same(elementary_log(1.0), 0.0));
	assert_true(same(elementary_log(0.0), -INFINITY));
	assert_true(same(elementary_log(-0.0), -INFINITY));
	assert_true(same(elementary_log(-1.0), NAN));
	assert_true(same(elementary_log(-INFINITY), NAN));
	assert_true(same(elementary_log(INFINITY), INFINITY));
	assert_true(same(elementary_log(NAN), NAN));
	assert_true(within_one_ulp(elementary_log(2.0), 0x1.62e42fefa39efp-1));
	assert_true(within_one_ulp(elementary_log(10.0), 0x1.26bb1bbb55516p+1));
	assert_true(within_one_ulp(elementary_log(0x1p-1074), -0x1.74385446d71c3p+9));
	assert_true(within_one_ulp(elementary_log(0x1.fffffffffffffp+1023), 0x1.62e42fefa39efp+9));
	assert_true(within_one_ulp(elementary_log(1.0 - 0x1p-53), -0x1.0000000000000p-53));
}

struct power {
	double x, y, result;
};

static void pow_special(void **state)
{
	static const struct power table[] = {
		{NAN, 0.0, 1.0},
		{1.0, NAN, 1.0},
		{NAN, 1.0, NAN},
		{2.0, NAN, NAN},
		{0.0, 3.0, 0.0},
		{-0.0, 3.0, -0.0},
		{-0.0, 2.0, 0.0},
		{-0.0, -3.0, -INFINITY},
		{-0.0, -2.0, INFINITY},
		{0.0, -0.5, INFINITY},
		{-0.0, 0.5, 0.0},
		{-1.0, INFINITY, 1.0},
		{-1.0, -INFINITY, 1.0},
		{0.5, -INFINITY, INFINITY},
		{0.5, INFINITY, 0.0},
		{2.0, INFINITY, INFINITY},
		{-2.0, -INFINITY, 0.0},
		{INFINITY, 0.5, INFINITY},
		{INFINITY, -2.0, 0.0},
		{-INFINITY, 3.0, -INFINITY},
		{-INFINITY, 2.0, INFINITY},
		{-INFINITY, -3.0, -0.0},
		{-INFINITY, 0.5, INFINITY},
		{-2.0, 0.5, NAN},
		{-2.0, 3.0, -8.0},
		{-2.0, 4.0, 16.0},
		{-1.0, 0x1p60, 1.0},
		{-1.0, 0x1.fffffffffffffp52, -1.0},
		{2.0, 1024.0, INFINITY},
		{2.0, 1023.0, 0x1p1023},
		{-2.0, 1025.0, -INFINITY},
		{2.0, -1074.0, 0x1p-1074},
		{2.0, -1076.0, 0.0},
		{1.5, 1e300, INFINITY},
		{1.5, -1e300, 0.0},
		{0.5, 1e300, 0.0},
		{7.0, 0x1p-80, 1.0},
		{-3.0, 1e300, INFINITY},
		{4.0, 0.5, 2.0},
		{3.0, 1.0, 3.0},
		{0x1p-1074, 1.0, 0x1p-1074},
		{10.0, 22.0, 1e22},
		{0x1.8p0, 2.0, 2.25},
		{0x1p-1074, 0.5, 0x1p-537},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!same(elementary_pow(table[i].x, table[i].y), table[i].result))
			fail_msg("pow(%a, %a) is %a, not %a", table[i].x, table[i].y,
				 elementary_pow(table[i].x, table[i].y), table[i].result);
}

static void pow_values(void **state)
{
	static const struct power table[] = {
		{0x1.0000000000000p+1, 0x1.0000000000000p-1, 0x1.6a09e667f3bcdp+0},
		{0x1.4000000000000p+3, -0x1.3333333333333p-2, 0x1.009b9cf334252p-1},
		{0x1.000001ad7f29bp+0, 0x1.7d78400000000p+26, 0x1.5829d1d3f9926p+14},
		{0x1.ff7ced916872bp-1, -0x1.55cc000000000p+19, 0x1.4fe1adafddae2p+1010},
		{0x1.6a8472082a519p-663, 0x1.8000000000000p+0, 0x1.310a80255e268p-994},
		{0x0.0000000000001p-1022, 0x1.7ae147ae147aep-2, 0x1.8970a6e1aa85fp-398},
		{0x1.e42d130773b76p+1023, -0x1.ff7ced916872bp-1, 0x0.899e5b0872d3cp-1022},
		{0x1.edd2f1a9fbe77p+6, 0x1.f8f5c28f5c28fp+2, 0x1.c37e53d5e93d2p+54},
		{0x1.0000000000001p+0, 0x1.0000000000000p+60, 0x1.41c7a8814be19p+369},
		{0x1.999999999999ap-4, 0x1.2c40000000000p+8, 0x1.81a2607e5cb54p-998},
		{0x1.999999999999ap-4, 0x1.4080000000000p+8, 0x0.0000000000280p-1022},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_true(
			within_one_ulp(elementary_pow(table[i].x, table[i].y), table[i].result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exp_special),
		cmocka_unit_test(log_special),
		cmocka_unit_test(pow_special),
		cmocka_unit_test(pow_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
