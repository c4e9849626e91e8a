/* test_runs.c - whether the bits of an answer depend on the run: sums of one array a
 * thousand times, random jobs twenty times beside each other, and an array whose
 * indices need more than 32 bits. FOLDD_GPU_JOBS says how many jobs of each family
 * (112: a thousand in all). */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "engine/clock.h"
#include "engine/resident.h"
#include "engine/resident_source.h"
#include "tests/gpu/has_device.h"
#include "tests/gpu/run_job.h"
#include "tests/unit/cpu/harness.h"

#define RUNS 1000u
#define REPEATS 20u
#define THREADS 8u

static struct engine *engine;

/* --- one array, many runs ---------------------------------------------------------- */

/* Normal deviates (Box and Muller, 1958), rounded to float32. */
static float *normal(uint64_t count)
{
	float *out = malloc(count * sizeof(*out));
	uint64_t seed = 1;

	if (out == NULL)
		abort();
	for (uint64_t i = 0; i < count; i += 2) {
		double u = ((double)(harness_random(&seed) >> 11) + 1) * 0x1p-53;
		double v = (double)(harness_random(&seed) >> 11) * 0x1p-53;
		double r = sqrt(-2 * log(u)), angle = 2 * 3.14159265358979323846 * v;

		out[i] = (float)(r * cos(angle));
		if (i + 1 < count)
			out[i + 1] = (float)(r * sin(angle));
	}
	return out;
}

static uint64_t bits_of(const struct task *task)
{
	uint64_t bits = 0;

	if (task->error.status != STATUS_OK)
		print_error("%s: %s\n", status_code(task->error.status), task->error.text);
	assert_int_equal(task->error.status, STATUS_OK);
	memcpy(&bits, spool_data(task->result->ops[0].data),
	       dtype_size(task->result->ops[0].dtype));
	return bits;
}

static uint64_t sum_of(struct resident *array, enum determinism determinism, enum dtype dtype)
{
	struct task *task = task_create();
	struct error err;
	uint64_t bits;

	assert_non_null(task);
	task->job = harness_job(JOB_REDUCE, "sum", determinism);
	task->job.ops[0].has_out_dtype = true;
	task->job.ops[0].out_dtype = dtype;
	assert_int_equal(source_from_resident(array, NULL, &task->x, &err), STATUS_OK);
	task_run(engine, task);
	bits = bits_of(task);
	assert_true(strncmp(task->result->backend, "cuda", 4) == 0);
	task_destroy(task);
	return bits;
}

/* Distinct answers of RUNS runs; the first to *bits. */
static unsigned distinct(struct resident *array, enum determinism determinism, enum dtype dtype,
			 uint64_t *bits)
{
	static uint64_t seen[RUNS];
	unsigned count = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		uint64_t one = sum_of(array, determinism, dtype);
		unsigned i = 0;

		while (i < count && seen[i] != one)
			i++;
		if (i == count)
			seen[count++] = one;
	}
	*bits = seen[0];
	return count;
}

static void sums_of_one_array(void **state)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {1u << 26}};
	static const enum determinism promises[] = {DETERMINISM_ORDERED, DETERMINISM_EXACT};
	struct random_job job = {.desc = desc, .count = desc.shape[0], .x = normal(desc.shape[0])};
	struct resident *array = put_array(engine, &desc, job.x);
	uint64_t bits;
	unsigned count = distinct(array, DETERMINISM_NONE, DTYPE_FLOAT32, &bits);

	/* Blocks add float64 sums: what varies is mostly gone when a sum is rounded
	 * to float32. */
	(void)state;
	print_message("none: %u distinct answers in %u runs as float32, ", count, RUNS);
	count = distinct(array, DETERMINISM_NONE, DTYPE_FLOAT64, &bits);
	print_message("%u as float64\n", count);
	assert_true(count >= 2);
	for (unsigned i = 0; i < 2; i++) {
		struct task *cpu;

		count = distinct(array, promises[i], DTYPE_FLOAT64, &bits);
		print_message("%s: %u distinct\n", i == 0 ? "ordered" : "exact", count);
		assert_int_equal(count, 1);
		job.job = harness_job(JOB_REDUCE, "sum", promises[i]);
		job.job.ops[0].has_out_dtype = true;
		job.job.ops[0].out_dtype = DTYPE_FLOAT64;
		cpu = run_job(engine, &job, BACKEND_CPU);
		assert_int_equal(bits_of(cpu), bits);
		task_destroy(cpu);
	}
	resident_release(array);
	random_job_deinit(&job);
}

/* --- many jobs, beside each other ----------------------------------------------------- */

struct repeated {
	struct random_job job;
	struct task *first;
};

struct trial {
	struct repeated *jobs;
	uint64_t count; /* of jobs */
	atomic_uint_fast64_t next, different;
};

/* Each thread takes them in another order: a job's neighbours change from run to run. */
static void *repeat(void *context)
{
	struct trial *trial = context;
	uint64_t number;

	while ((number = atomic_fetch_add(&trial->next, 1)) < trial->count * REPEATS) {
		uint64_t run = number / trial->count;
		uint64_t at = (number % trial->count * (2 * run + 1) + run) % trial->count;
		const struct repeated *one = &trial->jobs[at];
		struct task *again = run % 2 == 0 || one->job.pieces != 0
					     ? run_job(engine, &one->job, BACKEND_CUDA)
					     : run_resident(engine, &one->job);
		const char *what = task_difference(one->first, again);

		if (what != NULL && atomic_fetch_add(&trial->different, 1) < 5)
			print_error("DIFFERENT %s in run %llu: %s\n", what, (unsigned long long)run,
				    one->job.text);
		task_destroy(again);
	}
	return NULL;
}

static void jobs_beside_each_other(void **state)
{
	const char *text = getenv("FOLDD_GPU_JOBS");
	uint64_t each = text != NULL ? strtoul(text, NULL, 10) : 112, begin = clock_ns();
	struct trial trial = {.count = each * FAMILY_COUNT};
	pthread_t threads[THREADS];

	(void)state;
	trial.jobs = calloc(trial.count, sizeof(*trial.jobs));
	assert_non_null(trial.jobs);
	for (uint64_t i = 0; i < trial.count; i++) {
		random_job_make(&trial.jobs[i].job, (enum family)(i % FAMILY_COUNT),
				1000000 + i / FAMILY_COUNT);
		trial.jobs[i].first = run_job(engine, &trial.jobs[i].job, BACKEND_CPU);
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, repeat, &trial), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	print_message("%llu jobs, %u times by %u threads: %llu differ from the CPU's answer, "
		      "%.1f s\n",
		      (unsigned long long)trial.count, REPEATS, THREADS,
		      (unsigned long long)trial.different, (double)(clock_ns() - begin) * 1e-9);
	for (uint64_t i = 0; i < trial.count; i++) {
		task_destroy(trial.jobs[i].first);
		random_job_deinit(&trial.jobs[i].job);
	}
	free(trial.jobs);
	assert_int_equal(trial.different, 0);
}

/* --- indices of more than 32 bits -------------------------------------------------------- */

#define LAST (1ull << 32)

static void expect_result(const struct task *task, unsigned op, double wanted)
{
	const struct result_op *result = &task->result->ops[op];
	double value;

	if (result->dtype == DTYPE_INT64) {
		value = (double)*(const int64_t *)spool_data(result->data);
	} else {
		assert_int_equal(result->dtype, DTYPE_FLOAT64);
		value = *(const double *)spool_data(result->data);
	}
	assert_true(value == wanted);
}

static void beyond_32_bits(void **state)
{
	static const struct {
		const char *op;
		double value;
	} wanted[] = {
		{"sum", 4},
		{"sumsq", 30},
		{"min", -2},
		{"max", 5},
		{"argmin", (double)(LAST / 2)},
		{"argmax", (double)LAST},
	};
	const struct array_desc desc = {.dtype = DTYPE_FLOAT16, .ndim = 1, .shape = {LAST + 1}};
	static const enum determinism promises[] = {DETERMINISM_NONE, DETERMINISM_ORDERED,
						    DETERMINISM_EXACT};
	uint16_t *x = calloc(desc.shape[0], sizeof(*x));

	(void)state;
	assert_non_null(x);
	x[7] = 0x3c00;        /* 1 */
	x[LAST / 2] = 0xc000; /* -2 */
	x[LAST] = 0x4500;     /* 5 */
	for (unsigned promise = 0; promise < 3; promise++) {
		struct task *task = task_create();
		unsigned ops = sizeof(wanted) / sizeof(wanted[0]);

		assert_non_null(task);
		task->job = harness_job(JOB_REDUCE, "sum", promises[promise]);
		task->job.backend = BACKEND_CUDA;
		task->job.op_count = ops;
		for (unsigned i = 0; i < ops; i++) {
			struct job_op *op = &task->job.ops[i];

			assert_int_equal(op_parse(wanted[i].op, &op->spec, NULL), STATUS_OK);
			op->has_out_dtype = i < 4;
			op->out_dtype = DTYPE_FLOAT64;
		}
		task->x = source_over_memory(&desc, x);
		task_run(engine, task);
		if (task->error.status != STATUS_OK)
			print_error("%s\n", task->error.text);
		assert_int_equal(task->error.status, STATUS_OK);
		assert_true(strncmp(task->result->backend, "cuda", 4) == 0);
		assert_int_equal(task->result->count, LAST + 1);
		for (unsigned i = 0; i < ops; i++)
			expect_result(task, i, wanted[i].value);
		task_destroy(task);
	}
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_one_array),
		cmocka_unit_test(jobs_beside_each_other),
		cmocka_unit_test(beyond_32_bits),
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
