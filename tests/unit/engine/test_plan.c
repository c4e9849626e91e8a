#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "engine/plan.h"
#include <cmocka.h> /* last: it defines fail() */

static struct limits limits;
static struct plan plan;

static struct job job_of(unsigned count, const char *const *ops)
{
	struct job job = {.op_count = count, .determinism = DETERMINISM_ORDERED};

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(op_parse(ops[i], &job.ops[i].spec, NULL), STATUS_OK);
	return job;
}

#define OPS(...)                                                            \
	job_of(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), \
	       (const char *const[]){__VA_ARGS__})

static struct array_desc line(enum dtype dtype, uint64_t length)
{
	struct array_desc desc = {.dtype = dtype, .ndim = 1, .shape = {length}};

	return desc;
}

static void accept(const struct job *job, enum dtype dtype)
{
	struct array_desc x = line(dtype, 100);
	struct error err = {0};

	assert_int_equal(plan_make(&plan, job, &x, NULL, &limits, &err), STATUS_OK);
}

static void refuse(const struct job *job, struct array_desc x, enum status status,
		   const char *pointer)
{
	struct error err = {0};

	limits_default(&limits);
	assert_int_equal(plan_make(&plan, job, &x, NULL, &limits, &err), status);
	assert_true(err.text[0] != '\0');
	assert_string_equal(err.has_pointer ? err.pointer : "none", pointer);
}

static void operations_share_accumulators(void **state)
{
	struct job job = OPS("sum", "mean", "min", "argmin", "var", "std", "count");

	(void)state;
	accept(&job, DTYPE_FLOAT32);
	assert_int_equal(plan.accum_count, 3);
	assert_int_equal(plan.ops[0].accum, plan.ops[1].accum);
	assert_int_equal(plan.ops[4].combine, COMBINE_TWO_PASS);
	assert_int_equal(plan.ops[6].combine, COMBINE_ORDER_FREE);
	job.determinism = DETERMINISM_EXACT;
	accept(&job, DTYPE_FLOAT32);
	assert_int_equal(plan.ops[0].combine, COMBINE_SUPERACCUMULATOR);
	assert_int_equal(plan.ops[2].combine, COMBINE_ORDER_FREE);
	accept(&job, DTYPE_INT8);
	assert_int_equal(plan.ops[0].combine, COMBINE_INTEGER);
}

static void norms_by_number_are_the_norms(void **state)
{
	struct job job = OPS("lp:1", "l1", "lp:2", "l2", "lp:2.0");

	(void)state;
	accept(&job, DTYPE_FLOAT64);
	assert_int_equal(plan.accum_count, 2);
	assert_int_equal(plan.ops[4].spec.op, OP_L2);
	assert_string_equal(plan.ops[4].spec.key, "lp:2.0");
}

static void integers_of_float_operations_widen(void **state)
{
	struct job job = OPS("sum", "logsumexp", "lp:3");

	(void)state;
	accept(&job, DTYPE_UINT16);
	assert_int_equal(plan.accums[0].domain, DOMAIN_U64);
	assert_int_equal(plan.accums[1].domain, DOMAIN_F64);
	assert_int_equal(plan.ops[1].result, DTYPE_FLOAT64);
}

static void result_types(void **state)
{
	struct job job = OPS("sum");

	(void)state;
	job.ops[0].has_out_dtype = true;
	job.ops[0].out_dtype = DTYPE_BFLOAT16;
	accept(&job, DTYPE_FLOAT64);
	assert_int_equal(plan.ops[0].result, DTYPE_BFLOAT16);
	accept(&job, DTYPE_INT64);
	job.ops[0].out_dtype = DTYPE_INT8;
	accept(&job, DTYPE_INT64);
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_DTYPE, "/out_dtype");
	job.ops[0].out_dtype = DTYPE_BOOL;
	refuse(&job, line(DTYPE_INT64, 3), STATUS_BAD_DTYPE, "/out_dtype");
	job = OPS("argmax");
	job.ops[0].has_out_dtype = true;
	job.ops[0].out_dtype = DTYPE_INT64;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_DTYPE, "/out_dtype");
	job = OPS("max");
	job.ops[0].has_out_dtype = true;
	job.ops[0].out_dtype = DTYPE_BOOL;
	accept(&job, DTYPE_BOOL);
}

static void no_exact_form(void **state)
{
	static const char *const ops[] = {"prod", "lp:3", "lp:2", "logsumexp"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct job job = job_of(1, ops + i);

		job.determinism = DETERMINISM_EXACT;
		refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_EXACT_UNSUPPORTED, "/op");
	}
	{
		struct job job = OPS("sum", "prod");

		job.determinism = DETERMINISM_EXACT;
		refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_EXACT_UNSUPPORTED, "/op/1");
		accept(&job, DTYPE_INT32);
	}
}

static void members_without_meaning(void **state)
{
	struct job job = OPS("sum");

	(void)state;
	job.given.ddof = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/ddof");
	job.given.ddof = false;
	job.given.exclusive = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/exclusive");
	job.given.exclusive = false;
	job.given.empty = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/empty");
	job.given.empty = false;
	job.given.index_base = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/index_base");
	job.nan = NAN_ERROR;
	accept(&job, DTYPE_FLOAT32);
	job = OPS("any");
	job.given.overflow = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/overflow");
	job = OPS("sum");
	job.has_axis = job.has_segments = true;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/segments");
	job = OPS("sum", "sum");
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/op/1");
	job = OPS("mean");
	job.kind = JOB_SCAN;
	refuse(&job, line(DTYPE_FLOAT32, 3), STATUS_BAD_JOB, "/op");
	job = OPS("argmin");
	job.has_axis = true;
	job.axis_count = 2;
	job.axes[1] = 1;
	{
		struct array_desc x = {.dtype = DTYPE_INT8, .ndim = 2, .shape = {2, 2}};

		refuse(&job, x, STATUS_BAD_JOB, "/axis");
	}
}

static void pairs(void **state)
{
	struct job dot = OPS("dot"), sum = OPS("sum"), both = OPS("dot", "sum");
	struct array_desc x = line(DTYPE_FLOAT32, 6), y = line(DTYPE_FLOAT32, 6);
	struct error err = {0};

	(void)state;
	limits_default(&limits);
	assert_int_equal(plan_make(&plan, &dot, &x, &y, &limits, &err), STATUS_OK);
	assert_true(plan.pair && !plan.gather);
	assert_int_equal(plan_make(&plan, &dot, &x, NULL, &limits, &err), STATUS_BAD_JOB);
	assert_int_equal(plan_make(&plan, &sum, &x, &y, &limits, &err), STATUS_BAD_JOB);
	assert_string_equal(err.pointer, "/with");
	assert_int_equal(plan_make(&plan, &both, &x, &y, &limits, &err), STATUS_OK);
	both.nan = NAN_OMIT;
	assert_int_equal(plan_make(&plan, &both, &x, &y, &limits, &err), STATUS_BAD_JOB);
	y.shape[0] = 7;
	assert_int_equal(plan_make(&plan, &dot, &x, &y, &limits, &err), STATUS_BAD_SHAPE);
	y.shape[0] = 6;
	y.dtype = DTYPE_FLOAT64;
	assert_int_equal(plan_make(&plan, &dot, &x, &y, &limits, &err), STATUS_BAD_DTYPE);

	/* Stored differently: brought to C order first. */
	y = (struct array_desc){
		.dtype = DTYPE_FLOAT32, .ndim = 2, .shape = {2, 3}, .fortran = true};
	assert_int_equal(plan_make(&plan, &dot, &x, &y, &limits, &err), STATUS_OK);
	assert_true(plan.gather);
	x = y;
	assert_int_equal(plan_make(&plan, &dot, &x, &y, &limits, &err), STATUS_OK);
	assert_false(plan.gather);
}

static void sizes_are_limited_before_anything_is_read(void **state)
{
	struct job job = OPS("sum");
	struct array_desc x = {.dtype = DTYPE_FLOAT64, .ndim = 2, .shape = {64, 1u << 30}};

	(void)state;
	job.has_axis = true;
	job.axis_count = 1;
	refuse(&job, x, STATUS_TOO_LARGE, "none");
	x.shape[0] = 0; /* results from nothing */
	x.shape[1] = 1ull << 40;
	refuse(&job, x, STATUS_TOO_LARGE, "none");
	x.shape[0] = UINT64_MAX / 2;
	refuse(&job, x, STATUS_BAD_SHAPE, "none");
}

static int setup(void **state)
{
	(void)state;
	limits_default(&limits);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_share_accumulators),
		cmocka_unit_test(norms_by_number_are_the_norms),
		cmocka_unit_test(integers_of_float_operations_widen),
		cmocka_unit_test(result_types),
		cmocka_unit_test(no_exact_form),
		cmocka_unit_test(members_without_meaning),
		cmocka_unit_test(pairs),
		cmocka_unit_test(sizes_are_limited_before_anything_is_read),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
