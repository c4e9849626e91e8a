#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/string_list.h"
#include <cmocka.h>

/* The strings, parted by '|'; "!" where it fails, "-" when it is no list. The
 * text is an allocation of its own: reading past it is seen. */
static const char *strings_of(const char *text)
{
	static char line[256];
	const size_t size = strlen(text);
	char *copy = malloc(size + (size == 0));
	struct string_list list;
	const char *one;
	size_t length;
	enum status status = STATUS_OK;

	memcpy(copy, text, size);
	strcpy(line, "-");
	if (string_list_init(&list, copy, size)) {
		line[0] = '\0';
		do {
			status = string_list_next(&list, &one, &length);
			if (status == STATUS_OK && one != NULL)
				snprintf(line + strlen(line), sizeof(line) - strlen(line), "%.*s|",
					 (int)length, one);
		} while (status == STATUS_OK && one != NULL);
		string_list_deinit(&list);
	}
	if (status != STATUS_OK)
		strcat(line, "!");
	free(copy);
	return line;
}

static void test_strings(void **state)
{
	(void)state;
	assert_string_equal(strings_of("[]"), "");
	assert_string_equal(strings_of("[ \n]"), "");
	assert_string_equal(strings_of("[\"\"]"), "|");
	assert_string_equal(strings_of(" [\"a\",\t\"bc\" ,\r\n\"]\" ]"), "a|bc|]|");
}

static void test_escapes(void **state)
{
	(void)state;
	assert_string_equal(strings_of("[\"a\\/b\",\"c\"]"), "a/b|c|");
	assert_string_equal(strings_of("[\"\\\"\",\"\\\\\",\"\\u002b\"]"), "\"|\\|+|");
	assert_string_equal(strings_of("[\"\\x\"]"), "!");
	assert_string_equal(strings_of("[\"\\u0000\"]"), "!");
}

static void test_refused(void **state)
{
	(void)state;
	assert_string_equal(strings_of(""), "-");
	assert_string_equal(strings_of("\"a\""), "-");
	assert_string_equal(strings_of("{\"a\":1}"), "-");
	assert_string_equal(strings_of("["), "!");
	assert_string_equal(strings_of("[1]"), "!");
	assert_string_equal(strings_of("[\"a\",null]"), "a|!");
	assert_string_equal(strings_of("[\"a\",]"), "a|!");
	assert_string_equal(strings_of("[,\"a\"]"), "!");
	assert_string_equal(strings_of("[\"a\" \"b\"]"), "a|!");
	assert_string_equal(strings_of("[\"a\"}"), "a|!");
	assert_string_equal(strings_of("[\"a"), "!");
	assert_string_equal(strings_of("[\"a\\"), "!");
	assert_string_equal(strings_of("[\"a\\\""), "!");
	assert_string_equal(strings_of("[[\"a\"]]"), "!");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
