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
#include "clients/ctl_text.h"

static void test_grows(void **state)
{
	struct ctl_text text = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		ctl_text_printf(&text, "%03d", i);
	assert_int_equal(text.size, 3000);
	assert_memory_equal(text.bytes + 2997, "999", 4);
	assert_false(text.failed);
	ctl_text_deinit(&text);
	assert_null(text.bytes);
}

static void test_long_format(void **state)
{
	struct ctl_text text = {0};
	char word[1000];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	ctl_text_printf(&text, "<%s>", word);
	assert_int_equal(text.size, 1001);
	assert_int_equal(text.bytes[0], '<');
	assert_string_equal(text.bytes + 1000, ">");
	ctl_text_deinit(&text);
}

static void test_empty_is_a_string(void **state)
{
	struct ctl_text text = {0};

	(void)state;
	ctl_text_puts(&text, "");
	assert_string_equal(text.bytes, "");
	ctl_text_deinit(&text);
}

static void test_json_string(void **state)
{
	struct ctl_text text = {0};

	(void)state;
	ctl_text_json_string(&text, "a\"b\\c\n\x01\xc3\xa9/");
	assert_string_equal(text.bytes, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9/\"");
	ctl_text_deinit(&text);
}

static void test_percent(void **state)
{
	struct ctl_text text = {0};

	(void)state;
	ctl_text_percent(&text, "a b+c&d=e%/\xc3\xa9-._~,1");
	assert_string_equal(text.bytes, "a%20b%2Bc%26d%3De%25%2F%C3%A9-._~,1");
	ctl_text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_long_format),
		cmocka_unit_test(test_empty_is_a_string),
		cmocka_unit_test(test_json_string),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
