/* An answer depends neither on how the input was cut, nor on the number of
 * threads: every operation, type and promise, over lines of every kind. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/cpu/harness.h"
#include <cmocka.h> /* last: it defines fail() */

static const char *const reductions[] = {
	"sum",    "prod",  "sumsq", "mean", "var",       "std",  "l1",
	"l2",     "linf",  "lp:3",  "min",  "logsumexp", "max",  "argmin",
	"argmax", "count", "any",   "all",  "dot",       "lp:2", "count_nonzero",
};
static const char *const scans[] = {"sum", "prod", "min", "max", "logsumexp"};

static struct engine *one, *three;

static void check(const struct job *job, const struct array_desc *desc, enum harness_data kind,
		  uint64_t seed)
{
	uint64_t count;
	void *x, *y = NULL;
	struct outcome whole, threads, pieces;

	array_count(desc, &count, NULL);
	x = harness_data(desc->dtype, count, kind, seed);
	if (job->ops[0].spec.op == OP_DOT)
		y = harness_data(desc->dtype, count, kind, seed + 1);
	whole = harness_run(one, job, desc, x, y, 0);
	threads = harness_run(three, job, desc, x, y, 0);
	pieces = harness_run(three, job, desc, x, y, seed + 2);
	if (!outcome_equal(&whole, &threads) || !outcome_equal(&whole, &pieces))
		fail_msg("%s of %s, %llu elements, data %d, nan %d, determinism %d, fortran %d: "
			 "whole %s, threads %s, pieces %s",
			 job->ops[0].spec.key, dtype_name(desc->dtype), (unsigned long long)count,
			 kind, job->nan, job->determinism, desc->fortran, status_code(whole.status),
			 status_code(threads.status), status_code(pieces.status));
	outcome_free(&whole);
	outcome_free(&threads);
	outcome_free(&pieces);
	free(x);
	free(y);
}

/* All promises and NaN rules of one operation. */
static void check_rules(struct job job, const struct array_desc *desc, uint64_t seed)
{
	for (int d = DETERMINISM_NONE; d <= DETERMINISM_EXACT; d++)
		for (int nan = NAN_PROPAGATE; nan <= NAN_ERROR; nan++)
			for (int kind = 0; kind < DATA_KINDS; kind++) {
				job.determinism = (enum determinism)d;
				job.nan = (enum nan_rule)nan;
				job.overflow = (enum overflow_rule)(seed % 3);
				check(&job, desc, (enum harness_data)kind,
				      seed * 1000003 + (uint64_t)kind * 101 +
					      (uint64_t)(d * 10 + nan));
			}
}

static void lines_of_any_length(void **state)
{
	static const uint64_t lengths[] = {0, 1, 127, 4097, 90001};

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (unsigned l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
			struct array_desc desc = {
				.dtype = (enum dtype)dtype, .ndim = 1, .shape = {lengths[l]}};

			for (unsigned i = 0; i < sizeof(reductions) / sizeof(*reductions); i++) {
				/* Long lines of the slow ones teach nothing new. */
				if (lengths[l] > 5000 && (dtype + (int)i) % 4 != 0)
					continue;
				check_rules(
					harness_job(JOB_REDUCE, reductions[i], DETERMINISM_ORDERED),
					&desc, l + i);
			}
			for (unsigned i = 0; i < sizeof(scans) / sizeof(*scans); i++) {
				struct job job =
					harness_job(JOB_SCAN, scans[i], DETERMINISM_ORDERED);

				if (lengths[l] > 5000 && (dtype + (int)i) % 4 != 0)
					continue;
				job.exclusive = (l + i) % 2 != 0;
				check_rules(job, &desc, l + i);
			}
		}
}

static void lines_of_axes(void **state)
{
	static const uint64_t shapes[][4] = {
		{7, 130, 1, 3}, {97, 1, 1, 41}, {3, 5, 67, 2}, {0, 4, 1, 2}, {2, 0, 3, 1}};
	uint64_t seed = 1;

	(void)state;
	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (unsigned set = 0; set < 16; set++)
			for (unsigned i = 0; i < sizeof(reductions) / sizeof(*reductions); i++) {
				struct array_desc desc = {.dtype = (enum dtype)(seed % DTYPE_COUNT),
							  .ndim = 4,
							  .fortran = seed % 3 == 0};
				struct job job =
					harness_job(JOB_REDUCE, reductions[i], DETERMINISM_ORDERED);

				memcpy(desc.shape, shapes[s], sizeof(shapes[s]));
				job.has_axis = true;
				for (unsigned a = 0; a < 4; a++)
					if ((set >> a & 1) != 0)
						job.axes[job.axis_count++] = a;
				check_rules(job, &desc, seed++);
			}
}

static void scans_of_axes_and_segments(void **state)
{
	int64_t offsets[] = {0, 0, 1, 130, 130, 2730};
	uint64_t seed = 7;

	(void)state;
	for (unsigned axis = 0; axis < 5; axis++)
		for (unsigned i = 0; i < sizeof(scans) / sizeof(*scans); i++)
			for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
				struct array_desc desc = {.dtype = (enum dtype)dtype,
							  .ndim = 3,
							  .shape = {70, 3, 13},
							  .fortran = seed % 2 == 0};
				struct job job =
					harness_job(JOB_SCAN, scans[i], DETERMINISM_ORDERED);

				job.has_axis = axis < 3;
				job.axis_count = 1;
				job.axes[0] = axis;
				if (axis == 4) {
					job.has_segments = true;
					job.segment_count = 5;
					job.offsets = offsets;
				}
				check_rules(job, &desc, seed++);
			}
}

static void reductions_of_segments(void **state)
{
	int64_t offsets[] = {0, 0, 1, 4098, 4098, 9000, 20000};
	uint64_t seed = 11;

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (unsigned i = 0; i < sizeof(reductions) / sizeof(*reductions); i++) {
			struct array_desc desc = {
				.dtype = (enum dtype)dtype, .ndim = 1, .shape = {20000}};
			struct job job =
				harness_job(JOB_REDUCE, reductions[i], DETERMINISM_ORDERED);

			if ((dtype + (int)i) % 3 != 0)
				continue;
			job.has_segments = true;
			job.segment_count = 6;
			job.offsets = offsets;
			job.empty_null = true;
			check_rules(job, &desc, seed++);
		}
}

static int setup(void **state)
{
	(void)state;
	one = harness_engine(1);
	three = harness_engine(3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	engine_destroy(one);
	engine_destroy(three);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_any_length),
		cmocka_unit_test(lines_of_axes),
		cmocka_unit_test(scans_of_axes_and_segments),
		cmocka_unit_test(reductions_of_segments),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
