#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_number.h"

static void check(const char *token, const char *expected)
{
	struct ctl_text text = {0};
	bool good = ctl_number_to_json(&text, token, strlen(token));

	if (expected == NULL) {
		if (good || text.size != 0)
			fail_msg("'%s' was taken as %s", token, text.bytes);
	} else if (!good || strcmp(text.bytes, expected) != 0) {
		fail_msg("'%s' gave %s", token, good ? text.bytes : "an error");
	}
	ctl_text_deinit(&text);
}

static void test_kept(void **state)
{
	static const char *const same[] = {"0",
					   "7",
					   "-0",
					   "-12",
					   "18446744073709551616",
					   "0.5",
					   "-0.0",
					   "1e9",
					   "1e-9",
					   "1e+9",
					   "12.5e3",
					   "0.1000000000000000055511151231257827"};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		check(same[i], same[i]);
}

static void test_mended(void **state)
{
	(void)state;
	check("+7", "7");
	check("007", "7");
	check("-007.50", "-7.50");
	check("000", "0");
	check(".5", "0.5");
	check("5.", "5.0");
	check("-.5e3", "-0.5e3");
	check("1E9", "1e9");
	check("nan", "\"NaN\"");
	check("-NaN", "\"NaN\"");
	check("INF", "\"Infinity\"");
	check("+infinity", "\"Infinity\"");
	check("-inf", "\"-Infinity\"");
	check("True", "true");
	check("false", "false");
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"",      "-",     "+",   ".",     "1e",   "e5",  "1e+",
					  "--1",   "0x10",  "1_0", "1 2",   "1,2",  "abc", "1.2.3",
					  "-true", "infin", "1f",  "1e5.0", "nane", "+-1"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(bad[i], NULL);
}

/* Exactly size bytes are looked at. */
static void test_not_terminated(void **state)
{
	struct ctl_text text = {0};

	(void)state;
	assert_true(ctl_number_to_json(&text, "12345", 2));
	assert_string_equal(text.bytes, "12");
	ctl_text_deinit(&text);
}

static void test_negative_operand(void **state)
{
	(void)state;
	assert_true(ctl_number_is_negative_operand("-1"));
	assert_true(ctl_number_is_negative_operand("-.5"));
	assert_true(ctl_number_is_negative_operand("-inf"));
	assert_true(ctl_number_is_negative_operand("-nan"));
	assert_false(ctl_number_is_negative_operand("-f"));
	assert_false(ctl_number_is_negative_operand("-"));
	assert_false(ctl_number_is_negative_operand("--axis"));
	assert_false(ctl_number_is_negative_operand("1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_mended),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_terminated),
		cmocka_unit_test(test_negative_operand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
