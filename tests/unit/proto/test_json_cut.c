#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/json_cut.h"
#include <cmocka.h>

/* The envelope, and the spans: "{"data":0 } [1,2]"; or a failure's text. */
static const char *cut_of(const char *text, enum json_document document)
{
	static char line[1024];
	struct json_cut cut;
	struct error err = {0};
	size_t i;

	if (json_cut_init(&cut, text, strlen(text), document, 4, &err) != STATUS_OK) {
		snprintf(line, sizeof(line), "%s", err.text);
		return line;
	}
	snprintf(line, sizeof(line), "%.*s", (int)cut.envelope_size, cut.envelope);
	for (i = 0; i < cut.count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %.*s",
			 (int)cut.spans[i].size, cut.spans[i].text);
	json_cut_deinit(&cut);
	return line;
}

static void test_jobs(void **state)
{
	(void)state;
	assert_string_equal(cut_of("{\"data\":[1,2],\"op\":\"sum\"}", JSON_JOB),
			    "{\"data\":0 ,\"op\":\"sum\"} [1,2]");
	assert_string_equal(cut_of("{\"data\" : 5 , \"segments\":[0,2]}", JSON_JOB),
			    "{\"data\" : 0  , \"segments\":1 } 5 [0,2]");
	assert_string_equal(cut_of("{\"with\":{\"data\":[\"]\\\"\",[2]]},\"axis\":[0]}", JSON_JOB),
			    "{\"with\":{\"data\":0 },\"axis\":[0]} [\"]\\\"\",[2]]");
	/* an object, and what only looks like the member, stay */
	assert_string_equal(cut_of("{\"segments\":{\"part\":1},\"data\":{}}", JSON_JOB),
			    "{\"segments\":{\"part\":1},\"data\":{}}");
	assert_string_equal(cut_of("{\"x\":{\"data\":[1]},\"y\":\"data\",\"dat\":[2]}", JSON_JOB),
			    "{\"x\":{\"data\":[1]},\"y\":\"data\",\"dat\":[2]}");
	assert_string_equal(cut_of("{\"with\":{\"segments\":[1]}}", JSON_JOB),
			    "{\"with\":{\"segments\":[1]}}");
	assert_string_equal(cut_of("{\"\\u0064ata\":[1]}", JSON_JOB), "{\"\\u0064ata\":0 } [1]");
	assert_string_equal(cut_of("[1,2]", JSON_JOB), "[1,2]");
}

static void test_batches(void **state)
{
	(void)state;
	assert_string_equal(
		cut_of("{\"jobs\":[{\"data\":[1]},{\"data\":[2]}],\"data\":[3]}", JSON_BATCH),
		"{\"jobs\":[{\"data\":0 },{\"data\":1 }],\"data\":[3]} [1] [2]");
	assert_string_equal(cut_of("{\"data\":[1]}", JSON_BATCH), "{\"data\":[1]}");
}

static void test_merges(void **state)
{
	(void)state;
	assert_string_equal(cut_of("{\"partials\":[\"a]\",\"\\\"\"],\"ddof\":1}", JSON_MERGE),
			    "{\"partials\":0 ,\"ddof\":1} [\"a]\",\"\\\"\"]");
	assert_string_equal(cut_of("{\"data\":[1],\"partials\":{\"partials\":[2]}}", JSON_MERGE),
			    "{\"data\":[1],\"partials\":{\"partials\":[2]}}");
	assert_string_equal(cut_of("{\"partials\":[1]}", JSON_JOB), "{\"partials\":[1]}");
}

static void test_depth(void **state)
{
	(void)state;
	assert_string_equal(cut_of("{\"data\":[[[[1]]]]}", JSON_JOB), "{\"data\":0 } [[[[1]]]]");
	assert_string_equal(cut_of("{\"data\":[[[[[1]]]]]}", JSON_JOB),
			    "nested deeper than 4 at byte 12");
	assert_string_equal(cut_of("{\"x\":[[[[1]]]]}", JSON_JOB),
			    "nested deeper than 4 at byte 8");
	assert_string_equal(cut_of("{\"data\":[1,", JSON_JOB), "no end to the array at byte 8");
	assert_string_equal(cut_of("{\"data\":[\"x]}", JSON_JOB),
			    "no end to the string in the array at byte 8");
	assert_string_equal(cut_of("{\"da", JSON_JOB), "no end to the string at byte 1");
	assert_string_equal(cut_of("{\"data\":}", JSON_JOB), "no value at byte 8");
}

/* Long spans go through the fast search for brackets. */
static void test_long(void **state)
{
	char text[2000] = "{\"data\":[", *p = text + strlen(text);
	struct json_cut cut;
	json_t *root;
	int i;

	(void)state;
	for (i = 0; i < 300; i++)
		p += sprintf(p, i % 50 == 49 ? "[%d],\"y_Y\"," : "%d,", i);
	strcpy(p, "7],\"op\":1}");
	assert_int_equal(json_cut_init(&cut, text, strlen(text), JSON_JOB, 4, NULL), STATUS_OK);
	assert_int_equal(cut.count, 1);
	assert_int_equal(cut.spans[0].size, strlen(text) - 8 - strlen(",\"op\":1}"));
	assert_int_equal(json_cut_parse(&cut, &root, NULL), STATUS_OK);
	assert_int_equal(json_integer_value(json_object_get(root, "data")), 0);
	json_decref(root);
	json_cut_deinit(&cut);
}

/* Places are told in the document, not in the envelope. */
static void test_places(void **state)
{
	const char *text = "{\"data\":[1,2,3,4],\n \"op\" \"sum\"}";
	struct json_cut cut;
	struct error err = {0};
	json_t *root;

	(void)state;
	assert_int_equal(json_cut_init(&cut, text, strlen(text), JSON_JOB, 4, &err), STATUS_OK);
	assert_int_equal(json_cut_parse(&cut, &root, &err), STATUS_BAD_JSON);
	assert_non_null(strstr(err.text, "(line 2, column "));
	json_cut_deinit(&cut);
	text = "{\"a\":1,\n\"data\":[1,,2]}";
	assert_int_equal(json_cut_init(&cut, text, strlen(text), JSON_JOB, 4, &err), STATUS_OK);
	assert_int_equal(json_cut_verify(&cut, &err), STATUS_BAD_JSON);
	assert_string_equal(err.text, "malformed array at byte 18 (line 2, column 11)");
	cut.spans[0].read = true;
	assert_int_equal(json_cut_verify(&cut, &err), STATUS_OK);
	json_cut_deinit(&cut);
}

/* {"x":[item,item,...]}. Commas in strings do not
 * count. */
static void expect_values(const char *item, size_t count, enum status status)
{
	const size_t size = strlen(item);
	char *text = malloc(count * (size + 1) + 16);
	char *at = text + sprintf(text, "{\"x\":[");
	struct json_cut cut;
	struct error err = {0};
	json_t *root = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		at += sprintf(at, "%s%s", i > 0 ? "," : "", item);
	strcpy(at, "]}");
	assert_int_equal(json_cut_init(&cut, text, strlen(text), JSON_JOB, 4, &err), STATUS_OK);
	assert_int_equal(json_cut_parse(&cut, &root, &err), status);
	json_decref(root);
	json_cut_deinit(&cut);
	free(text);
}

static void test_values(void **state)
{
	(void)state;
	/* the object, the list and its members */
	expect_values("0", JSON_CUT_VALUES - 2, STATUS_OK);
	expect_values("0", JSON_CUT_VALUES - 1, STATUS_TOO_LARGE);
	expect_values("{}", JSON_CUT_VALUES / 2 + 1, STATUS_TOO_LARGE);
	expect_values("\",,[[{{\\\",,\"", JSON_CUT_VALUES / 8, STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs),   cmocka_unit_test(test_batches),
		cmocka_unit_test(test_merges), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_long),   cmocka_unit_test(test_places),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
