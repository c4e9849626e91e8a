/* test_backend.c - the CUDA backend beside the CPU's: random jobs of every kind
 * through the engine on both, from several threads; statuses, errors, bits, counts
 * and partials must be equal. FOLDD_GPU_JOBS says how many of each family (300). */
#include "config.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "engine/clock.h"
#include "tests/gpu/has_device.h"
#include "tests/gpu/run_job.h"
#include "tests/unit/cpu/harness.h"

#define MAX_THREADS 16u
#define SHOWN 5u /* failures described, of each family */

static struct engine *engine;

/* --- many of them -------------------------------------------------------------------- */

struct trial {
	enum family family;
	bool resident; /* the elements lie on the device already */
	uint64_t jobs;
	atomic_uint_fast64_t next, computed, refused, different, on_device;
};

/* The first element of a result that differs, as bits. */
static void show_element(const struct result *a, const struct result *b)
{
	for (unsigned i = 0; a != NULL && b != NULL && i < a->op_count; i++) {
		size_t size = dtype_size(a->ops[i].dtype);
		uint64_t count = spool_size(a->ops[i].data) / size;
		const char *x = spool_data(a->ops[i].data), *y = spool_data(b->ops[i].data);

		for (uint64_t k = 0; x != NULL && y != NULL && k < count; k++) {
			uint64_t p = 0, q = 0;

			memcpy(&p, x + k * size, size);
			memcpy(&q, y + k * size, size);
			if (p == q)
				continue;
			print_message("  %s of line %llu: cpu %016llx, gpu %016llx\n",
				      a->ops[i].key, (unsigned long long)k, (unsigned long long)p,
				      (unsigned long long)q);
			return;
		}
	}
}

static void show(struct trial *trial, const struct random_job *job, const struct task *cpu,
		 const struct task *cuda, const char *what)
{
	if (atomic_fetch_add(&trial->different, 1) >= SHOWN)
		return;
	print_message("DIFFERENT %s: %s\n  cpu %s %s\n  gpu %s %s\n", what, job->text,
		      status_code(cpu->error.status), cpu->error.text,
		      status_code(cuda->error.status), cuda->error.text);
	show_element(cpu->result, cuda->result);
}

static void *work(void *context)
{
	struct trial *trial = context;
	uint64_t number;

	while ((number = atomic_fetch_add(&trial->next, 1)) < trial->jobs) {
		struct random_job job;
		struct task *cpu, *cuda;
		const char *what;

		random_job_make(&job, trial->family, number);
		cpu = run_job(engine, &job, BACKEND_CPU);
		cuda = trial->resident ? run_resident(engine, &job)
				       : run_job(engine, &job, BACKEND_CUDA);
		atomic_fetch_add(
			cpu->error.status == STATUS_OK ? &trial->computed : &trial->refused, 1);
		if (cuda->result != NULL && strncmp(cuda->result->backend, "cuda", 4) == 0)
			atomic_fetch_add(&trial->on_device, 1);
		what = task_difference(cpu, cuda);
		if (what != NULL)
			show(trial, &job, cpu, cuda, what);
		task_destroy(cpu);
		task_destroy(cuda);
		random_job_deinit(&job);
	}
	return NULL;
}

static void check_family(enum family family, bool resident)
{
	const char *text = getenv("FOLDD_GPU_JOBS");
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned count = processors < 1                   ? 1
			 : processors > (long)MAX_THREADS ? MAX_THREADS
							  : (unsigned)processors;
	struct trial trial = {.family = family,
			      .resident = resident,
			      .jobs = text != NULL ? strtoul(text, NULL, 10) : 300};
	pthread_t threads[MAX_THREADS];
	uint64_t begin = clock_ns();

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &trial), 0);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	print_message("%s%s: %llu jobs computed (%llu on the device), %llu with an error, "
		      "%llu different, %.2f s\n",
		      family_name(family), resident ? ", resident" : "",
		      (unsigned long long)trial.computed, (unsigned long long)trial.on_device,
		      (unsigned long long)trial.refused, (unsigned long long)trial.different,
		      (double)(clock_ns() - begin) * 1e-9);
	assert_int_equal(trial.different, 0);
	assert_true(trial.on_device > trial.jobs / 4);
}

#define FAMILY_TEST(name, family)            \
	static void name(void **state)       \
	{                                    \
		(void)state;                 \
		check_family(family, false); \
	}

FAMILY_TEST(whole_arrays, FAMILY_WHOLE)
FAMILY_TEST(axes, FAMILY_AXES)
FAMILY_TEST(segments, FAMILY_SEGMENTS)
FAMILY_TEST(scans, FAMILY_SCAN)
FAMILY_TEST(dots, FAMILY_DOT)
FAMILY_TEST(many_operations, FAMILY_MANY)
FAMILY_TEST(any_order, FAMILY_NONE)
FAMILY_TEST(partials, FAMILY_PARTIAL)
FAMILY_TEST(streams, FAMILY_STREAM)

static void resident_arrays(void **state)
{
	(void)state;
	for (unsigned family = 0; family < FAMILY_COUNT; family++)
		if (family != FAMILY_STREAM)
			check_family((enum family)family, true);
}

/* --- more values than are kept at a time ---------------------------------------------- */

static void expect_same(struct random_job *job)
{
	struct task *cpu, *cuda;
	const char *what;

	array_count(&job->desc, &job->count, NULL);
	job->x = harness_data(job->desc.dtype, job->count, DATA_SPECIAL, job->count);
	cpu = run_job(engine, job, BACKEND_CPU);
	cuda = run_job(engine, job, BACKEND_CUDA);
	assert_int_equal(cpu->error.status, STATUS_OK);
	what = task_difference(cpu, cuda);
	if (what != NULL)
		print_error("%s: %s %s, %s %s\n", what, status_code(cpu->error.status),
			    cpu->error.text, status_code(cuda->error.status), cuda->error.text);
	assert_null(what);
	task_destroy(cpu);
	task_destroy(cuda);
	random_job_deinit(job);
}

/* var under exact takes 2.2 KB a line: these go in several parts. */
static struct random_job wide_job(unsigned ndim, const uint64_t *shape)
{
	struct random_job job = {.desc = {.dtype = DTYPE_FLOAT32, .ndim = ndim}};

	memcpy(job.desc.shape, shape, ndim * sizeof(*shape));
	job.job = harness_job(JOB_REDUCE, "var", DETERMINISM_EXACT);
	job.job.nan = NAN_OMIT;
	job.job.empty_null = true;
	if (op_parse("argmax", &job.job.ops[1].spec, NULL) != STATUS_OK)
		abort();
	job.job.op_count = 2;
	return job;
}

static void parts_of_lines(void **state)
{
	struct random_job job = wide_job(2, (const uint64_t[]){100003, 3});

	(void)state;
	job.job.has_axis = true;
	job.job.axis_count = 1;
	job.job.axes[0] = 1;
	expect_same(&job);
}

static void parts_of_columns(void **state)
{
	struct random_job job = wide_job(3, (const uint64_t[]){5001, 3, 17});

	(void)state;
	job.job.has_axis = true;
	job.job.axis_count = 1;
	job.job.axes[0] = 1;
	expect_same(&job);
	/* One block of columns that is larger than a part. */
	job = wide_job(2, (const uint64_t[]){3, 70001});
	job.job.has_axis = true;
	job.job.axis_count = 1;
	job.job.axes[0] = 0;
	expect_same(&job);
}

static void parts_of_a_grid(void **state)
{
	struct random_job job = wide_job(4, (const uint64_t[]){7001, 2, 11, 3});

	(void)state;
	job.job.ops[1] = job.job.ops[0];
	job.job.op_count = 1;
	job.job.has_axis = true;
	job.job.axis_count = 2;
	job.job.axes[0] = 1;
	job.job.axes[1] = 3;
	expect_same(&job);
}

static void some_segments(struct random_job *job, uint64_t count)
{
	uint64_t seed = 1, elements = job->desc.shape[0];

	job->job.has_segments = true;
	job->job.segment_count = count;
	job->job.offsets = malloc((count + 1) * sizeof(*job->job.offsets));
	assert_non_null(job->job.offsets);
	job->job.offsets[0] = 0;
	for (uint64_t i = 1; i < count; i++) {
		uint64_t length = harness_random(&seed) % (2 * elements / count + 1);
		uint64_t left = elements - (uint64_t)job->job.offsets[i - 1];

		job->job.offsets[i] =
			job->job.offsets[i - 1] + (int64_t)(length < left ? length : left);
	}
	job->job.offsets[count] = (int64_t)elements;
}

static void parts_of_segments(void **state)
{
	struct random_job job = wide_job(1, (const uint64_t[]){300000});

	(void)state;
	some_segments(&job, 90000);
	expect_same(&job);
}

/* 112 bytes a line, some tiles long at the end. */
static void parts_of_ordered_segments(void **state)
{
	static const char *const ops[] = {"sum", "std", "l2", "logsumexp", "min", "argmax"};
	struct random_job job = wide_job(1, (const uint64_t[]){1400000});

	(void)state;
	job.desc.dtype = DTYPE_FLOAT64;
	job.job.determinism = DETERMINISM_ORDERED;
	job.job.op_count = 0;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (op_parse(ops[i], &job.job.ops[job.job.op_count++].spec, NULL) != STATUS_OK)
			abort();
	some_segments(&job, 650000);
	expect_same(&job);
}

/* --- what is the backend's own --------------------------------------------------------- */

static void devices_have_figures(void **state)
{
	unsigned cuda = 0;

	(void)state;
	for (unsigned i = 0; i < engine_backend_count(engine); i++) {
		struct backend_caps caps;

		engine_backend_describe(engine, i, &caps);
		if (strncmp(caps.name, "cuda:", 5) != 0)
			continue;
		cuda++;
		print_message("%s: %s, launch %llu ns, read %.0f GB/s, in %.1f, out %.1f GB/s\n",
			      caps.name, caps.device, (unsigned long long)caps.launch_ns,
			      caps.bytes_per_second * 1e-9, caps.in_bytes_per_second * 1e-9,
			      caps.out_bytes_per_second * 1e-9);
		assert_true(caps.memory > 0 && caps.launch_ns > 0);
		assert_true(caps.bytes_per_second > 0 && caps.in_bytes_per_second > 0 &&
			    caps.out_bytes_per_second > 0);
	}
	assert_true(cuda > 0);
}

/* A small job of `auto` is no device's. */
static void small_jobs_stay_on_the_cpu(void **state)
{
	static double x[16] = {1};
	const struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {16}};
	struct random_job job = {.desc = desc, .count = 16, .x = x};
	struct task *task;

	(void)state;
	job.job = harness_job(JOB_REDUCE, "sum", DETERMINISM_ORDERED);
	task = run_job(engine, &job, BACKEND_AUTO);
	assert_int_equal(task->error.status, STATUS_OK);
	assert_string_equal(task->result->backend, "cpu");
	task_destroy(task);
}

static void none_says_how_it_combined(void **state)
{
	static float x[3] = {1, 2, 3};
	const struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {3}};
	struct random_job job = {.desc = desc, .count = 3, .x = x};
	struct task *task;

	(void)state;
	job.job = harness_job(JOB_REDUCE, "sum", DETERMINISM_NONE);
	task = run_job(engine, &job, BACKEND_CUDA);
	assert_int_equal(task->error.status, STATUS_OK);
	assert_int_equal(task->result->ops[0].combine, COMBINE_ATOMIC);
	assert_int_equal(*(const uint32_t *)spool_data(task->result->ops[0].data), 0x40c00000);
	task_destroy(task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_have_figures),
		cmocka_unit_test(small_jobs_stay_on_the_cpu),
		cmocka_unit_test(none_says_how_it_combined),
		cmocka_unit_test(whole_arrays),
		cmocka_unit_test(axes),
		cmocka_unit_test(segments),
		cmocka_unit_test(scans),
		cmocka_unit_test(dots),
		cmocka_unit_test(many_operations),
		cmocka_unit_test(any_order),
		cmocka_unit_test(partials),
		cmocka_unit_test(streams),
		cmocka_unit_test(resident_arrays),
		cmocka_unit_test(parts_of_lines),
		cmocka_unit_test(parts_of_columns),
		cmocka_unit_test(parts_of_a_grid),
		cmocka_unit_test(parts_of_segments),
		cmocka_unit_test(parts_of_ordered_segments),
	};
	int failed;

	engine = harness_engine(2);
	if (!has_device(engine)) {
		engine_destroy(engine);
		return no_device();
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	engine_destroy(engine);
	return failed;
}
