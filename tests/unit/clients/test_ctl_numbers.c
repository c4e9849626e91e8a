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
#include "clients/ctl_numbers.h"

/* Feed the text in pieces of every size up to its own. */
static void check(const char *input, const char *expected)
{
	size_t size = strlen(input);

	for (size_t piece = 1; piece <= size + 1; piece++) {
		struct ctl_numbers numbers;
		struct ctl_text text = {0};

		ctl_numbers_init(&numbers, "test");
		for (size_t at = 0; at < size; at += piece) {
			size_t n = size - at < piece ? size - at : piece;

			assert_int_equal(ctl_numbers_feed(&numbers, &text, input + at, n), CTL_OK);
		}
		assert_int_equal(ctl_numbers_end(&numbers, &text), CTL_OK);
		assert_string_equal(text.bytes, expected);
		ctl_text_deinit(&text);
	}
}

static void test_separators(void **state)
{
	(void)state;
	check("", "[]");
	check(" \n\t ", "[]");
	check("1", "[1]");
	check("1 2,3;4\n5\r\n6\t7", "[1,2,3,4,5,6,7]");
	check("\n\n 1,, 2 \n", "[1,2]");
	check("nan,-inf 1e5", "[\"NaN\",\"-Infinity\",1e5]");
	check("\xef\xbb\xbf"
	      "1 2",
	      "[1,2]");
	check("\xef\xbb\xbf\n1", "[1]");
}

static void test_json_passes(void **state)
{
	(void)state;
	check(" [[1, 2],\n [3, 4]]\n", "[[1, 2],\n [3, 4]]\n");
	check("[\"]\\\"]\", 1] ", "[\"]\\\"]\", 1] ");
}

static enum ctl_exit feed_all(const char *input, size_t size)
{
	struct ctl_numbers numbers;
	struct ctl_text text = {0};
	enum ctl_exit code;

	ctl_numbers_init(&numbers, "test");
	code = ctl_numbers_feed(&numbers, &text, input, size);
	if (code == CTL_OK)
		code = ctl_numbers_end(&numbers, &text);
	ctl_text_deinit(&text);
	return code;
}

static void test_refused(void **state)
{
	char huge[CTL_NUMBER_MAX + 2];

	(void)state;
	assert_int_equal(feed_all("1 x 2", 5), CTL_LOCAL);
	assert_int_equal(feed_all("1 2x", 4), CTL_LOCAL);
	assert_int_equal(feed_all("1\0002", 3), CTL_LOCAL);
	assert_int_equal(feed_all("1 \xef\xbb\xbf"
				  "2",
				  6),
			 CTL_LOCAL);
	assert_int_equal(feed_all("[1, 2", 5), CTL_LOCAL);
	assert_int_equal(feed_all("[[1], [2]", 9), CTL_LOCAL);
	assert_int_equal(feed_all("[1]]", 4), CTL_LOCAL);
	assert_int_equal(feed_all("[1] [2]", 7), CTL_LOCAL);
	assert_int_equal(feed_all("[1], \"op\": \"max\"", 16), CTL_LOCAL);
	assert_int_equal(feed_all("[\"]", 3), CTL_LOCAL);
	memset(huge, '1', sizeof(huge));
	assert_int_equal(feed_all(huge, CTL_NUMBER_MAX), CTL_OK);
	assert_int_equal(feed_all(huge, CTL_NUMBER_MAX + 1), CTL_LOCAL);
}

static void test_line_numbers(void **state)
{
	struct ctl_numbers numbers;
	struct ctl_text text = {0};

	(void)state;
	ctl_numbers_init(&numbers, "test");
	assert_int_equal(ctl_numbers_feed(&numbers, &text, "\n1\n2\n", 5), CTL_OK);
	assert_int_equal(numbers.line, 4);
	ctl_text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_separators),
		cmocka_unit_test(test_json_passes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_line_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
