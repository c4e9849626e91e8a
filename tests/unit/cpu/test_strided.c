/* Lines whose elements are not adjacent, of many shapes: thin and wide, few and
 * many, shared by the team or not, at every SIMD level. What order fixes is
 * compared with the scalar oracle; what is free, with the same elements sent as
 * an array of their own to one thread of portable kernels. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "cpu/simd.h"
#include "engine/finish.h"
#include "engine/plan.h"
#include "tests/unit/cpu/harness.h"
#include <cmocka.h> /* last: it defines fail() */

#define ENGINES 4u
#define DRAWS 3u /* of type, data, rule, threads and level, for each operation */

static const unsigned threads[ENGINES] = {1, 2, 3, 7};
static struct engine *engines[ENGINES];

static const char *const ops[] = {
	"sum",    "prod",  "sumsq", "mean", "var",       "std",    "l1",
	"l2",     "linf",  "lp:3",  "min",  "logsumexp", "max",    "argmin",
	"argmax", "count", "any",   "all",  "dot",       "sum",    "l2",
	"sumsq",  "mean",  "var",   "max",  "min",       "argmax", "count_nonzero",
};

/* In stored order; axes: a set of bits. */
static const struct shape {
	uint64_t length[4];
	unsigned ndim, axes;
} shapes[] = {
	{{300, 1100}, 2, 1},     /* shared by the team */
	{{33, 9000}, 2, 1},      /* one run and one element, many lines */
	{{1, 500, 7, 1}, 4, 2},  /* thin */
	{{40000, 2}, 2, 1},      /* thinner */
	{{3, 2000, 5}, 3, 2},    /* thin, several times */
	{{130, 63}, 2, 1},       /* as thin as can be */
	{{130, 64}, 2, 1},       /* as wide as can be thin */
	{{70, 33, 6, 10}, 4, 2}, /* blocks of two dims kept */
	{{70, 33, 6, 10}, 4, 5}, /* reduced, kept, reduced, kept */
	{{7, 33, 6, 10}, 4, 10}, /* kept, reduced, kept, reduced */
	{{6, 3, 700}, 3, 5},     /* few lines of long pieces */
	{{4, 200, 100}, 3, 5},   /* many lines of long pieces */
	{{3, 5000, 20}, 3, 5},   /* many lines of short pieces, shared */
	{{2, 131, 1, 3}, 4, 9},  /* the shortest pieces */
	{{2, 140000}, 2, 1},     /* two rows, shared */
	{{1024, 260}, 2, 1},     /* a whole number of runs, shared */
	{{2100, 130}, 2, 1},     /* more than elements side by side, shared */
};

/* A line's elements, of one array. */
static char *line_of(const struct shape *shape, size_t size, const char *data, uint64_t line)
{
	uint64_t count = 1, length = 1, at = 0;
	char *out;

	for (unsigned i = 0; i < shape->ndim; i++) {
		count *= shape->length[i];
		if ((shape->axes >> i & 1) != 0)
			length *= shape->length[i];
	}
	out = malloc(length * size);
	if (out == NULL)
		abort();
	for (uint64_t e = 0; e < count; e++) {
		uint64_t left = e, of = 0, scale = 1;

		for (unsigned i = shape->ndim; i-- > 0; left /= shape->length[i])
			if ((shape->axes >> i & 1) == 0) {
				of += left % shape->length[i] * scale;
				scale *= shape->length[i];
			}
		if (of == line)
			memcpy(out + at++ * size, data + e * size, size);
	}
	assert_int_equal(at, length);
	return out;
}

static double *widened(enum dtype dtype, const void *data, uint64_t length)
{
	double *out = malloc(length * sizeof(*out));

	if (out == NULL)
		abort();
	kernels_portable.widen(dtype, data, length, DOMAIN_F64, out);
	return out;
}

struct draw {
	const struct shape *shape;
	struct job job;
	struct array_desc desc;
	uint64_t length; /* of a line */
	bool ordered;    /* its order is fixed */
};

/* The plan says which accumulator it is. */
static struct plan plan_of(const struct draw *draw)
{
	struct limits limits;
	struct plan plan;

	limits_default(&limits);
	assert_int_equal(plan_make(&plan, &draw->job, &draw->desc,
				   draw->job.ops[0].spec.op == OP_DOT ? &draw->desc : NULL, &limits,
				   NULL),
			 STATUS_OK);
	return plan;
}

static void expect_by_oracle(const struct draw *draw, const struct plan *plan, const char *x,
			     const char *y, uint64_t *out)
{
	const struct finish_args args = plan_finish_args(plan, 0);
	bool omit = draw->job.nan == NAN_OMIT;
	double *a = widened(draw->desc.dtype, x, draw->length);
	double *b = y != NULL ? widened(draw->desc.dtype, y, draw->length) : NULL;
	uint64_t value[4], count = 0;
	enum status status;

	for (uint64_t i = 0; i < draw->length; i++)
		count += !omit || !(isnan(a[i]) || (b != NULL && isnan(b[i])));
	assert_int_equal(oracle_reduce(plan->accums[0].accum, ORACLE_STRIDED, a, b, draw->length,
				       plan->accums[0].p, omit, value, NULL),
			 STATUS_OK);
	status = finish_value(&args, value, count, draw->length, out, NULL);
	assert_true(status == STATUS_OK || status == STATUS_EMPTY_INPUT); /* null: 0 */
	free(a);
	free(b);
}

static void expect_alone(const struct draw *draw, const char *x, const char *y, uint64_t *out)
{
	struct array_desc desc = {.dtype = draw->desc.dtype, .ndim = 1, .shape = {draw->length}};
	struct job job = draw->job;
	struct outcome alone;

	job.axes[0] = 0;
	job.axis_count = 1;
	simd_use(SIMD_PORTABLE);
	alone = harness_run(engines[0], &job, &desc, x, y, 0);
	assert_int_equal(alone.status, STATUS_OK);
	memcpy(out, alone.bytes, alone.size);
	outcome_free(&alone);
}

/* Some lines: the first, the last and a few between. */
static void check(const struct draw *draw, enum harness_data kind, uint64_t seed)
{
	struct plan plan = plan_of(draw);
	size_t size = dtype_size(draw->desc.dtype), result = dtype_size(plan.ops[0].result);
	unsigned engine = (unsigned)(seed / 3 % ENGINES);
	enum simd simd = (enum simd)(seed / 12 % SIMD_COUNT);
	uint64_t count, lines;
	struct outcome got;
	char *x, *y = NULL;

	array_count(&draw->desc, &count, NULL);
	lines = count / draw->length;
	x = harness_data(draw->desc.dtype, count, kind, seed);
	if (draw->job.ops[0].spec.op == OP_DOT)
		y = harness_data(draw->desc.dtype, count, kind, seed + 1);
	simd_use(simd_has(simd) ? simd : SIMD_PORTABLE);
	got = harness_run(engines[engine], &draw->job, &draw->desc, x, y, seed % 3 == 0 ? 0 : seed);
	assert_int_equal(got.status, STATUS_OK);
	assert_int_equal(got.size, lines * result);
	for (unsigned i = 0; i < 6; i++) {
		uint64_t line = i == 0 ? 0 : i == 1 ? lines - 1 : (seed * 31 + i * 7919) % lines;
		char *line_x = line_of(draw->shape, size, x, line);
		char *line_y = y != NULL ? line_of(draw->shape, size, y, line) : NULL;
		uint64_t want = 0, have = 0;

		if (draw->ordered)
			expect_by_oracle(draw, &plan, line_x, line_y, &want);
		else
			expect_alone(draw, line_x, line_y, &want);
		memcpy(&have, got.bytes + line * result, result);
		if (want != have)
			fail_msg("%s of %s, shape %u, line %llu, data %d, nan %d, determinism %d, "
				 "%u threads, %s, fortran %d, seed %llu: want %llx, got %llx",
				 draw->job.ops[0].spec.key, dtype_name(draw->desc.dtype),
				 (unsigned)(draw->shape - shapes), (unsigned long long)line, kind,
				 draw->job.nan, draw->job.determinism, threads[engine],
				 simd_name(simd), draw->desc.fortran, (unsigned long long)seed,
				 (unsigned long long)want, (unsigned long long)have);
		free(line_x);
		free(line_y);
	}
	outcome_free(&got);
	free(x);
	free(y);
}

static bool has_exact(enum op op)
{
	return op == OP_SUM || op == OP_MEAN || op == OP_SUMSQ || op == OP_DOT || op == OP_L1 ||
	       op == OP_L2 || op == OP_VAR || op == OP_STD;
}

static struct draw make_draw(const struct shape *shape, const char *op, uint64_t seed)
{
	struct draw draw = {.shape = shape, .length = 1};
	uint64_t random = seed;
	bool is_float;

	draw.job = harness_job(JOB_REDUCE, op, DETERMINISM_ORDERED);
	draw.desc.dtype = (enum dtype)(harness_random(&random) % DTYPE_COUNT);
	if (harness_random(&random) % 3 == 0) /* half of all are floats */
		draw.desc.dtype = seed % 2 == 0 ? DTYPE_FLOAT32 : DTYPE_FLOAT64;
	is_float = dtype_is_float(draw.desc.dtype);
	draw.desc.ndim = shape->ndim;
	draw.desc.fortran = harness_random(&random) % 4 == 0;
	draw.job.has_axis = true;
	draw.job.overflow = OVERFLOW_WRAP;
	draw.job.empty_null = true;
	for (unsigned i = 0; i < shape->ndim; i++) {
		unsigned axis = draw.desc.fortran ? shape->ndim - 1 - i : i;

		draw.desc.shape[axis] = shape->length[i];
		if ((shape->axes >> i & 1) == 0)
			continue;
		draw.job.axes[draw.job.axis_count++] = axis;
		draw.length *= shape->length[i];
	}
	if (is_float && harness_random(&random) % 2 == 0)
		draw.job.nan = NAN_OMIT;
	if (has_exact(draw.job.ops[0].spec.op) && harness_random(&random) % 2 == 0)
		draw.job.determinism = DETERMINISM_EXACT;
	return draw;
}

static void lines_of_many_shapes(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (unsigned o = 0; o < sizeof(ops) / sizeof(*ops); o++)
			for (unsigned i = 0; i < DRAWS; i++, seed++) {
				struct draw draw = make_draw(&shapes[s], ops[o], seed);
				struct plan plan;

				/* An index counts along one axis. */
				if (op_is_arg(draw.job.ops[0].spec.op) && draw.job.axis_count > 1)
					continue;
				plan = plan_of(&draw);
				assert_false(plan.layout.adjacent);
				draw.ordered = plan.accum_count > 0 &&
					       plan.accums[0].accum <= ACCUM_LOGSUM;
				check(&draw, (enum harness_data)(seed % DATA_KINDS), seed);
			}
}

/* Several operations of one array, some taken row by row, others line by line:
 * each as if it came alone, and NaNs are counted once. */
static void operations_together(void **state)
{
	static const char *const names[] = {"sum", "max", "var", "count", "l2", "argmin"};
	struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = 2, .shape = {700, 401}};
	uint64_t seed = 99;

	(void)state;
	for (int nan = NAN_PROPAGATE; nan <= NAN_OMIT; nan++)
		for (unsigned first = 0; first < 6; first++) {
			struct job all = harness_job(JOB_REDUCE, names[first], DETERMINISM_ORDERED);
			struct outcome together, alone;
			void *x = harness_data(desc.dtype, 700 * 401, DATA_SPECIAL, ++seed);
			struct job one;

			all.nan = (enum nan_rule)nan;
			all.has_axis = true;
			all.axis_count = 1;
			all.empty_null = true;
			one = all;
			for (unsigned i = 0; i < 6; i++)
				if (i != first)
					assert_int_equal(op_parse(names[i],
								  &all.ops[all.op_count++].spec,
								  NULL),
							 STATUS_OK);
			simd_use(SIMD_PORTABLE);
			alone = harness_run(engines[0], &one, &desc, x, NULL, 0);
			together = harness_run(engines[2], &all, &desc, x, NULL, first);
			assert_true(outcome_equal(&alone, &together));
			outcome_free(&alone);
			outcome_free(&together);
			free(x);
		}
}

/* nan: error names the lowest place, whoever meets it first. */
static void first_nan(void **state)
{
	static const char *const names[] = {"sum", "max", "var", "argmin"};
	uint64_t random = 5;

	(void)state;
	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (unsigned o = 0; o < 4; o++) {
			struct draw draw = make_draw(&shapes[s], names[o], 2);
			uint64_t count, lowest;
			struct outcome got;
			double *x;

			draw.desc =
				(struct array_desc){.dtype = DTYPE_FLOAT64, .ndim = shapes[s].ndim};
			memcpy(draw.desc.shape, shapes[s].length, sizeof(shapes[s].length));
			draw.job.axis_count = 0;
			for (unsigned i = 0; i < shapes[s].ndim; i++)
				if ((shapes[s].axes >> i & 1) != 0)
					draw.job.axes[draw.job.axis_count++] = i;
			if (op_is_arg(draw.job.ops[0].spec.op) && draw.job.axis_count > 1)
				continue;
			draw.job.nan = NAN_ERROR;
			array_count(&draw.desc, &count, NULL);
			x = harness_data(DTYPE_FLOAT64, count, DATA_PLAIN, 1);
			lowest = harness_random(&random) % count;
			x[lowest] = NAN;
			for (unsigned i = 0; i < 20; i++)
				x[lowest + harness_random(&random) % (count - lowest)] = NAN;
			got = harness_run(engines[o], &draw.job, &draw.desc, x, NULL, 0);
			assert_int_equal(got.status, STATUS_NAN_FOUND);
			assert_int_equal(got.index, lowest);
			outcome_free(&got);
			free(x);
		}
}

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENGINES; i++)
		engines[i] = harness_engine(threads[i]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENGINES; i++)
		engine_destroy(engines[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_many_shapes),
		cmocka_unit_test(operations_together),
		cmocka_unit_test(first_nan),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
