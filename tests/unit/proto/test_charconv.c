#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "proto/charconv.h"
#include <cmocka.h>

/* In an allocation of its own: reading past it is seen. */
static size_t read_f64(const char *text, double *out)
{
	const size_t size = strlen(text);
	char *copy = malloc(size);
	size_t used;

	memcpy(copy, text, size);
	*out = -1;
	used = (size_t)(charconv_read_f64(copy, copy + size, out) - copy);
	free(copy);
	return used;
}

static float f32(const char *text)
{
	const char *end = text + strlen(text);
	float value = -1;

	assert_ptr_equal(charconv_read_f32(text, end, &value), end);
	return value;
}

static double f64(const char *text)
{
	double value;

	assert_int_equal(read_f64(text, &value), strlen(text));
	return value;
}

static void test_rounded_once(void **state)
{
	(void)state;
	assert_true(f64("0.1") == 0.1);
	assert_true(f64("9007199254740993") == 9007199254740992.0);
	assert_true(f64("9007199254740993.00000000000000000000000001") == 9007199254740994.0);
	/* 1 + 2^-24, halfway between two float32, and just above it: binary64
	 * holds no difference */
	assert_true(f32("1.000000059604644775390625") == 1.0f);
	assert_true(f32("1.0000000596046447753906250000000001") == 0x1.000002p0f);
	assert_true(f64("-0.0") == 0 && signbit(f64("-0.0")));
}

static void test_range(void **state)
{
	(void)state;
	assert_true(f64("1e400") == HUGE_VAL);
	assert_true(f64("-1e400") == -HUGE_VAL);
	assert_true(f64("1e-400") == 0 && !signbit(f64("1e-400")));
	assert_true(f64("-1e-400") == 0 && signbit(f64("-1e-400")));
	assert_true(f64("1e99999999999999999999") == HUGE_VAL);
	assert_true(f64("1e-99999999999999999999") == 0);
	assert_true(f64("0e99999999999999999999") == 0);
	/* the exponent does not tell which way */
	assert_true(f64("0.0000000000000000000000000000001e400") == HUGE_VAL);
	assert_true(f64("100000000000000000000000000000.0e-400") == 0);
	/* the greatest, and the first literal beyond it; half the least, likewise */
	assert_true(f64("1.797693134862315807e308") == 0x1.fffffffffffffp1023);
	assert_true(f64("1.797693134862315808e308") == HUGE_VAL);
	assert_true(f64("5e-324") == 0x1p-1074);
	assert_true(f64("2.4703282292062328e-324") == 0x1p-1074);
	assert_true(f64("2.4703282292062327e-324") == 0);
	assert_true(f32("3.4028235677973367e38") == HUGE_VALF);
	assert_true(f32("3.4028235677973366e38") == 0x1.fffffep127f);
	assert_true(f32("-1e39") == -HUGE_VALF);
	assert_true(f32("1e-45") == 0x1p-149f);
	assert_true(f32("-1e-46") == 0 && signbit(f32("-1e-46")));
}

/* What no number can be is left to the caller. */
static void test_ends(void **state)
{
	double value;

	(void)state;
	assert_true(read_f64("1.5,2", &value) == 3 && value == 1.5);
	assert_true(read_f64("1e5]", &value) == 3 && value == 1e5);
	assert_true(read_f64("1.5e", &value) == 3 && value == 1.5);
	assert_true(read_f64("2E+", &value) == 1 && value == 2);
	assert_true(read_f64("2e- 1", &value) == 1 && value == 2);
	assert_true(read_f64("1.5.5", &value) == 3 && value == 1.5);
	assert_true(read_f64("1e400,", &value) == 5 && value == HUGE_VAL);
}

static const char *as_text(char *text, size_t size)
{
	text[size] = '\0';
	return text;
}

static void test_writing(void **state)
{
	char text[CHARCONV_ROOM + 101];

	(void)state;
	assert_string_equal(as_text(text, charconv_write_f64(text, 0.1)), "1e-01");
	assert_string_equal(as_text(text, charconv_write_f64(text, -0.0)), "-0e+00");
	assert_string_equal(as_text(text, charconv_write_f64(text, -0x1.fffffffffffffp1023)),
			    "-1.7976931348623157e+308");
	assert_string_equal(as_text(text, charconv_write_f32(text, 0.1f)), "1e-01");
	assert_string_equal(as_text(text, charconv_round_f64(text, 0.125, 1)), "1.2e-01");
	assert_string_equal(as_text(text, charconv_round_f64(text, 0x1p-60, 45)),
			    "8.673617379884035472059622406959533691406250000e-19");
	assert_string_equal(as_text(text, charconv_write_i64(text, INT64_MIN)),
			    "-9223372036854775808");
	assert_string_equal(as_text(text, charconv_write_u64(text, UINT64_MAX)),
			    "18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounded_once),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
