#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include "proto/json_check.h"
#include <cmocka.h>

static bool good(const char *text)
{
	size_t at;

	return json_check(text, strlen(text), 4, &at);
}

static void test_good(void **state)
{
	static const char *const texts[] = {"1",
					    " -0.5e+10 ",
					    "[]",
					    "{}",
					    "[1, 2]",
					    "{\"a\": {\"b\": [null, true]}}",
					    "\"\\u00e9\\n\"",
					    "NaN",
					    "-Infinity",
					    "[[[[1]]]]",
					    "\"\""};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(good(texts[i]));
}

static void test_bad(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = {{"", 0},         {"[1,]", 3},       {"[1 2]", 3},       {"{\"a\" 1}", 5},
		     {"{1:2}", 1},    {"{\"a\":1,}", 7}, {"[[[[[1]]]]]", 4}, {"1 1", 2},
		     {"01", 1},       {"\"\\x\"", 2},    {"\"\\u12g4\"", 5}, {"[1}", 2},
		     {"\"a\nb\"", 2}, {"nul", 0},        {"[,1]", 1}};
	size_t i, at;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(json_check(cases[i].text, strlen(cases[i].text), 4, &at));
		assert_int_equal(at, cases[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
