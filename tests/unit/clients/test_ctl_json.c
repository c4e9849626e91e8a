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
#include "clients/ctl_json.h"

static void test_numbers_are_text(void **state)
{
	static const char text[] = "{\"a\": 18446744073709551615, \"b\": [-0.0, 1e+22, true, null],"
				   " \"c 12 \\\"3\\\" \\\\\": \"x 4\", \"d\": 5}";
	json_t *value = ctl_json_read(text, strlen(text));
	const json_t *list;

	(void)state;
	assert_non_null(value);
	assert_string_equal(ctl_json_member(value, "a"), "18446744073709551615");
	list = json_object_get(value, "b");
	assert_string_equal(ctl_json_word(json_array_get(list, 0)), "-0.0");
	assert_string_equal(ctl_json_word(json_array_get(list, 1)), "1e+22");
	assert_string_equal(ctl_json_word(json_array_get(list, 2)), "true");
	assert_string_equal(ctl_json_word(json_array_get(list, 3)), "null");
	assert_string_equal(ctl_json_member(value, "c 12 \"3\" \\"), "x 4");
	assert_string_equal(ctl_json_member(value, "d"), "5");
	assert_string_equal(ctl_json_member(value, "none"), "");
	assert_string_equal(ctl_json_word(list), "");
	json_decref(value);
}

static void test_no_json(void **state)
{
	static const char *const bad[] = {"", "{", "<html>", "{\"a\": \"", "[1,]", "\"\\"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(ctl_json_read(bad[i], strlen(bad[i])));
	assert_null(ctl_json_read(NULL, 0));
}

static bool several(const char *text)
{
	return ctl_json_several(text, strlen(text));
}

static void test_several(void **state)
{
	(void)state;
	assert_true(several("{\"a\": 1.5}\n{\"a\": 2}\n"));
	assert_true(several("[1][2]"));
	assert_true(several("{},{}"));
	assert_true(several("[] \"x\""));
	assert_false(several("{\"a\": 1}"));
	assert_false(several("{} x"));
	assert_false(several("{"));
	assert_false(several(""));
	assert_false(ctl_json_several(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_text),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
