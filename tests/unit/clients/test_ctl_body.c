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
#include "clients/ctl_body.h"
#include "clients/ctl_options.h"

static char directory[] = "/tmp/test_ctl_body.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *out = path[next++ % 4];

	snprintf(out, sizeof(path[0]), "%s/%s", directory, name);
	return out;
}

static const char *file_make(const char *name, const void *bytes, size_t size)
{
	const char *path = path_of(name);
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
	return path;
}

/* All bytes of a body, read in pieces of `step`. */
static struct ctl_text body_text(struct ctl_body *body, size_t step)
{
	struct ctl_text text = {0};
	char bytes[4096];
	size_t got = 1;

	while (got != 0) {
		assert_int_equal(ctl_body_read(body, bytes, step, &got), CTL_OK);
		ctl_text_add(&text, bytes, got);
	}
	return text;
}

/* The body of a command line, the command among its words. */
static void open_words(struct ctl_body *body, const char *const *words)
{
	struct ctl_options options;
	char *argv[24];
	int argc = 0;

	while (words[argc] != NULL) {
		argv[argc] = (char *)(uintptr_t)words[argc];
		argc++;
	}
	argv[argc] = NULL;
	assert_int_equal(ctl_options_read(&options, CTL_REDUCE, argc, argv), CTL_OK);
	assert_int_equal(ctl_body_open(body, &options.job), CTL_OK);
	ctl_options_deinit(&options);
}

static void check(const char *const *words, const char *type, const char *query,
		  const char *expected)
{
	static const size_t steps[] = {1, 7, 4096};

	for (size_t i = 0; i < 3; i++) {
		struct ctl_body body;
		struct ctl_text text;

		open_words(&body, words);
		assert_string_equal(body.content_type, type);
		assert_string_equal(body.query.bytes == NULL ? "" : body.query.bytes, query);
		text = body_text(&body, steps[i]);
		assert_string_equal(text.bytes, expected);
		assert_int_equal(body.sent, text.size);
		if (body.size >= 0)
			assert_int_equal(body.size, text.size);
		ctl_text_deinit(&text);
		ctl_body_close(&body);
	}
}

#define WORDS(...)                          \
	(const char *const[])               \
	{                                   \
		"reduce", __VA_ARGS__, NULL \
	}

static void test_numbers(void **state)
{
	(void)state;
	check(WORDS("sum", "1", "-2", "9007199254740993"), "application/json", "",
	      "{\"op\":\"sum\",\"data\":[1,-2,9007199254740993]}");
	check(WORDS("sum,lp:1.5", "[[1],[2]]", "--axis", "0", "--dtype", "float32"),
	      "application/json", "",
	      "{\"op\":[\"sum\",\"lp:1.5\"],\"axis\":0,\"dtype\":\"float32\",\"data\":[[1],[2]]}");
}

static void test_server_files(void **state)
{
	(void)state;
	check(WORDS("sum", "--path", "a \"b\".npy"), "application/json", "",
	      "{\"op\":\"sum\",\"file\":\"a \\\"b\\\".npy\"}");
	check(WORDS("sum", "--paths", "a*", "--paths", "b"), "application/json", "",
	      "{\"op\":\"sum\",\"files\":[\"a*\",\"b\"]}");
	check(WORDS("dot", "--path", "a", "--with-path", "b"), "application/json", "",
	      "{\"op\":\"dot\",\"with\":{\"file\":\"b\"},\"file\":\"a\"}");
	check(WORDS("dot", "1", "--with", "2", "--dtype", "int8"), "application/json", "",
	      "{\"op\":\"dot\",\"dtype\":\"int8\",\"with\":{\"data\":[2],\"dtype\":\"int8\"},"
	      "\"data\":[1]}");
	check(WORDS("sum", "--path", "a", "--shape", "2,3", "--format", "raw", "--offset", "8"),
	      "application/json", "",
	      "{\"op\":\"sum\",\"shape\":[2,3],\"offset\":8,\"format\":\"raw\",\"file\":\"a\"}");
}

static void test_text_file(void **state)
{
	const char *path = file_make("text", "1, 2\n3\n", 7);

	(void)state;
	check(WORDS("sum", "-f", path), "application/json", "",
	      "{\"op\":\"sum\",\"data\":[1,2,3]}");
	check(WORDS("sum", "-f", path, "--format", "text", "--dtype", "int8"), "application/json",
	      "", "{\"op\":\"sum\",\"dtype\":\"int8\",\"data\":[1,2,3]}");
}

static void test_raw_file(void **state)
{
	const char *path = file_make("raw", "abcdefgh", 8);

	(void)state;
	check(WORDS("sum,max", "-f", path, "--dtype", "uint16", "--shape", "2,2", "--axis", "-1",
		    "--byteorder", "big", "--exact"),
	      "application/octet-stream",
	      "op=sum,max&axis=-1&determinism=exact&dtype=uint16&shape=2,2&byteorder=big",
	      "abcdefgh");
}

static void test_npy_file(void **state)
{
	const char *path = file_make("npy", "\x93NUMPY rest", 11);

	(void)state;
	check(WORDS("sum", "-f", path), "application/x-npy", "op=sum", "\x93NUMPY rest");
	check(WORDS("sum", "-f", path, "--output", "o p,q.npy"), "application/x-npy",
	      "op=sum&output=o%20p,q.npy", "\x93NUMPY rest");
}

static void test_parts(void **state)
{
	const char *x = file_make("x", "\x93NUMPYx", 7), *y = file_make("y", "abcd", 4);
	struct ctl_body body;

	(void)state;
	check(WORDS("dot", "-f", y, "--with-file", x, "--dtype", "uint8"), "application/vnd.foldd",
	      "",
	      "{\"op\":\"dot\",\"with\":{\"part\":0},\"part\":1,\"parts\":[{\"size\":7,\"format\":"
	      "\"npy\"},{\"size\":4,\"dtype\":\"uint8\"}]}\x93NUMPYxabcd");
	check(WORDS("sum", "1", "2", "--segments-file", y), "application/vnd.foldd", "",
	      "{\"op\":\"sum\",\"data\":[1,2],\"segments\":{\"part\":0},\"parts\":[{\"size\":4,"
	      "\"dtype\":\"int64\"}]}abcd");
	/* An object that no query string can hold. */
	check(WORDS("sum", "-f", x, "--out-dtype", "sum:float32"), "application/vnd.foldd", "",
	      "{\"op\":\"sum\",\"out_dtype\":{\"sum\":\"float32\"},\"part\":0,\"parts\":[{\"size\":"
	      "7,\"format\":\"npy\"}]}\x93NUMPYx");
	open_words(&body, WORDS("sum", "1", "2", "--segments-file", y));
	assert_int_equal(body.job_length + 4, body.size);
	ctl_body_close(&body);
}

static void test_refused(void **state)
{
	const char *text = file_make("text", "1 2 3", 5);
	const char *const lines[][6] = {
		{"reduce", "sum", "-f", path_of("missing"), NULL},
		{"reduce", "sum", "-f", directory, NULL},
		{"reduce", "dot", "1", "--with-file", text, NULL},
	};
	static const enum ctl_exit codes[] = {CTL_LOCAL, CTL_LOCAL, CTL_USAGE};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ctl_options options;
		struct ctl_body body;
		char *argv[8];
		int argc = 0;

		for (; lines[i][argc] != NULL; argc++)
			argv[argc] = (char *)(uintptr_t)lines[i][argc];
		assert_int_equal(ctl_options_read(&options, CTL_REDUCE, argc, argv), CTL_OK);
		assert_int_equal(ctl_body_open(&body, &options.job), codes[i]);
		ctl_options_deinit(&options);
	}
}

/* What is appended while a file is sent stays out; what is cut off is missed. */
static void test_file_changes(void **state)
{
	const char *path = file_make("raw", "abcdefgh", 8);
	struct ctl_body body;
	struct ctl_text text;
	char bytes[128];
	size_t got = 1;
	enum ctl_exit code = CTL_OK;

	(void)state;
	open_words(&body, WORDS("sum", "-f", path, "--dtype", "uint8"));
	file_make("raw", "abcdefghijkl", 12);
	text = body_text(&body, 16);
	assert_string_equal(text.bytes, "abcdefgh");
	ctl_text_deinit(&text);
	ctl_body_close(&body);

	memset(bytes, 'x', sizeof(bytes));
	file_make("raw", bytes, sizeof(bytes));
	open_words(&body, WORDS("sum", "-f", path, "--dtype", "uint8"));
	assert_int_equal(truncate(path, 100), 0);
	while (code == CTL_OK && got != 0)
		code = ctl_body_read(&body, bytes, sizeof(bytes), &got);
	assert_int_equal(code, CTL_LOCAL);
	ctl_body_close(&body);
}

static void check_batch(const char *content, const char *expected)
{
	const char *path = file_make("batch", content, strlen(content));
	struct ctl_body body;
	struct ctl_text text;

	assert_int_equal(ctl_body_open_batch(&body, path), CTL_OK);
	text = body_text(&body, 5);
	assert_string_equal(text.bytes, expected);
	ctl_text_deinit(&text);
	ctl_body_close(&body);
}

static void test_batch(void **state)
{
	(void)state;
	check_batch("\n{ \"jobs\": [{}] }\n", "\n{ \"jobs\": [{}] }\n");
	check_batch(" [{\"a\":1}]", "{\"jobs\": [{\"a\":1}]}");
	check_batch("{\"a\":1}\n\n  {\"b\":2}\r\n{\"c\":3}",
		    "{\"jobs\":[{\"a\":1}\n\n  ,{\"b\":2}\r\n,{\"c\":3}]}");
	check_batch("", "{\"jobs\":[]}");
}

static void test_merge(void **state)
{
	static const char *const expected[] = {
		"{\"partials\":[\"AA==\"]}",
		"{\"ddof\":1,\"bits\":true,\"partials\":[\"AA==\"]}",
	};
	struct ctl_text list = {0};

	(void)state;
	ctl_text_puts(&list, "\"AA==\"");
	for (size_t i = 0; i < 2; i++) {
		struct ctl_job job = {0};
		struct ctl_body body;
		struct ctl_text text;

		if (i == 1) {
			ctl_job_literal(&job, "ddof", "1");
			ctl_job_literal(&job, "bits", "true");
		}
		assert_int_equal(ctl_body_open_merge(&body, &job, &list), CTL_OK);
		assert_string_equal(body.content_type, "application/json");
		assert_int_equal(body.size, strlen(expected[i]));
		text = body_text(&body, 5);
		assert_string_equal(text.bytes, expected[i]);
		ctl_text_deinit(&text);
		ctl_body_close(&body);
		ctl_job_deinit(&job);
	}
	ctl_text_deinit(&list);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
	static const char *const names[] = {"text", "raw", "npy", "x", "y", "batch"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),   cmocka_unit_test(test_server_files),
		cmocka_unit_test(test_text_file), cmocka_unit_test(test_raw_file),
		cmocka_unit_test(test_npy_file),  cmocka_unit_test(test_parts),
		cmocka_unit_test(test_refused),   cmocka_unit_test(test_file_changes),
		cmocka_unit_test(test_batch),     cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
