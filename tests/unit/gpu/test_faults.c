/* test_faults.c - what the CUDA backend does when its device runs out of memory,
 * breaks, or is not there: on the fake device. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "engine/plan.h"
#include "tests/unit/cpu/harness.h"
#include "tests/unit/gpu/fake_cuda.h"

#define COUNT (1u << 20) /* float64: too large for the queue's own memory */

static struct engine *engine;

static struct task *sum(enum backend_choice backend, bool has_device, unsigned device)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {COUNT}};
	struct task *task = task_create();

	assert_non_null(task);
	task->job = harness_job(JOB_REDUCE, "sum", DETERMINISM_EXACT);
	task->job.backend = backend;
	task->job.has_device = has_device;
	task->job.device = device;
	task->x = source_from_memory(&desc, harness_data(DTYPE_FLOAT64, COUNT, DATA_PLAIN, 1));
	task_run(engine, task);
	return task;
}

static void expect_backend(enum backend_choice choice, const char *backend)
{
	struct task *task = sum(choice, false, 0);

	assert_int_equal(task->error.status, STATUS_OK);
	assert_string_equal(task->result->backend, backend);
	task_destroy(task);
}

static int set_up(void **state)
{
	(void)state;
	engine = harness_engine(1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	engine_destroy(engine);
	fake_break(false);
	fake_limit_pool(UINT64_MAX);
	fake_devices(1, true);
	return fake_pool_bytes() == 0 ? 0 : -1;
}

static void devices_by_number(void **state)
{
	struct task *task;

	(void)state;
	expect_backend(BACKEND_CUDA, "cuda:0");
	task = sum(BACKEND_CUDA, true, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	task_destroy(task);
	task = sum(BACKEND_CUDA, true, 1);
	assert_int_equal(task->error.status, STATUS_NO_SUCH_BACKEND);
	assert_string_equal(task->error.pointer, "/backend");
	task_destroy(task);
}

static void without_memory_the_cpu_computes_after_a_trim(void **state)
{
	uint64_t trims = fake_pool_trims();

	(void)state;
	fake_limit_pool(0);
	expect_backend(BACKEND_CUDA, "cpu");
	assert_true(fake_pool_trims() > trims);

	fake_limit_pool(UINT64_MAX);
	expect_backend(BACKEND_CUDA, "cuda:0"); /* it was not lost */
}

/* More than the device has goes to the CPU, whatever was asked for. */
static void too_large_jobs_are_the_cpus(void **state)
{
	struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {1ull << 40}};
	struct job job = harness_job(JOB_REDUCE, "sum", DETERMINISM_ORDERED);
	struct plan *plan = malloc(sizeof(*plan));
	struct chosen_backend chosen;
	struct limits limits;

	(void)state;
	assert_non_null(plan);
	limits_default(&limits);
	job.backend = BACKEND_CUDA;
	assert_int_equal(plan_make(plan, &job, &desc, NULL, &limits, NULL), STATUS_OK);
	assert_int_equal(engine_choose(engine, plan, 1ull << 40, &chosen, NULL), STATUS_OK);
	assert_string_equal(chosen.ops->name, "cpu");
	assert_int_equal(engine_choose(engine, plan, 1ull << 20, &chosen, NULL), STATUS_OK);
	assert_string_equal(chosen.ops->name, "cuda");
	free(plan);
}

/* In pieces; the device breaks after half of them. */
static void expect_pushed(const struct job *job, const double *x, bool breaks, const char *backend,
			  double *sum)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {COUNT}};
	struct task *task = task_create();

	assert_non_null(task);
	task->job = *job;
	task_begin(engine, task, &desc, false);
	task_push(task, x, COUNT / 2 * sizeof(*x) + 3);
	fake_break(breaks);
	task_push(task, (const char *)x + COUNT / 2 * sizeof(*x) + 3, COUNT / 2 * sizeof(*x) - 3);
	assert_int_equal(task_end(task), STATUS_OK);
	assert_string_equal(task->result->backend, backend);
	memcpy(sum, spool_data(task->result->ops[0].data), sizeof(*sum));
	task_destroy(task);
}

static void a_lost_device_loses_no_job(void **state)
{
	struct job job = harness_job(JOB_REDUCE, "sum", DETERMINISM_ORDERED);
	double *x = harness_data(DTYPE_FLOAT64, COUNT, DATA_PLAIN, 1);
	struct error err = {0};
	double before, meanwhile;

	(void)state;
	job.backend = BACKEND_CUDA;
	expect_pushed(&job, x, false, "cuda:0", &before);
	assert_int_equal(engine_backend_state(engine, 0, &err), STATUS_OK);
	expect_pushed(&job, x, true, "cpu", &meanwhile);
	assert_memory_equal(&before, &meanwhile, sizeof(before));
	assert_int_equal(engine_backend_state(engine, 0, &err), STATUS_BACKEND_UNAVAILABLE);
	assert_true(strstr(err.text, "cuda:0 is lost") != NULL);
	free(x);
	expect_backend(BACKEND_CUDA, "cpu");
	expect_backend(BACKEND_AUTO, "cpu");
}

/* One that works and one that does not, or none: the engine says why. */
static void absent_devices_are_told(void **state)
{
	(void)state;
	engine_destroy(engine);
	fake_devices(2, false);
	engine = harness_engine(1);
	assert_int_equal(engine_backend_count(engine), 1);
	assert_int_equal(engine_absent_count(engine), 2);
	assert_string_equal(engine_absent(engine, 1)->name, "cuda:1");
	assert_string_equal(engine_absent(engine, 1)->why, "it sums wrongly");

	engine_destroy(engine);
	fake_devices(0, true);
	engine = harness_engine(1);
	assert_int_equal(engine_backend_count(engine), 1);
	assert_int_equal(engine_absent_count(engine), 1);
	assert_string_equal(engine_absent(engine, 0)->name, "cuda");
	assert_string_equal(engine_absent(engine, 0)->why, "no CUDA device: none is faked");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(devices_by_number, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_memory_the_cpu_computes_after_a_trim,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_large_jobs_are_the_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lost_device_loses_no_job, set_up, tear_down),
		cmocka_unit_test_setup_teardown(absent_devices_are_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
