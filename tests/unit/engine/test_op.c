#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* of cmocka: ours is in status.h */

#include <locale.h>
#include <string.h>
#include "engine/op.h"

static void test_names(void **state)
{
	struct op_spec spec;
	int op;

	(void)state;
	for (op = 0; op < OP_COUNT_OF_OPS; op++) {
		if (op == OP_LP)
			continue;
		assert_int_equal(op_parse(op_name((enum op)op), &spec, NULL), STATUS_OK);
		assert_int_equal(spec.op, op);
		assert_string_equal(spec.key, op_name((enum op)op));
	}
	assert_string_equal(op_name(OP_LOGSUMEXP), "logsumexp");
	assert_string_equal(op_name(OP_LP), "lp");
}

static void test_unknown(void **state)
{
	static const char *const texts[] = {"",       "Sum", "sum ", "summ",
					    "median", "lp3", "l",    "lpx:3"};
	struct op_spec spec = {.op = OP_ALL};
	struct error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(op_parse(texts[i], &spec, &err), STATUS_UNKNOWN_OP);
		assert_non_null(strstr(err.text, texts[i]));
	}
	assert_int_equal(spec.op, OP_ALL); /* untouched */
}

static void test_lp(void **state)
{
	static const struct {
		const char *text;
		double p;
	} good[] = {{"lp:1", 1},      {"lp:2", 2},         {"lp:1.5", 1.5},
		    {"lp:0003", 3},   {"lp:1e1", 10},      {"lp:25E-1", 2.5},
		    {"lp:1e+2", 100}, {"lp:1e308", 1e308}, {"lp:3.0000000000000001", 3}};
	static const char *const bad[] = {
		"lp",      "lp:",      "lp:inf",
		"lp:nan",  "lp:-1",    "lp:+2",
		"lp:0",    "lp:0.5",   "lp:1e-1",
		"lp:0x2",  "lp:2.",    "lp:.5",
		"lp:1e",   "lp:1e+",   "lp: 2",
		"lp:2 ",   "lp:1,5",   "lp:2e400",
		"lp:lp:2", "lp:1.5.2", "lp:1.00000000000000000000000000000000000000000001"};
	struct op_spec spec = {.op = OP_ALL};
	struct error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(op_parse(bad[i], &spec, &err), STATUS_BAD_VALUE);
		assert_non_null(strstr(err.text, bad[i]));
	}
	assert_int_equal(spec.op, OP_ALL);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(op_parse(good[i].text, &spec, &err), STATUS_OK);
		assert_int_equal(spec.op, OP_LP);
		assert_true(spec.p == good[i].p);
		assert_string_equal(spec.key, good[i].text);
	}
}

/* A locale with a decimal comma changes nothing; skipped where none is
 * installed. */
static void test_lp_in_other_locales(void **state)
{
	struct op_spec spec;

	(void)state;
	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL)
		skip();
	assert_int_equal(op_parse("lp:1.5", &spec, NULL), STATUS_OK);
	setlocale(LC_ALL, "C");
	assert_true(spec.p == 1.5);
}

static void test_result_types(void **state)
{
	static const enum op wide[] = {OP_SUM, OP_PROD, OP_SUMSQ, OP_DOT};
	static const enum op real[] = {OP_MEAN, OP_VAR,  OP_STD, OP_L1,
				       OP_L2,   OP_LINF, OP_LP,  OP_LOGSUMEXP};
	static const enum op index[] = {OP_ARGMIN, OP_ARGMAX, OP_COUNT_NONZERO, OP_COUNT};
	int dtype;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		assert_int_equal(op_result_dtype(wide[i], DTYPE_BOOL), DTYPE_INT64);
		assert_int_equal(op_result_dtype(wide[i], DTYPE_INT8), DTYPE_INT64);
		assert_int_equal(op_result_dtype(wide[i], DTYPE_UINT16), DTYPE_UINT64);
		assert_int_equal(op_result_dtype(wide[i], DTYPE_FLOAT16), DTYPE_FLOAT16);
		assert_int_equal(op_result_dtype(wide[i], DTYPE_FLOAT64), DTYPE_FLOAT64);
		assert_true(op_takes_out_dtype(wide[i]));
	}
	for (i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		assert_int_equal(op_result_dtype(real[i], DTYPE_BOOL), DTYPE_FLOAT64);
		assert_int_equal(op_result_dtype(real[i], DTYPE_UINT64), DTYPE_FLOAT64);
		assert_int_equal(op_result_dtype(real[i], DTYPE_BFLOAT16), DTYPE_BFLOAT16);
		assert_true(op_takes_out_dtype(real[i]));
	}
	for (dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		assert_int_equal(op_result_dtype(OP_MIN, (enum dtype)dtype), dtype);
		assert_int_equal(op_result_dtype(OP_MAX, (enum dtype)dtype), dtype);
		assert_int_equal(op_result_dtype(OP_ANY, (enum dtype)dtype), DTYPE_BOOL);
		assert_int_equal(op_result_dtype(OP_ALL, (enum dtype)dtype), DTYPE_BOOL);
		for (i = 0; i < sizeof(index) / sizeof(index[0]); i++)
			assert_int_equal(op_result_dtype(index[i], (enum dtype)dtype), DTYPE_INT64);
	}
	assert_true(op_takes_out_dtype(OP_MIN));
	assert_false(op_takes_out_dtype(OP_ANY));
	assert_false(op_takes_out_dtype(OP_ARGMAX));
	assert_false(op_takes_out_dtype(OP_COUNT));
}

static bool has_exact(const char *text, enum dtype dtype, bool scan)
{
	struct op_spec spec;

	assert_int_equal(op_parse(text, &spec, NULL), STATUS_OK);
	return op_has_exact(&spec, dtype, scan);
}

static void test_exact(void **state)
{
	static const char *const always[] = {"sum", "mean", "sumsq",  "dot", "l1",  "l2",
					     "var", "std",  "argmin", "max", "any", "linf"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		assert_true(has_exact(always[i], DTYPE_FLOAT32, false));
	assert_false(has_exact("prod", DTYPE_FLOAT64, false));
	assert_true(has_exact("prod", DTYPE_INT8, false));
	assert_false(has_exact("lp:3", DTYPE_FLOAT64, false));
	assert_false(has_exact("lp:1", DTYPE_FLOAT64, false));
	assert_false(has_exact("logsumexp", DTYPE_INT8, false));
	assert_true(has_exact("sum", DTYPE_FLOAT64, true));
	assert_true(has_exact("min", DTYPE_FLOAT64, true));
	assert_true(has_exact("prod", DTYPE_UINT64, true));
	assert_false(has_exact("prod", DTYPE_FLOAT32, true));
	assert_false(has_exact("mean", DTYPE_FLOAT32, true));
}

static void test_facts(void **state)
{
	(void)state;
	assert_true(op_scans(OP_SUM) && op_scans(OP_PROD) && op_scans(OP_MIN) && op_scans(OP_MAX) &&
		    op_scans(OP_LOGSUMEXP));
	assert_false(op_scans(OP_MEAN) || op_scans(OP_ARGMIN) || op_scans(OP_COUNT));
	assert_true(op_is_arg(OP_ARGMIN) && op_is_arg(OP_ARGMAX));
	assert_false(op_is_arg(OP_MIN));
	assert_true(op_needs_ddof(OP_VAR) && op_needs_ddof(OP_STD));
	assert_false(op_needs_ddof(OP_MEAN));
	assert_true(op_has_empty_value(OP_LOGSUMEXP) && op_has_empty_value(OP_ALL) &&
		    op_has_empty_value(OP_LINF));
	assert_false(op_has_empty_value(OP_MEAN) || op_has_empty_value(OP_MIN) ||
		     op_has_empty_value(OP_ARGMAX) || op_has_empty_value(OP_STD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),        cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_lp),           cmocka_unit_test(test_lp_in_other_locales),
		cmocka_unit_test(test_result_types), cmocka_unit_test(test_exact),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
