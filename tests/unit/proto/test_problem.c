#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "proto/problem.h"
#include "proto/response.h"

/* The table of docs/api.md, by code as it stands on the wire. */
static const struct {
	int number;
	const char *codes;
} table[] = {
	{400, "bad_json bad_job unknown_member unknown_op bad_dtype bad_shape bad_value bad_npy "
	      "no_such_backend"},
	{401, "unauthorized"},
	{403, "forbidden path_forbidden"},
	{404, "not_found file_not_found no_such_array no_such_job"},
	{405, "method_not_allowed"},
	{409, "file_changed file_exists"},
	{410, "job_expired"},
	{412, "array_exists"},
	{413, "too_large"},
	{415, "unsupported_media_type"},
	{422, "empty_input nan_found integer_overflow exact_unsupported partials_differ "
	      "file_truncated file_unreadable"},
	{429, "queue_full rate_limited"},
	{500, "internal"},
	{501, "not_implemented"},
	{503, "draining backend_unavailable array_lost"},
	{504, "timeout"},
	{507, "out_of_memory"},
};

static bool names(const char *codes, const char *code)
{
	const char *at = strstr(codes, code);
	size_t size = strlen(code);

	return at != NULL && (at == codes || at[-1] == ' ') && (at[size] == 0 || at[size] == ' ');
}

static int expected_number(const char *code)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (names(table[i].codes, code))
			return table[i].number;
	return -1;
}

static json_t *problem_of(const struct error *err, const char *id, struct response *response)
{
	json_t *object;

	response_of_error(response, err, id);
	assert_string_equal(response->content_type, "application/problem+json");
	assert_int_equal(response->fd, -1);
	assert_null(response->job_header);
	object = json_loadb(response->head, response->head_size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	return object;
}

static const char *string_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static void test_every_status_has_its_number(void **state)
{
	(void)state;
	assert_int_equal(problem_http_status(STATUS_OK), 200);
	for (int status = 1; status < STATUS_COUNT; status++) {
		struct error err = {0};
		struct response response;
		const char *code = status_code((enum status)status);
		int number = expected_number(code);
		char type[64];
		json_t *object;

		assert_true(number > 0);
		assert_int_equal(problem_http_status((enum status)status), number);
		fail(&err, (enum status)status, "said of %s", code);
		object = problem_of(&err, NULL, &response);
		snprintf(type, sizeof(type), "urn:foldd:error:%s", code);
		assert_int_equal(response.status, number);
		assert_int_equal(response.retry_after > 0, number == 429 || number == 503);
		assert_string_equal(string_of(object, "code"), code);
		assert_string_equal(string_of(object, "type"), type);
		assert_string_equal(string_of(object, "title"), status_title((enum status)status));
		assert_string_equal(string_of(object, "detail"), err.text);
		assert_int_equal(json_integer_value(json_object_get(object, "status")), number);
		assert_int_equal(json_object_size(object), 5);
		json_decref(object);
		response_deinit(&response);
	}
}

static void test_no_code_is_left_over(void **state)
{
	size_t codes = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		codes++;
		for (const char *s = table[i].codes; *s != 0; s++)
			codes += *s == ' ';
	}
	assert_int_equal(codes, STATUS_COUNT - 1);
}

static void test_pointer(void **state)
{
	struct response response;
	struct error err = {0};
	json_t *object;

	(void)state;
	fail_at(&err, STATUS_UNKNOWN_MEMBER, "", "no member \"opp\"");
	strcpy(err.pointer, "/opp~1\"\xff");
	object = problem_of(&err, NULL, &response);
	assert_string_equal(string_of(object, "pointer"), "/opp~1\"\xef\xbf\xbd");
	assert_string_equal(string_of(object, "detail"), "no member \"opp\"");
	assert_int_equal(json_object_size(object), 6);
	json_decref(object);
	response_deinit(&response);

	fail_at(&err, STATUS_BAD_JOB, "", "the whole of it");
	object = problem_of(&err, NULL, &response);
	assert_string_equal(string_of(object, "pointer"), "");
	json_decref(object);
	response_deinit(&response);
}

static void test_index_value_id(void **state)
{
	struct response response;
	struct error err = {0};
	json_t *object;

	(void)state;
	fail(&err, STATUS_INTEGER_OVERFLOW, "out of range");
	err.has_index = true;
	err.index = 9007199254740993u; /* no double */
	strcpy(err.value, "-9223372036854775809");
	object = problem_of(&err, "req-7", &response);
	assert_int_equal(json_integer_value(json_object_get(object, "index")), 9007199254740993);
	assert_string_equal(string_of(object, "value"), "-9223372036854775809");
	assert_string_equal(string_of(object, "id"), "req-7");
	assert_int_equal(json_object_size(object), 8);
	json_decref(object);
	response_deinit(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_status_has_its_number),
		cmocka_unit_test(test_no_code_is_left_over),
		cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_index_value_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
