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
#include "clients/ctl_options.h"

static enum ctl_exit read_words(struct ctl_options *out, enum ctl_command command,
				const char *const *words)
{
	char *argv[24];
	int argc = 0;

	for (; words[argc] != NULL; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	return ctl_options_read(out, command, argc, argv);
}

#define WORDS(...)                           \
	(const char *const[])                \
	{                                    \
		"foldctl", __VA_ARGS__, NULL \
	}

static void test_members(void **state)
{
	struct ctl_options options;

	(void)state;
	assert_int_equal(
		read_words(&options, CTL_REDUCE,
			   WORDS("--nan", "omit", "var", "--ddof", "001", "1", "--keepdims", "2",
				 "--axis", "0, -1", "--empty-null", "--timeout", "0.5",
				 "--index-base", "18446744073709551615", "--backend", "cpu",
				 "--bits", "--overflow", "wrap")),
		CTL_OK);
	assert_string_equal(options.job.json.bytes,
			    "\"nan\":\"omit\",\"op\":\"var\",\"ddof\":1,\"keepdims\":true,"
			    "\"axis\":[0,-1],\"empty\":\"null\",\"timeout_ms\":500,"
			    "\"index_base\":18446744073709551615,\"backend\":\"cpu\",\"bits\":true,"
			    "\"overflow\":\"wrap\"");
	assert_string_equal(options.job.x.member.bytes, "\"data\":[1,2]");
	ctl_options_deinit(&options);
}

static void check_member(const char *option, const char *value, const char *json, const char *query)
{
	struct ctl_options options;

	assert_int_equal(read_words(&options, CTL_SCAN, WORDS("sum", "1", option, value)), CTL_OK);
	assert_string_equal(options.job.json.bytes + strlen("\"op\":\"sum\","), json);
	assert_string_equal(options.job.query.bytes + strlen("op=sum&"), query);
	ctl_options_deinit(&options);
}

static void test_lists(void **state)
{
	(void)state;
	check_member("--axis", "-1", "\"axis\":-1", "axis=-1");
	check_member("--axis", "[]", "\"axis\":[]", "axis=");
	check_member("--axis", "1 2", "\"axis\":[1,2]", "axis=1,2");
	check_member("--segments", "0 3\n7", "\"segments\":[0,3,7]", "segments=0,3,7");
	check_member("--segments", "0", "\"segments\":[0]", "segments=0");
}

static void test_double_dash(void **state)
{
	struct ctl_options options;

	(void)state;
	assert_int_equal(read_words(&options, CTL_REDUCE, WORDS("sum", "--json", "--", "-1", "2")),
			 CTL_OK);
	assert_true(options.json);
	assert_string_equal(options.job.x.member.bytes, "\"data\":[-1,2]");
	ctl_options_deinit(&options);
}

static void test_refused(void **state)
{
	const char *const *lines[] = {
		WORDS("sum"),
		WORDS("sum", "1", "x"),
		WORDS("sum", "1", "-"),
		WORDS("sum", "-", "-"),
		WORDS("sum", "-f", "a", "-f", "b"),
		WORDS("sum", "-f", "a", "--path", "b"),
		WORDS("sum", "[1]", "2"),
		WORDS("sum", "1", "--exact", "--determinism", "none"),
		WORDS("sum", "1", "--bits", "--bits"),
		WORDS("sum", "1", "--nan"),
		WORDS("sum", "1", "--unknown"),
		WORDS("sum", "1", "--ddof", "-1"),
		WORDS("sum", "1", "--ddof", ""),
		WORDS("sum", "1", "--axis", "1,x"),
		WORDS("sum", "1", "--axis", "1-2"),
		WORDS("sum", "1", "--shape", "1,,2"),
		WORDS("sum", "1", "--timeout", "0"),
		WORDS("sum", "1", "--timeout", "nan"),
		WORDS("sum", "1", "--rows", "-1"),
		WORDS("sum", "1", "--json", "--npy", "x"),
		WORDS("sum", "1", "--output", "y", "--npy", "x"),
		WORDS("sum", "1", "--overwrite"),
		WORDS("sum", "1", "--exclusive"),
		WORDS("sum", "-f", "a", "--format", "csv"),
		WORDS("dot", "1", "--with", "x"),
		WORDS("dot", "1", "--with", "1", "--with-file", "x"),
		WORDS("--json", "--nan", "omit"),
		WORDS("sum", "1", "--partial", "--npy", "x"),
		WORDS("sum", "1", "-o", "p", "--npy", "x"),
		WORDS("sum", "1", "-o", "-", "--json"),
		WORDS("sum", "1", "-o", ""),
		WORDS("sum", "1", "--partial", "--partial"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ctl_options options;

		if (read_words(&options, CTL_REDUCE, lines[i]) != CTL_USAGE)
			fail_msg("command line %zu was taken", i);
	}
}

static void test_other_commands(void **state)
{
	struct ctl_options options;

	(void)state;
	assert_int_equal(read_words(&options, CTL_BATCH, WORDS("--rows", "5")), CTL_OK);
	assert_string_equal(options.batch_file, "-");
	assert_int_equal(options.limits.rows, 5);
	ctl_options_deinit(&options);
	assert_int_equal(read_words(&options, CTL_BATCH, WORDS("a", "b")), CTL_USAGE);
	assert_int_equal(read_words(&options, CTL_BATCH, WORDS("a", "--axis", "1")), CTL_USAGE);
	assert_int_equal(read_words(&options, CTL_INFO, WORDS("--unix", "s", "--json")), CTL_OK);
	assert_string_equal(options.server.unix_path, "s");
	ctl_options_deinit(&options);
	assert_int_equal(read_words(&options, CTL_INFO, WORDS("x")), CTL_USAGE);
	/* --help asks for no more. */
	assert_int_equal(read_words(&options, CTL_SCAN, WORDS("--help")), CTL_OK);
	assert_true(options.help);
	ctl_options_deinit(&options);
}

static void test_merge(void **state)
{
	struct ctl_options options;

	(void)state;
	assert_int_equal(read_words(&options, CTL_MERGE,
				    WORDS("a", "--ddof", "1", "-", "--out-dtype", "float32",
					  "--bits", "--partial", "b")),
			 CTL_OK);
	assert_int_equal(options.file_count, 3);
	assert_string_equal(options.files[0], "a");
	assert_string_equal(options.files[1], "-");
	assert_string_equal(options.files[2], "b");
	assert_string_equal(options.job.json.bytes,
			    "\"ddof\":1,\"out_dtype\":\"float32\",\"bits\":true,\"partial\":true");
	assert_null(options.partial_file);
	ctl_options_deinit(&options);
	/* a file for it asks for it, once */
	assert_int_equal(read_words(&options, CTL_MERGE, WORDS("a", "-o", "p")), CTL_OK);
	assert_string_equal(options.partial_file, "p");
	assert_string_equal(options.job.json.bytes, "\"partial\":true");
	ctl_options_deinit(&options);
	assert_int_equal(read_words(&options, CTL_REDUCE,
				    WORDS("sum", "1", "--partial", "--partial-file", "p")),
			 CTL_OK);
	assert_string_equal(options.job.json.bytes, "\"op\":\"sum\",\"partial\":true");
	ctl_options_deinit(&options);
	assert_int_equal(read_words(&options, CTL_MERGE, WORDS("--bits")), CTL_USAGE);
	assert_int_equal(read_words(&options, CTL_MERGE, WORDS("a", "--nan", "omit")), CTL_USAGE);
	assert_int_equal(read_words(&options, CTL_SCAN, WORDS("sum", "1", "--partial")), CTL_USAGE);
	assert_int_equal(read_words(&options, CTL_SCAN, WORDS("sum", "1", "-o", "x")), CTL_USAGE);
}

static void test_server_of_environment(void **state)
{
	struct ctl_options options;

	(void)state;
	assert_int_equal(setenv("FOLDD_URL", "http://example:1", 1), 0);
	assert_int_equal(read_words(&options, CTL_INFO, WORDS("--json")), CTL_OK);
	assert_string_equal(options.server.url, "http://example:1");
	ctl_options_deinit(&options);
	assert_int_equal(read_words(&options, CTL_INFO, WORDS("--url", "http://b")), CTL_OK);
	assert_string_equal(options.server.url, "http://b");
	ctl_options_deinit(&options);
	assert_int_equal(unsetenv("FOLDD_URL"), 0);
	assert_int_equal(read_words(&options, CTL_INFO, WORDS("--json")), CTL_OK);
	assert_string_equal(options.server.url, CTL_HTTP_DEFAULT_URL);
	ctl_options_deinit(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_double_dash),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_other_commands),
		cmocka_unit_test(test_server_of_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
