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
#include <unistd.h>
#include "clients/ctl_merge.h"

static char path[] = "/tmp/test_ctl_merge.XXXXXX";

static void file_make(const void *bytes, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

static void check(const char *content, const char *list)
{
	struct ctl_merge merge = {0};

	file_make(content, strlen(content));
	assert_int_equal(ctl_merge_add(&merge, path), CTL_OK);
	assert_string_equal(merge.list.bytes, list);
	ctl_merge_deinit(&merge);
}

static void test_forms(void **state)
{
	(void)state;
	check("Zm9v", "\"Zm9v\"");
	check("\n Zm9v\r\nZg==\tZm8=", "\"Zm9v\",\"Zg==\",\"Zm8=\"");
	check("{\"results\":{\"sum\":1e999},\"partial\":\"+/+/\",\"count\":99999999999999999999}",
	      "\"+/+/\"");
	check(" [\"Zm9v\",{\"partial\":\"Zg==\"},[\"Zm8=\"]]\n", "\"Zm9v\",\"Zg==\",\"Zm8=\"");
	/* a batch's answer */
	check("{\"results\":[{\"results\":{\"sum\":1},\"partial\":\"Zg==\"},{\"partial\":\"Zm8=\"}]"
	      "}",
	      "\"Zg==\",\"Zm8=\"");
	check("[\"Zm9v\\/w==\"]", "\"Zm9v/w==\"");
}

/* Lines that do not begin as a partial result does go on the one before. */
static void test_broken_lines(void **state)
{
	(void)state;
	check("RkRQUgEA\nAAAA\n", "\"RkRQUgEAAAAA\"");
	check("\xEF\xBB\xBFRkRQUgEA\r\nAAAA\r\n\v\f", "\"RkRQUgEAAAAA\"");
	check("RkRQUgEA AAAA\tBBBB\n\nRkRQUgEA\nCCCC", "\"RkRQUgEAAAAABBBB\",\"RkRQUgEACCCC\"");
	check("RkRQUgEA\nRkRQUgEA", "\"RkRQUgEA\",\"RkRQUgEA\"");
	check("RkRQUgEA\nAA==\nZm9v\nZm9v", "\"RkRQUgEAAA==\",\"Zm9v\",\"Zm9v\"");
	check("\xEF\xBB\xBF {\"partial\":\"Zm9v\"}", "\"Zm9v\"");
}

static void test_long_file(void **state)
{
	const size_t count = 50000;
	char *content = malloc(count * 5 + 1);
	struct ctl_merge merge = {0};

	(void)state;
	for (size_t i = 0; i < count; i++)
		memcpy(content + i * 5, "Zm9v\n", 6);
	file_make(content, count * 5);
	assert_int_equal(ctl_merge_add(&merge, path), CTL_OK);
	assert_int_equal(merge.count, count);
	assert_int_equal(merge.list.size, count * 7 - 1);
	ctl_merge_deinit(&merge);
	free(content);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" \n",
		"[]",
		"[[],[]]",
		"Zm9v, Zm9v",
		"RkRQUgEA\nAA-A",
		"Zm9v \xEF\xBB\xBF",
		"{\"partial\":\"Zm9v\"}\n{\"partial\":\"Zm9v\"}",
		"[\"Zm9v\nZm9v\"]",
		"\"Zm9v\"",
		"{\"results\":{\"sum\":1}}",
		"{\"results\":[{\"partial\":\"Zg==\"},{\"code\":\"bad_job\"}]}",
		"{\"code\":\"empty_input\"}",
		"{\"partial\":true}",
		"{\"partial\":\"\"}",
		"{\"partial\":\"a\\u0000\"}",
		"{\"partial\":\"Zm9v\"",
		"[true]",
		"[null]",
		"\x93NUMPY",
	};
	struct ctl_merge merge = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		file_make(bad[i], strlen(bad[i]));
		if (ctl_merge_add(&merge, path) != CTL_LOCAL)
			fail_msg("file %zu was taken", i);
		ctl_merge_deinit(&merge);
	}
	file_make("Zm9v\0Zm9v", 9);
	assert_int_equal(ctl_merge_add(&merge, path), CTL_LOCAL);
	assert_int_equal(ctl_merge_add(&merge, "/nowhere/at/all"), CTL_LOCAL);
	ctl_merge_deinit(&merge);
}

static void place_is(const struct ctl_merge *merge, const char *pointer, const char *expected)
{
	struct ctl_text text = {0};
	char place[200];

	assert_int_equal(ctl_merge_place(merge, pointer, &text), expected != NULL);
	if (expected != NULL) {
		snprintf(place, sizeof(place), "%s%s: ", path, expected);
		assert_string_equal(text.bytes, place);
	}
	ctl_text_deinit(&text);
}

static void test_places(void **state)
{
	struct ctl_merge merge = {0};

	(void)state;
	file_make("AAAA", 4);
	assert_int_equal(ctl_merge_add(&merge, path), CTL_OK);
	file_make("BBBB CCCC", 9);
	assert_int_equal(ctl_merge_add(&merge, path), CTL_OK);
	assert_string_equal(merge.list.bytes, "\"AAAA\",\"BBBB\",\"CCCC\"");
	place_is(&merge, "/partials/0", "");
	place_is(&merge, "/partials/1", ", partial result 1");
	place_is(&merge, "/partials/2", ", partial result 2");
	place_is(&merge, "/partials/3", NULL);
	place_is(&merge, "/partials", NULL);
	place_is(&merge, "/partials/", NULL);
	place_is(&merge, "/ddof", NULL);
	place_is(&merge, "", NULL);
	ctl_merge_deinit(&merge);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),     cmocka_unit_test(test_broken_lines),
		cmocka_unit_test(test_long_file), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
