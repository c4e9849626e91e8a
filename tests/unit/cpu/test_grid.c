/* The grid: every ordered operation, float type, NaN rule, kind of data and odd
 * length, over lines that are adjacent and lines that are not, and every
 * ordered scan, bit for bit against the scalar oracle. All of it at the best
 * instruction set, a few lengths at the others. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "cpu/simd.h"
#include "engine/finish.h"
#include "engine/round.h"
#include "tests/unit/cpu/harness.h"
#include <cmocka.h> /* last: it defines fail() */

#define GRID_COLUMNS 3u /* of arrays reduced or scanned over their first axis */

static struct engine *engine;

static const enum dtype floats[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};

static const struct {
	const char *op;
	enum accum accum;
	double p;
} reductions[] = {
	{"sum", ACCUM_SUM, 0},        {"mean", ACCUM_SUM, 0},         {"l1", ACCUM_ABS, 0},
	{"sumsq", ACCUM_SQUARE, 0},   {"l2", ACCUM_SQUARE, 0},        {"prod", ACCUM_PROD, 0},
	{"var", ACCUM_MOMENTS, 0},    {"std", ACCUM_MOMENTS, 0},      {"dot", ACCUM_DOT, 0},
	{"lp:2.5", ACCUM_POWER, 2.5}, {"logsumexp", ACCUM_LOGSUM, 0},
};

static double element(enum dtype dtype, const void *data, uint64_t i)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return float16_to_f64(((const uint16_t *)data)[i]);
	case DTYPE_BFLOAT16:
		return bfloat16_to_f64(((const uint16_t *)data)[i]);
	case DTYPE_FLOAT32:
		return ((const float *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

/* Every stride-th element from `first` on, as binary64. */
static double *line_of(enum dtype dtype, const void *data, uint64_t first, uint64_t stride,
		       uint64_t length)
{
	double *line = malloc(length * sizeof(*line) + 1);

	if (line == NULL)
		abort();
	for (uint64_t i = 0; i < length; i++)
		line[i] = element(dtype, data, first + i * stride);
	return line;
}

static uint64_t taking_part(const double *x, const double *y, uint64_t length, bool omit)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < length; i++)
		count += !omit || !(isnan(x[i]) || (y != NULL && isnan(y[i])));
	return count;
}

/* The oracle's answer for one line, finished as the product finishes. */
static enum status expect(unsigned r, const struct job *job, enum oracle_order order,
			  enum dtype dtype, const double *x, const double *y, uint64_t length,
			  void *out)
{
	uint64_t value[8];
	bool omit = job->nan == NAN_OMIT;
	struct finish_args args = {
		.spec = &job->ops[0].spec,
		.input = dtype,
		.result = op_result_dtype(job->ops[0].spec.op, dtype),
		.accum = reductions[r].accum,
	};

	if (job->ops[0].spec.op == OP_L2 && dtype == DTYPE_FLOAT64)
		args.accum = ACCUM_SCALED;
	assert_int_equal(
		oracle_reduce(args.accum, order, x, y, length, reductions[r].p, omit, value, NULL),
		STATUS_OK);
	return finish_value(&args, value, taking_part(x, y, length, omit), length, out, NULL);
}

static void compare(unsigned r, const struct job *job, const struct array_desc *desc,
		    uint64_t columns, enum harness_data kind, uint64_t seed)
{
	uint64_t count, length;
	size_t size = dtype_size(desc->dtype);
	void *x, *y = NULL;
	struct outcome got;

	array_count(desc, &count, NULL);
	length = count / columns;
	x = harness_data(desc->dtype, count, kind, seed);
	if (reductions[r].accum == ACCUM_DOT)
		y = harness_data(desc->dtype, count, kind, seed + 1);
	got = harness_run(engine, job, desc, x, y, seed % 2 == 0 ? 0 : seed);
	for (uint64_t c = 0; c < columns; c++) {
		double *line_x = line_of(desc->dtype, x, c, columns, length);
		double *line_y = y != NULL ? line_of(desc->dtype, y, c, columns, length) : NULL;
		uint64_t want = 0, have = 0;
		enum status status = expect(r, job, columns > 1 ? ORACLE_STRIDED : ORACLE_CANONICAL,
					    desc->dtype, line_x, line_y, length, &want);

		if (status == STATUS_OK && got.status == STATUS_OK)
			memcpy(&have, got.bytes + c * size, size);
		if (status != got.status || want != have)
			fail_msg("%s of %s, %llu x %llu, data %d, nan %d: oracle %s %llx, got %s "
				 "%llx",
				 reductions[r].op, dtype_name(desc->dtype),
				 (unsigned long long)length, (unsigned long long)columns, kind,
				 job->nan, status_code(status), (unsigned long long)want,
				 status_code(got.status), (unsigned long long)have);
		free(line_x);
		free(line_y);
	}
	outcome_free(&got);
	free(x);
	free(y);
}

static void grid(const uint64_t *lengths, unsigned length_count, unsigned kinds)
{
	uint64_t seed = 1;

	for (unsigned r = 0; r < sizeof(reductions) / sizeof(*reductions); r++)
		for (unsigned t = 0; t < 4; t++)
			for (unsigned l = 0; l < length_count; l++)
				for (unsigned kind = 0; kind < kinds; kind++)
					for (int nan = NAN_PROPAGATE; nan <= NAN_OMIT;
					     nan++, seed++) {
						struct job job =
							harness_job(JOB_REDUCE, reductions[r].op,
								    DETERMINISM_ORDERED);
						struct array_desc flat = {.dtype = floats[t],
									  .ndim = 1,
									  .shape = {lengths[l]}};
						struct array_desc table = {
							.dtype = floats[t],
							.ndim = 2,
							.shape = {lengths[l], GRID_COLUMNS}};

						job.nan = (enum nan_rule)nan;
						compare(r, &job, &flat, 1, (enum harness_data)kind,
							seed);
						job.has_axis = true;
						job.axis_count = 1;
						compare(r, &job, &table, GRID_COLUMNS,
							(enum harness_data)kind, seed);
					}
}

static void reductions_of_short_lines(void **state)
{
	static const uint64_t lengths[] = {0,  1,  2,  3,   5,   31,  32,  33,  63,
					   64, 65, 96, 127, 128, 129, 255, 1025};

	(void)state;
	grid(lengths, sizeof(lengths) / sizeof(*lengths), DATA_KINDS);
}

static void reductions_of_tiles(void **state)
{
	static const uint64_t lengths[] = {4095, 4096, 4097, 8191, 12289};

	(void)state;
	grid(lengths, sizeof(lengths) / sizeof(*lengths), DATA_KINDS);
}

/* Beyond one tile of tile results: 4096 * 128 + 1, 10^6 + 1. */
static void reductions_of_long_lines(void **state)
{
	static const uint64_t lengths[] = {524289, 1000001};

	(void)state;
	grid(lengths, sizeof(lengths) / sizeof(*lengths), 1);
}

static void reductions_at_other_levels(void **state)
{
	static const uint64_t lengths[] = {1, 33, 129, 1025, 4096, 4097};
	enum simd best = simd_current();

	(void)state;
	for (enum simd simd = 0; simd < best; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		grid(lengths, sizeof(lengths) / sizeof(*lengths), DATA_KINDS);
	}
	simd_use(best);
}

static void compare_scan(const struct job *job, const struct array_desc *desc, uint64_t columns,
			 enum harness_data kind, uint64_t seed)
{
	uint64_t count, length;
	size_t size = dtype_size(desc->dtype);
	void *x;
	struct outcome got;

	array_count(desc, &count, NULL);
	length = count / columns;
	x = harness_data(desc->dtype, count, kind, seed);
	got = harness_run(engine, job, desc, x, NULL, seed % 2 == 0 ? 0 : seed);
	assert_int_equal(got.status, STATUS_OK);
	for (uint64_t c = 0; c < columns; c++) {
		double *line = line_of(desc->dtype, x, c, columns, length);
		double *want = malloc(length * sizeof(*want) + 1);

		assert_int_equal(oracle_scan(job->ops[0].spec.op, line, length,
					     job->nan == NAN_OMIT, job->exclusive, want, NULL),
				 STATUS_OK);
		for (uint64_t i = 0; i < length; i++) {
			uint64_t rounded = 0, have = 0;

			round_f64(want[i], desc->dtype, &rounded);
			memcpy(&have, got.bytes + (i * columns + c) * size, size);
			if (rounded != have)
				fail_msg("scan %s of %s, %llu x %llu, data %d, nan %d, exclusive "
					 "%d, "
					 "element %llu: oracle %llx, got %llx",
					 job->ops[0].spec.key, dtype_name(desc->dtype),
					 (unsigned long long)length, (unsigned long long)columns,
					 kind, job->nan, job->exclusive, (unsigned long long)i,
					 (unsigned long long)rounded, (unsigned long long)have);
		}
		free(line);
		free(want);
	}
	outcome_free(&got);
	free(x);
}

static void scans_of_any_length(void **state)
{
	static const char *const ops[] = {"sum", "prod", "logsumexp"};
	static const uint64_t lengths[] = {0,   1,   2,    3,    4,    5,     127,    128,
					   129, 511, 4095, 4096, 4097, 12289, 131073, 300001};
	uint64_t seed = 1;

	(void)state;
	for (unsigned o = 0; o < 3; o++)
		for (unsigned t = 0; t < 4; t++)
			for (unsigned l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
				for (unsigned kind = 0; kind < DATA_KINDS; kind++, seed++) {
					struct job job =
						harness_job(JOB_SCAN, ops[o], DETERMINISM_ORDERED);
					struct array_desc flat = {.dtype = floats[t],
								  .ndim = 1,
								  .shape = {lengths[l]}};
					struct array_desc table = {
						.dtype = floats[t],
						.ndim = 2,
						.shape = {lengths[l], GRID_COLUMNS}};

					if (lengths[l] > 20000 && kind > 0)
						continue;
					job.nan = seed % 3 == 0 ? NAN_OMIT : NAN_PROPAGATE;
					job.exclusive = seed % 2 == 0;
					compare_scan(&job, &flat, 1, (enum harness_data)kind, seed);
					job.has_axis = true;
					job.axis_count = 1;
					if (lengths[l] < 20000)
						compare_scan(&job, &table, GRID_COLUMNS,
							     (enum harness_data)kind, seed);
				}
}

static int setup(void **state)
{
	(void)state;
	engine = harness_engine(2);
	return 0;
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
		cmocka_unit_test(reductions_of_short_lines),
		cmocka_unit_test(reductions_of_tiles),
		cmocka_unit_test(reductions_of_long_lines),
		cmocka_unit_test(reductions_at_other_levels),
		cmocka_unit_test(scans_of_any_length),
	};

	/* Minutes under a sanitizer: .ci/run leaves the grid out there. */
	if (getenv("FOLDD_SKIP_GRID") != NULL) {
		puts("FOLDD_SKIP_GRID is set");
		return 77;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
