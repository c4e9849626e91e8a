#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asking.h"
#include <cmocka.h>

static char parts[4][512];

static const char *answer(enum endpoint endpoint, const char *text)
{
	struct question q = {.endpoint = endpoint, .body = text, .size = strlen(text)};

	return asking(&q);
}

/* The partial result of a job goes to parts[i]. */
static void make_part(unsigned i, const char *job, const char *result)
{
	assert_string_equal(answer(ENDPOINT_REDUCE, job), result);
	snprintf(parts[i], sizeof(parts[i]), "%s", asking_partial());
	assert_true(strlen(parts[i]) > 0 && strlen(parts[i]) < sizeof(parts[i]) - 1);
}

static int set_up(void **state)
{
	(void)state;
	asking_start();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	asking_stop();
	return 0;
}

/* A merge whose text has %0 to %3 for the parts. */
static const char *merge(const char *text)
{
	static char body[4096];
	char *out = body;

	for (; *text != '\0'; text++) {
		if (*text == '%')
			out += sprintf(out, "%s", parts[*++text - '0']);
		else
			*out++ = *text;
	}
	*out = '\0';
	return answer(ENDPOINT_MERGE, body);
}

#define EXACT "\"determinism\":\"exact\",\"partial\":true}"

static void make_parts(void)
{
	make_part(0, "{\"op\":[\"sum\",\"max\"],\"data\":[1e16,1.0]," EXACT, "sum=1e+16 max=1e+16");
	make_part(1, "{\"op\":[\"max\",\"sum\"],\"data\":[1.0,-1e16]," EXACT, "max=1.0 sum=-1e+16");
	make_part(2, "{\"op\":[\"sum\",\"max\"],\"data\":[]," EXACT, "sum=0.0 max=null");
	make_part(3, "{\"op\":[\"sum\",\"max\"],\"data\":[1.0],\"dtype\":\"float32\"," EXACT,
		  "sum=1.0 max=1.0");
}

static void test_results(void **state)
{
	(void)state;
	make_parts();
	/* keyed by operation, in the order of their names */
	assert_string_equal(merge("{\"partials\":[\"%0\",\"%1\"]}"), "max=1e+16 sum=2.0");
	assert_string_equal(merge("{\"partials\":[\"%1\",\"%2\",\"%0\",\"%2\"]}"),
			    "max=1e+16 sum=2.0");
	assert_string_equal(merge("{\"partials\":[\"%0\"]}"), "max=1e+16 sum=1e+16");
	assert_string_equal(merge("{\"partials\":[\"%2\"]}"), "empty_input");
	assert_string_equal(merge("{\"partials\":[\"%2\"],\"partial\":true}"), "max=null sum=0.0");
	assert_string_equal(asking_partial(), parts[2]);
	assert_string_equal(merge("{\"out_dtype\":\"float32\",\"partials\":[\"%3\",\"%3\"]}"),
			    "max=1.0 sum=2.0");
	assert_string_equal(merge("{\"out_dtype\":{\"sum\":\"float16\"},\"partials\":[\"%0\"]}"),
			    "max=1e+16 sum=\"Infinity\"");
}

/* A tree of merges comes to the same bytes as a list of them. */
static void test_trees(void **state)
{
	char left[512];

	(void)state;
	make_parts();
	merge("{\"partials\":[\"%0\",\"%2\"],\"partial\":true}");
	snprintf(left, sizeof(left), "%s", asking_partial());
	merge("{\"partials\":[\"%1\",\"%0\",\"%2\"],\"partial\":true}");
	strcpy(parts[3], left);
	snprintf(left, sizeof(left), "%s", asking_partial());
	assert_string_equal(merge("{\"partial\":true,\"partials\":[\"%3\",\"%1\"]}"),
			    "max=1e+16 sum=2.0");
	assert_string_equal(asking_partial(), left);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *wanted;
	} tests[] = {
		{"[]", "bad_job@"},
		{"{}", "bad_job@/partials"},
		{"{\"partials\":[]}", "bad_value@/partials"},
		{"{\"partials\":\"%0\"}", "bad_value@/partials"},
		{"{\"partials\":{\"a\":\"%0\"}}", "bad_value@/partials"},
		{"{\"partials\":7}", "bad_value@/partials"},
		{"{\"partials\":null}", "bad_value@/partials"},
		{"{\"partials\":[1]}", "bad_value@/partials/0"},
		{"{\"partials\":[\"%0\",[\"%0\"]]}", "bad_value@/partials/1"},
		{"{\"partials\":[\"%0\",\"\"]}", "bad_value@/partials/1"},
		{"{\"partials\":[\"%0\",\"AAA\"]}", "bad_value@/partials/1"},
		{"{\"partials\":[\"%0\",\"AAAA\"]}", "bad_value@/partials/1"},
		{"{\"partials\":[\"%0\",\"%1\",\"%3\"]}", "partials_differ@/partials/2"},
		/* what is wrong with the request goes before */
		{"{\"partials\":[\"%0\",\"%3\",\"AAA\"]}", "bad_value@/partials/2"},
		{"{\"partials\":[\"%0\",\"%3\"],\"x\":1}", "unknown_member@/x"},
		{"{\"partials\":[\"%0\",\"%3\"] \"x\":1}", "bad_json"},
		{"{\"x\":1,\"partials\":[\"%0\",]}", "bad_json"},
		{"{\"partials\":[\"%0\" \"%0\"]}", "bad_json"},
		{"{\"partials\":[\"%0\"],\"partials\":[\"%0\"]}", "bad_json"},
		{"{\"partials\":[\"%0\"],\"op\":\"sum\"}", "unknown_member@/op"},
		{"{\"partials\":[\"%0\"],\"data\":[1]}", "unknown_member@/data"},
		{"{\"partials\":[\"%0\"],\"bits\":1}", "bad_value@/bits"},
		{"{\"partials\":[\"%0\"],\"partial\":1}", "bad_value@/partial"},
		{"{\"partials\":[\"%0\"],\"ddof\":-1}", "bad_value@/ddof"},
		{"{\"partials\":[\"%0\"],\"ddof\":1}", "bad_job@/ddof"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":1}", "bad_value@/out_dtype"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":\"f8\"}", "bad_dtype@/out_dtype"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":{\"sum\":\"f8\"}}",
		 "bad_dtype@/out_dtype/sum"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":{\"min\":\"float32\"}}",
		 "bad_job@/out_dtype/min"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":{\"a/b\":\"float32\"}}",
		 "bad_job@/out_dtype/a~1b"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":"
		 "{\"lp:1.000000000000000000000000000000\":\"float32\"}}",
		 "bad_job@/out_dtype/lp:1.000000000000000000000000000000"},
		{"{\"partials\":[\"%0\"],\"out_dtype\":\"int8\"}", "bad_dtype@/out_dtype"},
	};
	size_t i;

	(void)state;
	make_parts();
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		assert_string_equal(merge(tests[i].text), tests[i].wanted);
}

static void test_kinds_of_body(void **state)
{
	static const char npy[] = "\x93NUMPY\x01\0\x36\0";
	struct question q = {.endpoint = ENDPOINT_MERGE, .body = "{}", .size = 2};

	(void)state;
	q.type = "application/vnd.foldd";
	q.job_length = 2;
	assert_string_equal(asking(&q), "unsupported_media_type");
	q.type = "application/x-npy";
	q.job_length = 0;
	assert_string_equal(asking(&q), "unsupported_media_type");
	q.type = NULL;
	q.query = "bits";
	assert_string_equal(asking(&q), "bad_job");
	q.query = NULL;
	q.size = 0;
	assert_string_equal(asking(&q), "bad_json");
	q.query = "partials=AAAA";
	assert_string_equal(asking(&q), "bad_json");
	q.query = NULL;
	q.body = npy;
	q.size = sizeof(npy) - 1;
	assert_string_equal(asking(&q), "unsupported_media_type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_kinds_of_body),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
