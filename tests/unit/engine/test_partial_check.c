/* Which jobs may ask for their partial result, and what becomes of results that
 * a part has not. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "engine/plan.h"
#include "tests/unit/cpu/harness.h"
#include "tests/unit/engine/partial_runs.h"
#include <cmocka.h> /* last: it defines fail() */

static struct engine *engine;
static struct limits limits;

static enum status plan(const struct job *job, enum dtype dtype, struct error *err)
{
	static struct plan out;
	struct array_desc desc = {.dtype = dtype, .ndim = 1, .shape = {4}};
	bool pair = job->ops[0].spec.op == OP_DOT;

	*err = (struct error){0};
	return plan_make(&out, job, &desc, pair ? &desc : NULL, &limits, err);
}

static void every_operation_and_promise(void **state)
{
	static const char *const floats[] = {"sum", "mean", "sumsq", "dot",
					     "l1",  "l2",   "var",   "std"};
	static const char *const always[] = {"min",   "max",           "argmin", "argmax", "linf",
					     "count", "count_nonzero", "any",    "all"};
	static const char *const never[] = {"lp:3", "logsumexp", "lp:1"};
	struct error err;

	(void)state;
	for (int d = DETERMINISM_NONE; d <= DETERMINISM_EXACT; d++) {
		struct job job;

		for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
			job = runs_job(floats[i], (enum determinism)d);
			job.partial = true;
			assert_int_equal(plan(&job, DTYPE_INT8, &err), STATUS_OK);
			assert_int_equal(plan(&job, DTYPE_BOOL, &err), STATUS_OK);
			if (d == DETERMINISM_EXACT) {
				assert_int_equal(plan(&job, DTYPE_FLOAT32, &err), STATUS_OK);
				continue;
			}
			assert_int_equal(plan(&job, DTYPE_FLOAT32, &err), STATUS_BAD_JOB);
			assert_string_equal(err.pointer, "/partial");
			assert_non_null(strstr(
				err.text, " of float32 is merged only under determinism exact"));
			assert_memory_equal(err.text, floats[i], strlen(floats[i]));
		}
		for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
			job = runs_job(always[i], (enum determinism)d);
			job.partial = true;
			for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
				assert_int_equal(plan(&job, (enum dtype)dtype, &err), STATUS_OK);
		}
		for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
			job = runs_job(never[i], (enum determinism)d);
			job.partial = true;
			assert_int_equal(plan(&job, DTYPE_INT32, &err),
					 d == DETERMINISM_EXACT ? STATUS_EXACT_UNSUPPORTED
								: STATUS_BAD_JOB);
			assert_string_equal(err.pointer,
					    d == DETERMINISM_EXACT ? "/op" : "/partial");
		}
		job = runs_job("prod", (enum determinism)d);
		job.partial = true;
		assert_int_equal(plan(&job, DTYPE_UINT64, &err), STATUS_OK);
		assert_int_not_equal(plan(&job, DTYPE_FLOAT64, &err), STATUS_OK);
	}
}

static void whole_arrays_alone(void **state)
{
	int64_t offsets[] = {0, 2, 4};
	struct job scan = runs_job("sum", DETERMINISM_EXACT);
	struct job axis = scan, segments = scan, based = scan;
	struct error err;

	(void)state;
	scan.kind = JOB_SCAN;
	axis.has_axis = true;
	axis.axis_count = 1;
	segments.has_segments = true;
	segments.segment_count = 2;
	segments.offsets = offsets;
	scan.partial = axis.partial = segments.partial = true;
	assert_int_equal(plan(&scan, DTYPE_INT8, &err), STATUS_BAD_JOB);
	assert_string_equal(err.pointer, "/partial");
	assert_int_equal(plan(&axis, DTYPE_INT8, &err), STATUS_BAD_JOB);
	assert_string_equal(err.pointer, "/partial");
	assert_non_null(strstr(err.text, "not of axes"));
	assert_int_equal(plan(&segments, DTYPE_INT8, &err), STATUS_BAD_JOB);
	assert_non_null(strstr(err.text, "not of segments"));

	/* A place in the whole means something to parts alone. */
	based.index_base = 3;
	based.given.index_base = true;
	assert_int_equal(plan(&based, DTYPE_INT8, &err), STATUS_BAD_JOB);
	assert_string_equal(err.pointer, "/index_base");
	based.partial = true;
	assert_int_equal(plan(&based, DTYPE_INT8, &err), STATUS_OK);
}

static bool is_null(const struct result *result, unsigned i)
{
	unsigned char null = 0;

	if (result->ops[i].nulls != NULL)
		assert_int_equal(spool_read(result->ops[i].nulls, 0, &null, 1, NULL), STATUS_OK);
	return null != 0;
}

static void results_that_a_part_has_not(void **state)
{
	static const int64_t x[] = {INT64_MAX, 1};
	struct array_desc desc = {.dtype = DTYPE_INT64, .ndim = 1, .shape = {2}};
	struct job job = runs_job("sum,max", DETERMINISM_ORDERED);
	struct task *task;

	(void)state;
	task = runs_reduce(engine, &job, &desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_INTEGER_OVERFLOW);
	task_destroy(task);

	job.partial = true;
	task = runs_reduce(engine, &job, &desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	assert_true(is_null(task->result, 0));
	assert_false(is_null(task->result, 1));
	task_destroy(task);

	desc.shape[0] = 0;
	task = runs_reduce(engine, &job, &desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	assert_false(is_null(task->result, 0));
	assert_true(is_null(task->result, 1));
	assert_non_null(task->result->partial);
	task_destroy(task);
}

/* An index of the whole that is no int64 cannot be kept. */
static void indices_stay_indices(void **state)
{
	static const int8_t x[] = {1, 5};
	struct array_desc desc = {.dtype = DTYPE_INT8, .ndim = 1, .shape = {2}};
	struct job job = runs_job("argmax", DETERMINISM_EXACT);
	struct task *task;

	(void)state;
	job.partial = true;
	job.index_base = INT64_MAX;
	task = runs_reduce(engine, &job, &desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_BAD_VALUE);
	assert_string_equal(task->error.pointer, "/index_base");
	task_destroy(task);

	job = runs_job("max", DETERMINISM_EXACT);
	job.partial = true;
	job.index_base = UINT64_MAX;
	task = runs_reduce(engine, &job, &desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	task_destroy(task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_and_promise),
		cmocka_unit_test(whole_arrays_alone),
		cmocka_unit_test(results_that_a_part_has_not),
		cmocka_unit_test(indices_stay_indices),
	};
	int failed;

	limits_default(&limits);
	engine = harness_engine(1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	engine_destroy(engine);
	return failed;
}
