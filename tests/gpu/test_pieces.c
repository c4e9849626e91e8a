/* test_pieces.c - long lines that pass through the device in pieces (gpu/pieces.h):
 * answers, errors and partials are the CPU's, at lengths around whole pieces. On a
 * fake device, which takes its time, a few of them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "engine/order.h"
#include "tests/gpu/has_device.h"
#include "tests/gpu/run_job.h"
#include "tests/unit/cpu/harness.h"

#define PIECE ((uint64_t)ORDER_TILE * ORDER_TILE)

#define ROOM (2560ull << 20) /* bytes that a real device is left */

static struct engine *engine;
static uint64_t room; /* bytes of device memory */

struct many {
	const char *ops[8];
	enum determinism determinism;
	enum nan_rule nan;
	enum harness_data data;
	bool partial;
};

static const struct many of_floats[] = {
#ifndef FAKE_DEVICE
	{{"sum", "mean", "var", "l2", "min", "argmax"},
	 DETERMINISM_ORDERED,
	 NAN_PROPAGATE,
	 DATA_WIDE,
	 false},
	{{"prod"}, DETERMINISM_ORDERED, NAN_PROPAGATE, DATA_PLAIN, false},
	{{"logsumexp", "l1"}, DETERMINISM_ORDERED, NAN_PROPAGATE, DATA_PLAIN, false},
	{{"sum", "std", "count"}, DETERMINISM_ORDERED, NAN_OMIT, DATA_SPECIAL, false},
	{{"sum", "var", "l2", "linf"}, DETERMINISM_EXACT, NAN_OMIT, DATA_SPECIAL, true},
	{{"sum", "argmin"}, DETERMINISM_EXACT, NAN_ERROR, DATA_PLAIN, false},
	{{"max"}, DETERMINISM_ORDERED, NAN_ERROR, DATA_SPECIAL, false},
#endif
	{{"sum", "argmax"}, DETERMINISM_ORDERED, NAN_PROPAGATE, DATA_PLAIN, false},
};
static const struct many of_integers[] = {
#ifndef FAKE_DEVICE
	{{"mean", "var", "argmax"}, DETERMINISM_ORDERED, NAN_PROPAGATE, DATA_WIDE, false},
	{{"logsumexp"}, DETERMINISM_ORDERED, NAN_PROPAGATE, DATA_PLAIN, false},
	{{"sum", "l2"}, DETERMINISM_EXACT, NAN_PROPAGATE, DATA_WIDE, true},
	{{"count_nonzero", "all", "max"}, DETERMINISM_NONE, NAN_PROPAGATE, DATA_PLAIN, false},
#endif
	{{"sum", "argmin"}, DETERMINISM_EXACT, NAN_PROPAGATE, DATA_PLAIN, false},
};

#ifdef FAKE_DEVICE
static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_INT8};
static const uint64_t lengths[] = {2 * PIECE + 5000};
#else
static const enum dtype types[] = {DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT8, DTYPE_INT64};
static const uint64_t lengths[] = {2 * PIECE + 1, 3 * PIECE, 2 * PIECE + 12345};
#endif

static void expect_same(const struct random_job *job, const char *what)
{
	struct task *cpu = run_job(engine, job, BACKEND_CPU);
	struct task *cuda = run_job(engine, job, BACKEND_CUDA);
	const char *differs = task_difference(cpu, cuda);

	if (differs != NULL)
		print_error("%s: %s of %llu %s, %s: cpu %s, gpu %s\n", differs, what,
			    (unsigned long long)job->count, dtype_name(job->desc.dtype),
			    job->pieces != 0 ? "pushed" : "pulled", cpu->error.text,
			    cuda->error.text);
	assert_null(differs);
	task_destroy(cpu);
	task_destroy(cuda);
}

static void run_many(const struct many *many, const struct array_desc *desc, void *data)
{
	struct random_job job = {.desc = *desc, .count = desc->shape[0], .x = data};

	job.job = harness_job(JOB_REDUCE, many->ops[0], many->determinism);
	job.job.nan = many->nan;
	job.job.partial = many->partial;
	job.job.overflow = OVERFLOW_WRAP;
	for (unsigned i = 0; many->ops[i] != NULL; i++, job.job.op_count = i)
		assert_int_equal(op_parse(many->ops[i], &job.job.ops[i].spec, NULL), STATUS_OK);
	expect_same(&job, many->ops[0]);
	job.pieces = 7; /* pushed, its length not told */
	job.desc.shape[0] = ARRAY_UNKNOWN;
	expect_same(&job, many->ops[0]);
}

static void long_lines(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		const bool floats = dtype_is_float(types[t]);
		const struct many *all = floats ? of_floats : of_integers;
		const size_t count = floats ? sizeof(of_floats) / sizeof(of_floats[0])
					    : sizeof(of_integers) / sizeof(of_integers[0]);

		for (size_t k = 0; k < count; k++) {
			const struct many *many = &all[k];
			const size_t length = (t + k) % (sizeof(lengths) / sizeof(lengths[0]));
			const struct array_desc desc = {
				.dtype = types[t], .ndim = 1, .shape = {lengths[length]}};
			void *data = harness_data(types[t], desc.shape[0], many->data, k + 1);

			run_many(many, &desc, data);
			free(data);
		}
	}
}

/* More than the device has room for. */
static void larger_than_the_device(void **state)
{
#ifdef FAKE_DEVICE
	const struct array_desc desc = {
		.dtype = DTYPE_FLOAT16, .ndim = 1, .shape = {6 * PIECE + 1}};
#else
	const struct array_desc desc = {
		.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {48 * PIECE + 1}};
#endif
	struct random_job job = {.desc = desc, .count = desc.shape[0]};

	(void)state;
	assert_true(desc.shape[0] * dtype_size(desc.dtype) > room);
	job.job = harness_job(JOB_REDUCE, "sum", DETERMINISM_ORDERED);
	job.x = harness_data(desc.dtype, job.count, DATA_PLAIN, 1);
	expect_same(&job, "sum");
	random_job_deinit(&job);
}

static void two_arrays(void **state)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT16, .ndim = 1, .shape = {lengths[0]}};
	struct random_job job = {.desc = desc, .count = desc.shape[0]};

	(void)state;
	job.job = harness_job(JOB_REDUCE, "dot", DETERMINISM_ORDERED);
	job.x = harness_data(desc.dtype, job.count, DATA_PLAIN, 1);
	job.y = harness_data(desc.dtype, job.count, DATA_PLAIN, 2);
	expect_same(&job, "dot");
	random_job_deinit(&job);
}

/* Leaves little of the device's memory to the engine, which says how much. */
static void take_memory(void)
{
	size_t left, total;

	if (cudaMemGetInfo(&left, &total) != cudaSuccess)
		return;
#ifdef FAKE_DEVICE
	room = left / 2; /* as gpu/memory.c has it of one that has little */
#else
	void *taken;

	room = ROOM;
	if (left > ROOM)
		(void)cudaMalloc(&taken, left - ROOM); /* until the process ends */
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_than_the_device),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(two_arrays),
	};
	int failed;

	take_memory();
	engine = harness_engine(0);
	if (!has_device(engine)) {
		engine_destroy(engine);
		return no_device();
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	engine_destroy(engine);
	return failed;
}
