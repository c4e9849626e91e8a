#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* of cmocka: ours is in status.h */

#include <math.h>
#include <string.h>
#include "engine/finish.h"

/* Exact families against rationals: tests/property/test_exact.py. */

/* A question; what is not named is 0. */
struct question {
	const char *op;
	enum dtype input, result;
	enum accum accum;
	enum overflow_rule overflow;
	uint64_t ddof, index_base, count;
};

static struct error last_error;

static enum status finish(const struct question *q, const void *value, void *out)
{
	struct op_spec spec;
	struct finish_args args = {
		.spec = &spec,
		.input = q->input,
		.result = q->result,
		.accum = q->accum,
		.overflow = q->overflow,
		.ddof = q->ddof,
		.index_base = q->index_base,
	};

	assert_int_equal(op_parse(q->op, &spec, NULL), STATUS_OK);
	memset(&last_error, 0, sizeof(last_error));
	return finish_value(&args, value, q->count, q->count + 7, out, &last_error);
}

/* Of float64 in and out. */
static double f64(const char *op, enum accum accum, uint64_t count, uint64_t ddof,
		  const void *value)
{
	const struct question q = {op, DTYPE_FLOAT64, DTYPE_FLOAT64, accum, 0, ddof, 0, count};
	double out;

	assert_int_equal(finish(&q, value, &out), STATUS_OK);
	return out;
}

static double f64_of(const char *op, enum accum accum, uint64_t count, double value)
{
	return f64(op, accum, count, 0, &value);
}

static bool near(double got, double wanted)
{
	return fabs(got - wanted) <= 4e-16 * fabs(wanted);
}

static void test_ordered_plain(void **state)
{
	(void)state;
	assert_true(f64_of("sum", ACCUM_SUM, 3, 6) == 6);
	assert_true(signbit(f64_of("sum", ACCUM_SUM, 3, -0.0)));
	assert_true(f64_of("mean", ACCUM_SUM, 3, 1) == 1.0 / 3);
	assert_true(f64_of("l1", ACCUM_ABS, 3, 6) == 6);
	assert_true(f64_of("sumsq", ACCUM_SQUARE, 3, 6) == 6);
	assert_true(f64_of("l2", ACCUM_SQUARE, 3, 6.25) == 2.5);
	assert_true(f64_of("dot", ACCUM_DOT, 3, -6) == -6);
	assert_true(f64_of("prod", ACCUM_PROD, 3, 1e300) == 1e300);
	assert_true(near(f64_of("lp:3", ACCUM_POWER, 3, 27), 3));
	assert_true(f64_of("lp:3", ACCUM_POWER, 3, 0) == 0);
	assert_true(f64_of("lp:3", ACCUM_POWER, 3, HUGE_VAL) == HUGE_VAL);
	assert_true(isnan(f64_of("lp:3", ACCUM_POWER, 3, NAN)));
}

static void test_ordered_is_rounded_once(void **state)
{
	const struct question to_half = {"sum", DTYPE_FLOAT32, DTYPE_FLOAT16, ACCUM_SUM, 0, 0, 0,
					 2};
	const struct question to_bfloat = {
		"mean", DTYPE_FLOAT64, DTYPE_BFLOAT16, ACCUM_SUM, 0, 0, 0, 1};
	double value = 1 + 0x1p-8 + 0x1p-40, nan = -NAN;
	uint16_t out;

	(void)state;
	assert_int_equal(finish(&to_bfloat, &value, &out), STATUS_OK);
	assert_int_equal(out, 0x3f81); /* by way of float32: 0x3f80 */
	value = 1e6;
	assert_int_equal(finish(&to_half, &value, &out), STATUS_OK);
	assert_int_equal(out, 0x7c00);
	assert_int_equal(finish(&to_half, &nan, &out), STATUS_OK);
	assert_int_equal(out, 0x7e00);
}

static double norm(double big, double mid, double small)
{
	const struct scaled_squares value = {big, mid, small};

	return f64("l2", ACCUM_SCALED, 2, 0, &value);
}

/* Pythagorean triples, so that every step is exact; -0 is the identity. */
static void test_scaled_norm(void **state)
{
	const double none = -0.0;

	(void)state;
	assert_true(norm(none, 25, none) == 5);
	assert_true(norm(none, 0, none) == 0);
	/* 3*2^700 and 4*2^700; 3*2^-700 and 4*2^-700, both by their scales */
	assert_true(norm(25 * 0x1p324, none, none) == 5 * 0x1p700);
	assert_true(norm(none, none, 25 * 0x1p-326) == 5 * 0x1p-700);
	assert_true(norm(none, 0, 0x1p-1074) == 0x1p-1074);
	/* 12*2^483 is big, 5*2^483 is not */
	assert_true(norm(144 * 0x1p-110, 25 * 0x1p966, none) == 13 * 0x1p483);
	/* 4*2^-513 is mid, 3*2^-513 is small; and the other way round */
	assert_true(norm(none, 0x1p-1022, 9 * 0x1p48) == 5 * 0x1p-513);
	assert_true(norm(none, 9 * 0x1p-1026, 0x1p52) == 5 * 0x1p-513);
	/* small does not count beside big */
	assert_true(norm(25 * 0x1p324, none, 1) == 5 * 0x1p700);
	assert_true(norm(HUGE_VAL, 1, none) == HUGE_VAL);
	assert_true(isnan(norm(HUGE_VAL, NAN, none)));
	assert_true(isnan(norm(none, NAN, 1)));
	assert_true(isnan(norm(none, NAN, none)));
}

static void test_moments(void **state)
{
	const struct moments value = {5, 3, 10}, nan = {5, NAN, NAN};

	(void)state;
	assert_true(f64("var", ACCUM_MOMENTS, 5, 0, &value) == 2);
	assert_true(f64("var", ACCUM_MOMENTS, 5, 1, &value) == 2.5);
	assert_true(f64("var", ACCUM_MOMENTS, 5, 4, &value) == 10);
	assert_true(f64("std", ACCUM_MOMENTS, 5, 0, &value) == sqrt(2.0));
	assert_true(isnan(f64("std", ACCUM_MOMENTS, 5, 0, &nan)));
}

static double log_sum(double max, double sum)
{
	const struct logsum value = {max, sum};

	return f64("logsumexp", ACCUM_LOGSUM, 2, 0, &value);
}

static void test_logsum(void **state)
{
	(void)state;
	assert_true(log_sum(-7, 1) == -7);
	assert_true(near(log_sum(1000, 2), 1000 + 0.69314718055994531));
	assert_true(log_sum(-HUGE_VAL, 0) == -HUGE_VAL);
	assert_true(log_sum(-HUGE_VAL, 2) == -HUGE_VAL);
	assert_true(log_sum(HUGE_VAL, 1) == HUGE_VAL);
	assert_true(isnan(log_sum(NAN, 1)));
	assert_true(isnan(log_sum(1, NAN)));
}

static void test_exact(void **state)
{
	const double x[] = {1e9, 1e9 + 1, 1e9 + 2};
	struct exact_moments value;
	size_t i;

	(void)state;
	exactsum_init(&value.sum);
	exactsum_init(&value.squares);
	for (i = 0; i < 3; i++) {
		exactsum_add(&value.sum, x[i]);
		exactsum_add_product(&value.squares, x[i], x[i]);
	}
	assert_true(f64("var", ACCUM_EXACT_MOMENTS, 3, 0, &value) == 2.0 / 3);
	assert_true(f64("var", ACCUM_EXACT_MOMENTS, 3, 1, &value) == 1);
	assert_true(f64("std", ACCUM_EXACT_MOMENTS, 3, 1, &value) == 1);
	assert_true(f64("mean", ACCUM_EXACT_SUM, 3, 0, &value.sum) == 1e9 + 1);
	assert_true(f64("sum", ACCUM_EXACT_SUM, 3, 0, &value.sum) == 3e9 + 3);
	assert_true(f64("l2", ACCUM_EXACT_SQUARE, 3, 0, &value.squares) == 0x1.9cf3fde534268p+30);
	exactsum_add(&value.sum, HUGE_VAL);
	exactsum_add_product(&value.squares, HUGE_VAL, HUGE_VAL);
	assert_true(isnan(f64("var", ACCUM_EXACT_MOMENTS, 4, 0, &value)));
	assert_true(f64("mean", ACCUM_EXACT_SUM, 4, 0, &value.sum) == HUGE_VAL);
	assert_true(f64("l2", ACCUM_EXACT_SQUARE, 4, 0, &value.squares) == HUGE_VAL);
}

static void test_overflow_rules(void **state)
{
	struct question q = {"sum", DTYPE_INT64, DTYPE_INT64, ACCUM_INT_SUM, 0, 0, 0, 2};
	struct int192 value = {{0}};
	int64_t wide = 42;
	int8_t narrow = 42;

	(void)state;
	int192_add_i64(&value, INT64_MAX);
	assert_int_equal(finish(&q, &value, &wide), STATUS_OK);
	assert_true(wide == INT64_MAX);
	int192_add_i64(&value, 1);
	wide = 42;
	assert_int_equal(finish(&q, &value, &wide), STATUS_INTEGER_OVERFLOW);
	assert_string_equal(last_error.value, "9223372036854775808");
	assert_non_null(strstr(last_error.text, "int64"));
	assert_int_equal(wide, 42);
	q.overflow = OVERFLOW_WRAP;
	assert_int_equal(finish(&q, &value, &wide), STATUS_OK);
	assert_true(wide == INT64_MIN);
	q.overflow = OVERFLOW_SATURATE;
	assert_int_equal(finish(&q, &value, &wide), STATUS_OK);
	assert_true(wide == INT64_MAX);

	value = (struct int192){{0}};
	int192_add_i64(&value, -129);
	q.result = DTYPE_INT8;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_OK);
	assert_int_equal(narrow, -128);
	q.overflow = OVERFLOW_WRAP;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_OK);
	assert_int_equal(narrow, 127);
	q.overflow = OVERFLOW_ERROR;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_INTEGER_OVERFLOW);
	assert_string_equal(last_error.value, "-129");
}

static void test_products(void **state)
{
	struct question q = {"prod", DTYPE_INT64, DTYPE_INT64, ACCUM_INT_PROD, 0, 0, 0, 3};
	struct intprod value;
	int64_t out = 42;
	double real;
	int i;

	(void)state;
	intprod_init(&value);
	intprod_mul_i64(&value, INT64_MIN);
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == INT64_MIN);
	intprod_mul_i64(&value, -1);
	assert_int_equal(finish(&q, &value, &out), STATUS_INTEGER_OVERFLOW);
	assert_string_equal(last_error.value, "");
	for (i = 0; i < 100; i++)
		intprod_mul_i64(&value, INT64_MIN + 1); /* too long to be kept */
	intprod_mul_i64(&value, -3);
	q.overflow = OVERFLOW_SATURATE;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == INT64_MIN);
	q.overflow = OVERFLOW_WRAP; /* (2^63) * 1^100 * -3 modulo 2^64 */
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == INT64_MIN);
	q.result = DTYPE_FLOAT64;
	assert_int_equal(finish(&q, &value, &real), STATUS_OK);
	assert_true(real == -HUGE_VAL);

	intprod_mul_i64(&value, 0);
	assert_int_equal(finish(&q, &value, &real), STATUS_OK);
	assert_true(real == 0 && !signbit(real));
	q.result = DTYPE_INT64;
	q.overflow = OVERFLOW_ERROR;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_int_equal(out, 0);
}

static void test_integer_moments(void **state)
{
	struct question q = {"var", DTYPE_INT8, DTYPE_FLOAT64, ACCUM_INT_MOMENTS, 0, 1, 0, 2};
	struct int_moments value = {{{0}}, {{0}}};
	double out;

	(void)state;
	int192_add_i64(&value.sum, 3); /* 1 and 2 */
	int192_add_i64(&value.squares, 5);
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == 0.5);
	q.op = "std";
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == sqrt(0.5));
	q.op = "mean";
	q.accum = ACCUM_INT_SUM;
	assert_int_equal(finish(&q, &value.sum, &out), STATUS_OK);
	assert_true(out == 1.5);
	q.op = "l2";
	q.accum = ACCUM_INT_SQUARE;
	assert_int_equal(finish(&q, &value.squares, &out), STATUS_OK);
	assert_true(out == sqrt(5.0));
}

static void test_extremes_of_floats(void **state)
{
	struct extreme value = {.value.f = -0.0, .index = 5, .any = true};
	struct question q = {"argmin", DTYPE_FLOAT32, DTYPE_INT64, ACCUM_MIN, 0, 0, 100, 9};
	int64_t index;
	float out;

	(void)state;
	assert_int_equal(finish(&q, &value, &index), STATUS_OK);
	assert_int_equal(index, 105);
	q.op = "min";
	q.result = DTYPE_FLOAT32;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(out == 0 && signbit(out));
	value.value.f = 0x1.fffffffffffffp1023;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(isinf(out));
	value.nan = true;
	q.op = "linf";
	q.accum = ACCUM_MAX_ABS;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
	assert_true(isnan(out));
	q.op = "argmax";
	q.accum = ACCUM_MAX;
	q.result = DTYPE_INT64;
	assert_int_equal(finish(&q, &value, &index), STATUS_OK);
	assert_int_equal(index, 105);
}

static void test_extremes_of_integers(void **state)
{
	struct extreme value = {.value.i = -300, .any = true};
	struct question q = {"min", DTYPE_INT16, DTYPE_INT8, ACCUM_MIN, 0, 0, 0, 9};
	int8_t narrow;
	uint8_t flag;
	uint64_t wide;
	double real;

	(void)state;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_INTEGER_OVERFLOW);
	assert_string_equal(last_error.value, "-300");
	q.overflow = OVERFLOW_SATURATE;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_OK);
	assert_int_equal(narrow, -128);
	q.overflow = OVERFLOW_WRAP;
	assert_int_equal(finish(&q, &value, &narrow), STATUS_OK);
	assert_int_equal(narrow, -44);
	q.result = DTYPE_UINT64;
	assert_int_equal(finish(&q, &value, &wide), STATUS_OK);
	assert_true(wide == (uint64_t)-300);

	value.value.u = UINT64_MAX; /* not -1; to one rounding: 2^64 */
	q = (struct question){"max", DTYPE_UINT64, DTYPE_FLOAT64, ACCUM_MAX, 0, 0, 0, 9};
	assert_int_equal(finish(&q, &value, &real), STATUS_OK);
	assert_true(real == 0x1p64);
	value.value.u = (uint64_t)1 << 63; /* |INT64_MIN| */
	q = (struct question){"linf", DTYPE_INT64, DTYPE_FLOAT64, ACCUM_MAX_ABS, 0, 0, 0, 9};
	assert_int_equal(finish(&q, &value, &real), STATUS_OK);
	assert_true(real == 0x1p63);
	value.value.i = 1;
	q = (struct question){"max", DTYPE_BOOL, DTYPE_BOOL, ACCUM_MAX, 0, 0, 0, 9};
	assert_int_equal(finish(&q, &value, &flag), STATUS_OK);
	assert_int_equal(flag, 1);
}

static void test_tallies(void **state)
{
	static const struct {
		uint64_t nonzero, count;
		int any, all;
	} rows[] = {{0, 3, 0, 0}, {2, 3, 1, 0}, {3, 3, 1, 1}};
	struct question q = {"any", DTYPE_FLOAT64, DTYPE_BOOL, ACCUM_TALLY, 0, 0, 0, 3};
	int64_t number;
	uint8_t flag;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tally value = {rows[i].nonzero};

		q.count = rows[i].count;
		q.result = DTYPE_BOOL;
		q.op = "any";
		assert_int_equal(finish(&q, &value, &flag), STATUS_OK);
		assert_int_equal(flag, rows[i].any);
		q.op = "all";
		assert_int_equal(finish(&q, &value, &flag), STATUS_OK);
		assert_int_equal(flag, rows[i].all);
		q.op = "count_nonzero";
		q.result = DTYPE_INT64;
		assert_int_equal(finish(&q, &value, &number), STATUS_OK);
		assert_int_equal(number, rows[i].nonzero);
	}
	q.op = "count";
	q.accum = ACCUM_COUNT;
	q.count = 12345678901;
	assert_int_equal(finish(&q, NULL, &number), STATUS_OK);
	assert_int_equal(number, 12345678901);
}

/* Nothing took part: the accumulator is not looked at. */
static void test_nothing_left(void **state)
{
	static const struct {
		const char *op;
		bool has_value;
		double value;
		int64_t whole;
	} rows[] = {
		{"sum", true, 0, 0},     {"prod", true, 1, 1},  {"sumsq", true, 0, 0},
		{"dot", true, 0, 0},     {"l1", true, 0, 0},    {"l2", true, 0, 0},
		{"linf", true, 0, 0},    {"lp:3", true, 0, 0},  {"logsumexp", true, -HUGE_VAL, 0},
		{"mean", false, 0, 0},   {"var", false, 0, 0},  {"std", false, 0, 0},
		{"min", false, 0, 0},    {"max", false, 0, 0},  {"argmin", false, 0, 0},
		{"argmax", false, 0, 0}, {"count", true, 0, 0}, {"count_nonzero", true, 0, 0},
		{"any", true, 0, 0},     {"all", true, 1, 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct question q = {rows[i].op, DTYPE_FLOAT64, DTYPE_FLOAT64, ACCUM_SUM, 0, 0, 0,
				     0};
		double out;
		int64_t whole;

		if (!rows[i].has_value) {
			assert_int_equal(finish(&q, NULL, &out), STATUS_EMPTY_INPUT);
			assert_non_null(strstr(last_error.text, rows[i].op));
			continue;
		}
		assert_int_equal(finish(&q, NULL, &out), STATUS_OK);
		assert_true(out == rows[i].value && signbit(out) == signbit(rows[i].value));
		if (rows[i].value < 0)
			continue;
		q.input = DTYPE_INT64;
		q.result = DTYPE_INT64;
		assert_int_equal(finish(&q, NULL, &whole), STATUS_OK);
		assert_int_equal(whole, rows[i].whole);
	}
}

static void test_too_few_for_ddof(void **state)
{
	const struct moments value = {2, 1, 1};
	struct question q = {"var", DTYPE_FLOAT64, DTYPE_FLOAT64, ACCUM_MOMENTS, 0, 2, 0, 2};
	double out;

	(void)state;
	assert_int_equal(finish(&q, &value, &out), STATUS_EMPTY_INPUT);
	q.ddof = UINT64_MAX;
	assert_int_equal(finish(&q, &value, &out), STATUS_EMPTY_INPUT);
	q.ddof = 1;
	assert_int_equal(finish(&q, &value, &out), STATUS_OK);
}

/* A plan that pairs an operation with another's accumulator is caught. */
static void test_mismatch(void **state)
{
	struct question q = {"sum", DTYPE_FLOAT64, DTYPE_FLOAT64, ACCUM_SQUARE, 0, 0, 0, 2};
	struct exactsum value;
	uint64_t out;

	(void)state;
	exactsum_init(&value);
	assert_int_equal(finish(&q, &value, &out), STATUS_INTERNAL);
	q.accum = ACCUM_EXACT_SQUARE;
	assert_int_equal(finish(&q, &value, &out), STATUS_INTERNAL);
	q.accum = ACCUM_EXACT_SUM;
	q.result = DTYPE_INT64; /* no float goes to an integer */
	assert_int_equal(finish(&q, &value, &out), STATUS_INTERNAL);
	q.accum = ACCUM_TALLY;
	assert_int_equal(finish(&q, &value, &out), STATUS_INTERNAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordered_plain),
		cmocka_unit_test(test_ordered_is_rounded_once),
		cmocka_unit_test(test_scaled_norm),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_logsum),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_overflow_rules),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_integer_moments),
		cmocka_unit_test(test_extremes_of_floats),
		cmocka_unit_test(test_extremes_of_integers),
		cmocka_unit_test(test_tallies),
		cmocka_unit_test(test_nothing_left),
		cmocka_unit_test(test_too_few_for_ddof),
		cmocka_unit_test(test_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
