#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "proto/decimal.h"
#include <cmocka.h>

static struct decimal scan(const char *text)
{
	struct decimal decimal;

	decimal_scan(&decimal, text, strlen(text));
	return decimal;
}

static int compare(const char *a, const char *b)
{
	const struct decimal x = scan(a), y = scan(b);
	const int order = decimal_compare(&x, &y);

	assert_int_equal(decimal_compare(&y, &x), -order);
	return order;
}

static void test_scan(void **state)
{
	struct decimal d = scan("-00.00120300e5");

	(void)state;
	assert_true(d.negative);
	assert_int_equal(d.count, 4);
	assert_memory_equal(d.digits, "1203", 4);
	assert_int_equal(d.exponent, 3);
	d = scan("120.0");
	assert_int_equal(d.count, 2);
	assert_int_equal(d.exponent, 3);
	d = scan("-0.000e99");
	assert_true(d.negative);
	assert_int_equal(d.count, 0);
	d = scan("1e-99999999999999999999999999");
	assert_true(d.exponent < -1000000000);
}

static void test_compare(void **state)
{
	(void)state;
	assert_int_equal(compare("100", "1.00e2"), 0);
	assert_int_equal(compare("12.5", "-125e-1"), 0);
	assert_int_equal(compare("0", "0e5"), 0);
	assert_int_equal(compare("0", "1e-999999999999"), -1);
	assert_int_equal(compare("1.5", "1.50000000000000000000000000000001"), -1);
	assert_int_equal(compare("2", "19e-1"), 1);
	assert_int_equal(compare("1e99", "9e98"), 1);
}

static void test_integers(void **state)
{
	static const struct {
		const char *text;
		bool integral, fits;
		uint64_t value;
	} cases[] = {
		{"0.0e-5", true, true, 0},
		{"1.25e2", true, true, 125},
		{"1.25e1", false, false, 0},
		{"18446744073709551615", true, true, UINT64_MAX},
		{"1844674407370955161.5e1", true, true, UINT64_MAX},
		{"18446744073709551616", true, false, 0},
		{"1e19", true, true, 10000000000000000000u},
		{"1e20", true, false, 0},
		{"1e-1", false, false, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct decimal decimal = scan(cases[i].text);
		uint64_t value = 0;

		assert_int_equal(decimal_is_integral(&decimal), cases[i].integral);
		assert_int_equal(decimal_to_u64(&decimal, &value), cases[i].fits);
		assert_int_equal(value, cases[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
