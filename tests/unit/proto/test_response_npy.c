#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "tests/unit/proto/finished.h"

static void expect_nan(enum dtype dtype, uint64_t nan, uint64_t memory)
{
	static const uint64_t shape[] = {3};
	uint64_t values[3] = {0};
	size_t size = dtype_size(dtype);
	struct task *task = finished(1, shape);
	struct response response;
	struct result_op *op;
	char data[24];

	op = finished_op(task, "max", dtype, values, 3);
	spool_destroy(op->data);
	op->data = spool_of(values, 3 * size, memory);
	op->nulls = spool_of("\0\1\0", 3, memory);
	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200);
	assert_int_equal(response.fd, -1); /* written anew, and small */
	memcpy(data, response.head + response.head_size - 3 * size, 3 * size);
	assert_memory_equal(data, values, size);
	assert_memory_equal(data + size, &nan, size);
	assert_memory_equal(data + 2 * size, values, size);
	response_deinit(&response);
	task_destroy(task);
}

static void test_npy_of_a_scalar(void **state)
{
	struct task *task = finished(0, NULL);
	double sum = 6;
	struct response response;

	(void)state;
	finished_op(task, "sum", DTYPE_FLOAT64, &sum, 1);
	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200);
	assert_string_equal(response.content_type, "application/x-npy");
	assert_int_equal(response.fd, -1);
	assert_int_equal(response.head_size % 64, 8);
	assert_memory_equal(response.head, "\x93NUMPY", 6);
	assert_non_null(memmem(response.head, response.head_size, "'<f8'", 5));
	assert_non_null(memmem(response.head, response.head_size, "()", 2));
	assert_memory_equal(response.head + response.head_size - 8, &sum, 8);
	assert_string_equal(
		response.job_header,
		"{\"results\":{\"sum\":6.0},\"dtype\":{\"sum\":\"float64\"},\"count\":3,"
		"\"determinism\":\"ordered\",\"order\":1,\"combine\":{\"sum\":\"two-pass\"}"
		"," FINISHED_TAIL);
	response_deinit(&response);
	task_destroy(task);
}

static void test_job_header_leaves_arrays_out(void **state)
{
	static const uint64_t shape[] = {2}, counts[] = {5, 6};
	static const double values[] = {1, 2};
	struct task *task = finished(1, shape);
	struct response response;

	(void)state;
	finished_op(task, "sum", DTYPE_FLOAT64, values, 2);
	task->result->counts = spool_of(counts, sizeof(counts), 64);
	task->job.bits = true;
	response_of_task(&response, engine, task, "application/x-npy");
	assert_string_equal(response.job_header,
			    "{\"dtype\":{\"sum\":\"float64\"},\"shape\":{\"sum\":[2]},"
			    "\"determinism\":\"ordered\",\"order\":1,\"combine\":{\"sum\":\"two-"
			    "pass\"}," FINISHED_TAIL);
	response_deinit(&response);
	task_destroy(task);
}

static void test_npy_from_disk(void **state)
{
	enum { COUNT = 100000 };
	static const uint64_t shape[] = {COUNT};
	static uint64_t values[COUNT], back[COUNT];
	struct task *task = finished(1, shape);
	struct response response;
	struct result_op *op;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++)
		values[i] = i * i;
	op = finished_op(task, "sum", DTYPE_UINT64, "", 0);
	spool_destroy(op->data);
	op->data = spool_of(values, sizeof(values), 1000);
	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200);
	assert_int_equal(response.head_size % 64, 0);
	assert_true(response.fd >= 0);
	assert_int_equal(response.fd_size, sizeof(values));
	task_destroy(task); /* the descriptor is the response's own */
	assert_int_equal(pread(response.fd, back, sizeof(back), (off_t)response.fd_offset),
			 sizeof(back));
	assert_memory_equal(back, values, sizeof(values));
	response_deinit(&response);
	assert_int_equal(response.fd, -1);
}

static void test_nulls_in_npy(void **state)
{
	static const uint64_t shape[] = {3};
	static const int64_t values[] = {4, 5, 6};
	struct task *task = finished(1, shape);
	struct response response;
	struct result_op *op = finished_op(task, "argmax", DTYPE_INT64, values, 3);

	(void)state;
	for (uint64_t memory = 1; memory <= 1000; memory *= 1000) {
		expect_nan(DTYPE_FLOAT16, 0x7e00, memory);
		expect_nan(DTYPE_BFLOAT16, 0x7fc0, memory);
		expect_nan(DTYPE_FLOAT32, 0x7fc00000, memory);
		expect_nan(DTYPE_FLOAT64, UINT64_C(0x7ff8000000000000), memory);
	}
	op->nulls = spool_of("\0\0\0", 3, 64);
	response_of_task(&response, engine, task, "application/x-npy");
	assert_int_equal(response.status, 200); /* none is null */
	assert_memory_equal(response.head + response.head_size - 24, values, 24);
	response_deinit(&response);

	spool_destroy(op->nulls);
	op->nulls = spool_of("\0\0\1", 3, 64);
	response_of_task(&response, engine, task, "application/x-npy");
	expect_problem(&response, 400, "bad_job", "argmax");
	response_of_task(&response, engine, task, "application/zip");
	expect_problem(&response, 400, "bad_job", "argmax");
	task_destroy(task);
}

static void test_npy_of_several_operations(void **state)
{
	struct task *task = finished_pair();
	struct response response;

	(void)state;
	response_of_task(&response, engine, task, "application/x-npy");
	expect_problem(&response, 400, "bad_job", "application/zip");
	response_of_task(&response, engine, task, "application/x-npy, application/json;q=0.5");
	expect_body(&response, finished_pair_json);
	response_deinit(&response);
	task_destroy(task);
}

static void test_npz(void **state)
{
	struct task *task = finished_pair();
	struct response response;
	const char *sum, *max;

	(void)state;
	response_of_task(&response, engine, task, "application/zip");
	assert_int_equal(response.status, 200);
	assert_string_equal(response.content_type, "application/zip");
	assert_int_equal(response.fd, -1);
	assert_string_equal(response.job_header, finished_pair_json);
	assert_memory_equal(response.head, "PK\3\4", 4);
	sum = memmem(response.head, response.head_size, "sum.npy\x93NUMPY", 13);
	max = memmem(response.head, response.head_size, "max.npy\x93NUMPY", 13);
	assert_non_null(sum);
	assert_non_null(max);
	assert_memory_equal(response.head + response.head_size - 22, "PK\5\6", 4);
	response_deinit(&response);
	task_destroy(task);
}

static void test_large_npz_is_on_disk(void **state)
{
	enum { SIZE = 3 << 20 };
	static const uint64_t shape[] = {SIZE};
	char *bytes = malloc(SIZE), *back = malloc(SIZE);
	struct task *task = finished(1, shape);
	struct response response;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 31 >> 3);
	finished_op(task, "max", DTYPE_UINT8, bytes, SIZE);
	response_of_task(&response, engine, task, "application/zip");
	task_destroy(task);
	assert_int_equal(response.status, 200);
	assert_int_equal(response.head_size, 0);
	assert_true(response.fd >= 0);
	assert_int_equal(response.fd_offset, 0);
	/* local header, name, .npy header; directory entry, its name, end */
	assert_true(response.fd_size > SIZE + 30 + 7 + 64 + 46 + 7 + 22);
	assert_int_equal(
		pread(response.fd, back, SIZE, (off_t)(response.fd_size - SIZE - (46 + 7 + 22))),
		SIZE);
	assert_memory_equal(back, bytes, SIZE);
	response_deinit(&response);
	free(bytes);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_npy_of_a_scalar),
		cmocka_unit_test(test_job_header_leaves_arrays_out),
		cmocka_unit_test(test_npy_from_disk),
		cmocka_unit_test(test_nulls_in_npy),
		cmocka_unit_test(test_npy_of_several_operations),
		cmocka_unit_test(test_npz),
		cmocka_unit_test(test_large_npz_is_on_disk),
	};

	return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
