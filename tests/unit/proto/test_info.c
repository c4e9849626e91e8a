#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "tests/unit/proto/finished.h"

static void test_info(void **state)
{
	struct response response;
	json_t *body, *ops, *op, *backend;

	(void)state;
	response_of_info(&response, engine);
	assert_int_equal(response.status, 200);
	assert_string_equal(response.content_type, "application/json");
	body = json_loadb(response.head, response.head_size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(body);
	assert_string_equal(json_string_value(json_object_get(body, "version")), PACKAGE_VERSION);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(body, "limits"), "json_elements")),
			 FINISHED_JSON_ELEMENTS);
	assert_int_equal(json_object_size(json_object_get(body, "limits")),
			 sizeof(struct limits) / sizeof(uint64_t));
	assert_int_equal(json_array_size(json_object_get(body, "dtypes")), DTYPE_COUNT);
	assert_int_equal(json_array_size(json_object_get(body, "backends")),
			 engine_backend_count(engine));
	assert_int_equal(json_array_size(json_object_get(body, "absent_backends")),
			 engine_absent_count(engine));
	backend =
		json_array_get(json_object_get(body, "backends"), engine_backend_count(engine) - 1);
	assert_string_equal(json_string_value(json_object_get(backend, "name")), "cpu");
	assert_int_equal(json_integer_value(json_object_get(backend, "in_bytes_per_second")), 0);
	assert_int_equal(json_integer_value(json_object_get(backend, "out_bytes_per_second")), 0);

	ops = json_object_get(body, "operations");
	assert_int_equal(json_array_size(ops), OP_COUNT_OF_OPS);
	op = json_array_get(ops, OP_SUM);
	assert_string_equal(json_string_value(json_object_get(op, "name")), "sum");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(op, "result_dtype"), "bool")),
		"int64");
	assert_int_equal(json_array_size(json_object_get(op, "exact")), DTYPE_COUNT);
	assert_true(json_is_true(json_object_get(op, "scan")));
	op = json_array_get(ops, OP_LOGSUMEXP);
	assert_int_equal(json_array_size(json_object_get(op, "exact")), 0);
	op = json_array_get(ops, OP_LP);
	assert_string_equal(json_string_value(json_object_get(op, "name")), "lp:P");
	assert_true(json_is_false(json_object_get(op, "scan")));
	assert_null(json_object_get(op, "scan_exact"));
	json_decref(body);
	response_deinit(&response);
}

static void test_health(void **state)
{
	struct response response;

	(void)state;
	response_of_health(&response, engine, true, NULL);
	expect_body(&response, "{\"status\":\"ok\",\"backends\":[\"cpu\"],\"lost\":[]}");
	assert_int_equal(response.retry_after, 0);
	response_deinit(&response);

	response_of_health(&response, NULL, false, "starting");
	assert_int_equal(response.status, 503);
	assert_int_equal(response.retry_after, 1);
	assert_string_equal(
		response.head,
		"{\"status\":\"unavailable\",\"reason\":\"starting\",\"backends\":[],\"lost\":[]}");
	response_deinit(&response);
}

static void test_openapi_is_built_in_whole(void **state)
{
	(void)state;
	assert_int_equal(strlen(openapi_yaml), openapi_yaml_size);
	assert_memory_equal(openapi_yaml, "openapi: 3.1", 12);
	assert_int_equal(openapi_yaml[openapi_yaml_size - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_openapi_is_built_in_whole),
	};

	return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
