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
#include "engine/partial.h"
#include "tests/unit/proto/finished.h"

/* The text of one member of the body, up to the next. */
static void expect_member(const struct response *response, const char *name, const char *value)
{
	char wanted[512];

	assert_int_equal(response->status, 200);
	snprintf(wanted, sizeof(wanted), "\"%s\":%s,\"", name, value);
	if (memmem(response->head, response->head_size, wanted, strlen(wanted)) == NULL)
		print_error("no %s in %.*s\n", wanted, (int)response->head_size, response->head);
	assert_non_null(memmem(response->head, response->head_size, wanted, strlen(wanted)));
}

static void expect_empty(unsigned ndim, const uint64_t *shape, const char *results)
{
	struct task *task = finished(ndim, shape);
	struct response response;

	finished_op(task, "sum", DTYPE_FLOAT64, "", 0);
	task->result->counts = spool_of("", 0, 64);
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "count", results);
	response_deinit(&response);

	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200);
	assert_int_equal(response.fd, -1);
	assert_int_equal(response.head_size % 64, 0); /* a header and no data */
	response_deinit(&response);
	task_destroy(task);
}

static void test_scalars(void **state)
{
	struct task *task = finished_pair();
	struct response response;

	(void)state;
	response_of_task(&response, engine, task, NULL);
	expect_body(&response, finished_pair_json);
	response_deinit(&response);
	task_destroy(task);
}

/* The example of docs/partials.md: in JSON, but not beside a NumPy file. */
static void test_partial(void **state)
{
	static const unsigned char bytes[] =
		"FDPR\1\0\0\0\x76\x8b\xa4\xa5\x0b\0\0\2\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3max\3sum"
		"\1\xff\xff\2\0\0\0\0\x40\1\0\0\0\0\0\0\0\0\0\0\xf8\x3f";
	const float sum = 1.25f;
	struct task *task = finished(0, NULL);
	struct response response;

	(void)state;
	finished_op(task, "sum", DTYPE_FLOAT32, &sum, 1);
	assert_int_equal(partial_decode(bytes, sizeof(bytes) - 1, &task->result->partial, NULL),
			 STATUS_OK);
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "partial",
		      "\"RkRQUgEAAAB2i6SlCwAAAgIAAAAAAAAAAgAAAAAAAAADbWF4A3N1bQH//"
		      "wIAAAAAQAEAAAAAAAAAAAAA+D8=\"");
	response_deinit(&response);
	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200);
	assert_null(strstr(response.job_header, "partial"));
	response_deinit(&response);
	task_destroy(task);
}

static void test_bits_of_every_type(void **state)
{
	static const uint64_t ones = UINT64_C(0xfedcba9876543210);
	static const char *const bits[DTYPE_COUNT] = {
		"0x01",
		"0x10",
		"0x3210",
		"0x76543210",
		"0xfedcba9876543210",
		"0x10",
		"0x3210",
		"0x76543210",
		"0xfedcba9876543210",
		"0x3210",
		"0x3210",
		"0x76543210",
		"0xfedcba9876543210",
	};
	struct task *task = finished(0, NULL);
	struct response response;
	char wanted[1024] = "{";

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		const char *name = dtype_name((enum dtype)dtype);

		finished_op(task, name, (enum dtype)dtype, &ones, 1);
		snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted),
			 "%s\"%s\":\"%s\"", dtype == 0 ? "" : ",", name, bits[dtype]);
	}
	strcat(wanted, "}");
	task->job.bits = true;
	response_of_task(&response, engine, task, "*/*");
	expect_member(&response, "bits", wanted);
	response_deinit(&response);
	task_destroy(task);
}

static void test_order_of_nesting(void **state)
{
	static const int32_t c_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	static const int32_t f_order[] = {0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11};
	static const uint64_t shape[] = {2, 2, 3},
			      counts[] = {1, 7, 4, 10, 2, 8, 5, 11, 0, 0, 9, 9};
	static const char nested[] = "{\"sum\":[[[0,1,2],[3,4,5]],[[6,7,8],[9,10,11]]]}";
	struct task *task = finished(3, shape);
	struct response response;

	(void)state;
	finished_op(task, "sum", DTYPE_INT32, c_order, 12);
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "results", nested);
	expect_member(&response, "shape", "{\"sum\":[2,2,3]}");
	expect_member(&response, "count", "3");
	response_deinit(&response);
	task_destroy(task);

	task = finished(3, shape);
	task->result->fortran = true;
	task->result->counts = spool_of(counts, sizeof(counts), 8); /* on disk */
	finished_op(task, "sum", DTYPE_INT32, f_order, 12);
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "results", nested);
	expect_member(&response, "count", "[[[1,2,0],[4,5,9]],[[7,8,0],[10,11,9]]]");
	response_deinit(&response);
	task_destroy(task);
}

static void test_nulls(void **state)
{
	static const float values[] = {1.5f, 0, 2.5f, 0};
	static const unsigned char nulls[] = {0, 1, 0, 1};
	static const uint64_t shape[] = {4};
	struct task *task = finished(1, shape);
	struct response response;

	(void)state;
	finished_op(task, "mean", DTYPE_FLOAT32, values, 4)->nulls = spool_of(nulls, 4, 64);
	task->job.bits = true;
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "results", "{\"mean\":[1.5,null,2.5,null]}");
	expect_member(&response, "bits", "{\"mean\":[\"0x3fc00000\",null,\"0x40200000\",null]}");
	response_deinit(&response);
	task_destroy(task);
}

static void test_empty_arrays(void **state)
{
	(void)state;
	expect_empty(1, (uint64_t[]){0}, "[]");
	expect_empty(2, (uint64_t[]){2, 0}, "[[],[]]");
	expect_empty(2, (uint64_t[]){0, 2}, "[]");
	expect_empty(3, (uint64_t[]){2, 1, 0}, "[[[]],[[]]]");
}

/* A row of many runs, each element where it belongs. */
static void test_long_rows(void **state)
{
	static const uint64_t shape[] = {1000};
	int16_t values[1000];
	struct task *task = finished(1, shape);
	struct response response;
	json_t *body, *array;

	(void)state;
	for (int i = 0; i < 1000; i++)
		values[i] = (int16_t)(i * 37 - 18000);
	finished_op(task, "min", DTYPE_INT16, values, 1000);
	response_of_task(&response, engine, task, NULL);
	body = json_loadb(response.head, response.head_size, 0, NULL);
	array = json_object_get(json_object_get(body, "results"), "min");
	assert_int_equal(json_array_size(array), 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(json_integer_value(json_array_get(array, i)), values[i]);
	json_decref(body);
	response_deinit(&response);
	task_destroy(task);
}

static void test_arrays_too_large_for_json(void **state)
{
	static const uint64_t long_one[] = {FINISHED_JSON_ELEMENTS + 1},
			      lists[] = {UINT64_C(1) << 40, 0},
			      wide[] = {UINT64_C(1) << 40, UINT64_C(1) << 40, 0};
	static char zeros[FINISHED_JSON_ELEMENTS + 1];
	struct task *task = finished(1, long_one);
	struct response response;

	(void)state;
	finished_op(task, "any", DTYPE_BOOL, zeros, FINISHED_JSON_ELEMENTS + 1);
	response_of_task(&response, engine, task, NULL);
	expect_problem(&response, 413, "too_large", "application/x-npy");

	task->result->shape[0] = FINISHED_JSON_ELEMENTS; /* the most there may be */
	response_of_task(&response, engine, task, NULL);
	assert_int_equal(response.status, 200);
	response_deinit(&response);

	finished_op(task, "all", DTYPE_BOOL, zeros,
		    FINISHED_JSON_ELEMENTS); /* two of them are more */
	response_of_task(&response, engine, task, NULL);
	expect_problem(&response, 413, "too_large", "application/zip");
	task_destroy(task);

	task = finished(2, lists); /* no element, and 2^40 lists */
	finished_op(task, "any", DTYPE_BOOL, "", 0);
	response_of_task(&response, engine, task, NULL);
	expect_problem(&response, 413, "too_large", "1099511627776 elements");
	task_destroy(task);

	task = finished(3, wide);
	finished_op(task, "any", DTYPE_BOOL, "", 0);
	response_of_task(&response, engine, task, NULL);
	expect_problem(&response, 413, "too_large", "application/x-npy");
	task_destroy(task);
}

static void test_results_in_a_file(void **state)
{
	static const uint64_t shape[] = {3, 0}, long_one[] = {FINISHED_JSON_ELEMENTS + 1};
	struct task *task = finished(2, shape);
	struct response response;

	(void)state;
	finished_to_file(task, "a \"b\".npy");
	finished_op(task, "sum", DTYPE_FLOAT16, "", 0);
	task->result->counts = spool_of("", 0, 64);
	task->job.bits = true;
	response_of_task(&response, engine, task, "application/x-npy");
	expect_body(&response,
		    "{\"results\":{\"sum\":{\"file\":\"a \\\"b\\\".npy\",\"shape\":[3,0],"
		    "\"dtype\":\"float16\"}},\"dtype\":{\"sum\":\"float16\"},"
		    "\"shape\":{\"sum\":[3,0]},\"determinism\":\"ordered\",\"order\":1,"
		    "\"combine\":{\"sum\":\"two-pass\"}," FINISHED_TAIL);
	response_deinit(&response);
	task_destroy(task);

	task = finished(1, long_one); /* a scan: as long as it likes */
	finished_to_file(task, "/x.npy");
	finished_op(task, "sum", DTYPE_FLOAT64, "", 0);
	response_of_task(&response, engine, task, NULL);
	expect_member(&response, "count", "3");
	response_deinit(&response);
	task_destroy(task);
}

static void test_failed_task(void **state)
{
	struct task *task = task_create();
	struct response response;
	struct error err = {0};

	(void)state;
	fail_at(&err, STATUS_UNKNOWN_OP, "/op", "no operation \"summ\"");
	task_refuse(task, &err);
	response_of_task(&response, engine, task, "application/x-npy");
	expect_problem(&response, 400, "unknown_op", "summ");
	task_destroy(task);
}

static void test_batch(void **state)
{
	static const uint64_t most[] = {FINISHED_JSON_ELEMENTS}, one[] = {1};
	static char zeros[FINISHED_JSON_ELEMENTS];
	struct task *tasks[5];
	struct response response;
	struct error err = {0};
	json_t *body, *results;

	(void)state;
	tasks[0] = finished_pair();
	tasks[1] = task_create();
	fail_at(&err, STATUS_UNKNOWN_OP, "/op", "no operation \"summ\"");
	task_refuse(tasks[1], &err);
	tasks[2] = finished(1, most);
	finished_op(tasks[2], "any", DTYPE_BOOL, zeros, FINISHED_JSON_ELEMENTS);
	tasks[3] = finished(1, one); /* one element too many in this answer */
	finished_op(tasks[3], "any", DTYPE_BOOL, zeros, 1);
	tasks[4] = finished_pair();

	response_of_batch(&response, engine, tasks, 5);
	assert_int_equal(response.status, 200);
	assert_string_equal(response.content_type, "application/json");
	body = json_loadb(response.head, response.head_size, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_object_size(body), 1);
	results = json_object_get(body, "results");
	assert_int_equal(json_array_size(results), 5);
	assert_non_null(json_object_get(json_array_get(results, 0), "elapsed_us"));
	assert_int_equal(json_object_size(json_array_get(results, 1)), 6);
	assert_string_equal(json_string_value(json_object_get(json_array_get(results, 1), "code")),
			    "unknown_op");
	assert_non_null(json_object_get(json_array_get(results, 2), "elapsed_us"));
	assert_int_equal(json_object_size(json_array_get(results, 3)), 5);
	assert_string_equal(json_string_value(json_object_get(json_array_get(results, 3), "code")),
			    "too_large");
	assert_true(json_equal(json_array_get(results, 4), json_array_get(results, 0)));
	json_decref(body);
	response_deinit(&response);
	for (int i = 0; i < 5; i++)
		task_destroy(tasks[i]);

	response_of_batch(&response, engine, NULL, 0);
	expect_body(&response, "{\"results\":[]}");
	response_deinit(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_bits_of_every_type),
		cmocka_unit_test(test_order_of_nesting),
		cmocka_unit_test(test_nulls),
		cmocka_unit_test(test_empty_arrays),
		cmocka_unit_test(test_long_rows),
		cmocka_unit_test(test_arrays_too_large_for_json),
		cmocka_unit_test(test_results_in_a_file),
		cmocka_unit_test(test_failed_task),
		cmocka_unit_test(test_batch),
	};

	return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
