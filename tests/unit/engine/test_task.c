#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/task.h"
#include <cmocka.h> /* last: it defines fail() */

static struct engine *engine;

static struct task *task_of(const char *op)
{
	struct task *task = task_create();

	assert_non_null(task);
	task->job.op_count = 1;
	task->job.determinism = DETERMINISM_ORDERED;
	assert_int_equal(op_parse(op, &task->job.ops[0].spec, NULL), STATUS_OK);
	return task;
}

static struct source *doubles(const double *x, const struct array_desc *desc)
{
	uint64_t count;
	double *copy;

	array_count(desc, &count, NULL);
	copy = malloc(count * sizeof(*copy) + 1);
	assert_non_null(copy);
	memcpy(copy, x, count * sizeof(*copy));
	return source_from_memory(desc, copy);
}

static double answer(const struct task *task, uint64_t i)
{
	double value;

	assert_int_equal(task->error.status, STATUS_OK);
	assert_int_equal(spool_read(task->result->ops[0].data, i * sizeof(value), &value,
				    sizeof(value), NULL),
			 STATUS_OK);
	return value;
}

static const double six[] = {1, 2, 3, 4, 5, 6};
static const struct array_desc flat = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {6}};
static const struct array_desc table = {.dtype = DTYPE_FLOAT64, .ndim = 2, .shape = {2, 3}};
static const struct array_desc columns = {
	.dtype = DTYPE_FLOAT64, .ndim = 2, .shape = {2, 3}, .fortran = true};

static void runs_and_fills_the_result(void **state)
{
	struct task *task = task_of("sum");

	(void)state;
	task->x = doubles(six, &flat);
	assert_true(task_cost_ns(engine, task) > 0);
	assert_int_equal(task_run(engine, task), STATUS_OK);
	assert_true(task->done && task->result->scalar);
	assert_true(answer(task, 0) == 21);
	assert_int_equal(task->result->count, 6);
	assert_string_equal(task->result->backend, "cpu");
	assert_int_equal(task->result->order, 1);
	assert_int_equal(task_run(engine, task), STATUS_OK); /* once only */
	task_destroy(task);
}

/* dot pairs elements by their C order index, however they are stored. */
static void dot_of_arrays_stored_differently(void **state)
{
	static const double one_two[] = {1, 0, 0, 10, 0, 0}; /* columns (1,0) (0,10) (0,0) */

	(void)state;
	for (int spooled = 0; spooled < 2; spooled++) {
		struct task *task = task_of("dot");
		struct spool *spool = NULL;

		task->x = doubles(six, &table);
		if (spooled) {
			const struct spool_config config = {.memory = 8, .limit = 1000};
			const double before = 99;

			spool = spool_create(&config);
			assert_int_equal(spool_write(spool, &before, sizeof(before), NULL),
					 STATUS_OK);
			assert_int_equal(spool_write(spool, one_two, sizeof(one_two), NULL),
					 STATUS_OK);
			task->y = source_from_spool(&columns, spool, sizeof(before), false);
		} else {
			task->y = doubles(one_two, &columns);
		}
		assert_int_equal(task_run(engine, task), STATUS_OK);
		/* [0][0] = 1, [1][1] = 10: 1 * 1 + 5 * 10 */
		assert_true(answer(task, 0) == 51);
		task_destroy(task);
		spool_destroy(spool);
	}
}

static void second_array_of_another_length(void **state)
{
	struct array_desc unknown = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {ARRAY_UNKNOWN}};

	(void)state;
	for (unsigned pushed = 5; pushed <= 7; pushed++) {
		struct task *task = task_of("dot");
		double x[7] = {1, 1, 1, 1, 1, 1, 1};

		task->y = doubles(six, &flat);
		task_begin(engine, task, &unknown, false);
		task_push(task, x, pushed * sizeof(double));
		assert_int_equal(task_end(task), pushed == 6 ? STATUS_OK : STATUS_BAD_SHAPE);
		if (pushed == 6)
			assert_true(answer(task, 0) == 21);
		task_destroy(task);
	}
}

static void fortran_scan_is_in_c_order(void **state)
{
	struct task *task = task_of("sum");

	(void)state;
	task->job.kind = JOB_SCAN;
	task->x = doubles(six, &columns); /* C order: 1 3 5 2 4 6 */
	assert_int_equal(task_run(engine, task), STATUS_OK);
	assert_true(answer(task, 1) == 4 && answer(task, 2) == 9 && answer(task, 3) == 11);
	assert_int_equal(task->result->ndim, 1);
	task_destroy(task);
}

static void bodies_that_do_not_fit(void **state)
{
	struct array_desc unknown = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {ARRAY_UNKNOWN}};
	struct task *task = task_of("sum");

	(void)state;
	task_begin(engine, task, &flat, false);
	task_push(task, six, 40);
	assert_int_equal(task_end(task), STATUS_BAD_SHAPE);
	assert_null(task->result);
	task_destroy(task);

	task = task_of("sum");
	task_begin(engine, task, &unknown, false);
	task_push(task, six, 43);
	assert_int_equal(task_end(task), STATUS_BAD_SHAPE);
	task_destroy(task);

	task = task_of("sum");
	task_begin(engine, task, &unknown, true);
	task_push(task, "\x3f\xf0\0\0\0\0\0\0", 8);
	assert_int_equal(task_end(task), STATUS_OK);
	assert_true(answer(task, 0) == 1);
	task_destroy(task);
}

static void first_failure_sticks(void **state)
{
	double nan_at_1[] = {1, 0.0 / 0.0, 0.0 / 0.0};
	struct array_desc three = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {3}};
	struct task *task = task_of("sum");

	(void)state;
	task->job.nan = NAN_ERROR;
	task->job.index_base = 1000;
	task->job.given.index_base = true;
	task->x = doubles(nan_at_1, &three);
	assert_int_equal(task_run(engine, task), STATUS_NAN_FOUND);
	assert_true(task->error.has_index);
	assert_int_equal(task->error.index, 1001);
	assert_null(task->result);
	task_destroy(task);

	task = task_of("sum");
	task->job.has_axis = true;
	task->job.axis_count = 1;
	task->job.axes[0] = 5;
	task_begin(engine, task, &flat, false);
	assert_int_equal(task_push(task, six, 8), STATUS_BAD_VALUE);
	assert_int_equal(task_end(task), STATUS_BAD_VALUE);
	task_destroy(task);
}

static void cancelled_task_stops(void **state)
{
	struct task *task = task_of("sum");

	(void)state;
	task->x = doubles(six, &flat);
	atomic_store(&task->cancelled, true);
	assert_int_equal(task_run(engine, task), STATUS_TIMEOUT);
	task_destroy(task);

	task = task_of("sum");
	task_begin(engine, task, &flat, false);
	assert_int_equal(task_push(task, six, 8), STATUS_OK);
	atomic_store(&task->cancelled, true);
	assert_int_equal(task_push(task, six, 8), STATUS_TIMEOUT);
	task_destroy(task);
}

static void result_goes_to_a_file(void **state)
{
	char path[] = "/tmp/foldd-task-XXXXXX";
	int fd = mkstemp(path);
	struct task *task = task_of("sum");
	double last;

	(void)state;
	unlink(path);
	task->job.kind = JOB_SCAN;
	task->x = doubles(six, &flat);
	task->output_fd = fd;
	task->output_reserve = 128;
	assert_int_equal(task_run(engine, task), STATUS_OK);
	assert_int_equal(pread(fd, &last, sizeof(last), 128 + 5 * 8), 8);
	assert_true(last == 21);
	task_destroy(task);
	close(fd);
}

/* Refused before an element is read: a NaN further on is not found. */
static void results_without_room(void **state)
{
	static const double nan_first[] = {0.0 / 0.0, 2, 3, 4, 5, 6};

	(void)state;
	for (int scan = 0; scan < 2; scan++)
		for (uint64_t most = 2; most <= 6; most++) {
			struct task *task = task_of("sum");
			uint64_t results = scan ? 6 : 3;

			task->job.kind = scan ? JOB_SCAN : JOB_REDUCE;
			task->job.nan = NAN_ERROR;
			task->job.has_axis = true;
			task->job.axis_count = 1;
			task->most_elements = most;
			task->x = doubles(nan_first, &table);
			assert_int_equal(task_run(engine, task),
					 most < results ? STATUS_TOO_LARGE : STATUS_NAN_FOUND);
			task_destroy(task);
		}
}

static void unknown_backend_and_refusal(void **state)
{
	struct error err = {.status = STATUS_BAD_JOB, .text = "no"};
	struct task *task = task_of("sum");

	(void)state;
	task->x = doubles(six, &flat);
	task->job.backend = BACKEND_CUDA;
	task->job.has_device = true;
	task->job.device = 9999; /* on no machine */
	assert_int_equal(task_run(engine, task), STATUS_NO_SUCH_BACKEND);
	task_destroy(task);

	task = task_of("sum");
	task->x = doubles(six, &flat);
	task_refuse(task, &err);
	assert_int_equal(task_run(engine, task), STATUS_BAD_JOB);
	assert_int_equal(task_cost_ns(engine, task), 0);
	task_destroy(task);
}

static int setup(void **state)
{
	struct engine_config config = {.threads = 2};

	(void)state;
	limits_default(&config.limits);
	return engine_create(&config, &engine, NULL) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	engine_destroy(engine);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_and_fills_the_result),
		cmocka_unit_test(dot_of_arrays_stored_differently),
		cmocka_unit_test(second_array_of_another_length),
		cmocka_unit_test(fortran_scan_is_in_c_order),
		cmocka_unit_test(bodies_that_do_not_fit),
		cmocka_unit_test(first_failure_sticks),
		cmocka_unit_test(cancelled_task_stops),
		cmocka_unit_test(result_goes_to_a_file),
		cmocka_unit_test(results_without_room),
		cmocka_unit_test(unknown_backend_and_refusal),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
