#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "proto/text.h"

static void expect_quoted(const char *string, const char *json)
{
	struct text text;
	size_t size;
	char *bytes;

	text_init(&text, 0);
	text_quote(&text, string);
	bytes = text_take(&text, &size);
	assert_non_null(bytes);
	assert_string_equal(bytes, json);
	assert_int_equal(size, strlen(json));
	free(bytes);
}

static void test_grows_and_keeps_its_bytes(void **state)
{
	struct text text;
	size_t size;
	char *bytes;

	(void)state;
	text_init(&text, 3);
	for (int i = 0; i < 10000; i++)
		text_add(&text, "abcdefg", 7);
	text_add(&text, NULL, 0);
	assert_int_equal(text.size, 70000);
	bytes = text_take(&text, &size);
	assert_int_equal(size, 70000);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], 'a' + i % 7);
	assert_int_equal(bytes[size], 0);
	assert_null(text.bytes);
	free(bytes);
}

static void test_empty_text_is_not_a_failure(void **state)
{
	struct text text;
	size_t size = 1;
	char *bytes;

	(void)state;
	text_init(&text, 0);
	bytes = text_take(&text, &size);
	assert_non_null(bytes);
	assert_int_equal(size, 0);
	free(bytes);
}

static void test_failure_sticks(void **state)
{
	struct text text;
	size_t size = 7;

	(void)state;
	text_init(&text, 16);
	text_puts(&text, "kept");
	assert_null(text_reserve(&text, SIZE_MAX)); /* the sum overflows */
	assert_null(text_reserve(&text, 1));        /* though there is room */
	text_puts(&text, "not written");
	text_uint(&text, 1);
	assert_int_equal(text.size, 4);
	assert_null(text_take(&text, &size));
	assert_int_equal(size, 7);
	assert_null(text.bytes);
}

static void test_integers(void **state)
{
	static const struct {
		uint64_t value;
		const char *digits;
	} cases[] = {
		{0, "0"},
		{9, "9"},
		{10, "10"},
		{18446744073709551615u, "18446744073709551615"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text text;
		size_t size;
		char *bytes;

		text_init(&text, 0);
		text_uint(&text, cases[i].value);
		bytes = text_take(&text, &size);
		assert_string_equal(bytes, cases[i].digits);
		free(bytes);
	}
}

static void test_escapes(void **state)
{
	(void)state;
	expect_quoted("", "\"\"");
	expect_quoted("plain / text", "\"plain / text\"");
	expect_quoted("a\"b\\c", "\"a\\\"b\\\\c\"");
	expect_quoted("\n\t\r\x01\x1f\x7f", "\"\\n\\t\\u000d\\u0001\\u001f\x7f\"");
}

/* Well-formed and ill-formed sequences: Unicode 15, section 3.9. */
static void test_utf8(void **state)
{
	(void)state;
	expect_quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	expect_quoted("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		      "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"");
	expect_quoted("a\xff z", "\"a\xef\xbf\xbd z\"");
	expect_quoted("\x80", "\"\xef\xbf\xbd\"");
	expect_quoted("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""); /* overlong '/' */
	expect_quoted("\xe0\x9f\xbf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_quoted("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* surrogate */
	expect_quoted("\xf4\x90\x80\x80",
		      "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* over U+10FFFF */
	expect_quoted("\xf0\x9f\x98", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* cut */
	expect_quoted("\xc3", "\"\xef\xbf\xbd\"");
	expect_quoted("\xe2\x82\"", "\"\xef\xbf\xbd\xef\xbf\xbd\\\"\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows_and_keeps_its_bytes),
		cmocka_unit_test(test_empty_text_is_not_a_failure),
		cmocka_unit_test(test_failure_sticks),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
