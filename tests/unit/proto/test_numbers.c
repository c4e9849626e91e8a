#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/number_write.h"
#include "proto/numbers.h"
#include <cmocka.h>

/* "int64(3): 1,2,3", or "code@pointer". */
static const char *read_as(const char *text, const char *dtype_text)
{
	static char line[1024];
	struct numbers out;
	struct error err = {0};
	enum dtype dtype = DTYPE_BOOL;
	uint64_t count, i;
	char *copy = malloc(strlen(text) + 1); /* without its 0: reads past it are seen */
	size_t used;
	enum status status;

	memcpy(copy, text, strlen(text));
	copy = realloc(copy, strlen(text) > 0 ? strlen(text) : 1);
	if (dtype_text != NULL)
		assert_true(dtype_from_name(dtype_text, &dtype));
	status = numbers_read(&out, copy, strlen(text), dtype_text != NULL ? &dtype : NULL, 32,
			      "/data", &err);
	free(copy);
	if (status != STATUS_OK) {
		snprintf(line, sizeof(line), "%s@%s", status_code(status), err.pointer);
		return line;
	}
	used = (size_t)sprintf(line, "%s", dtype_name(out.desc.dtype));
	for (i = 0; i < out.desc.ndim; i++)
		used += (size_t)sprintf(line + used, "(%llu)",
					(unsigned long long)out.desc.shape[i]);
	line[used++] = ':';
	assert_int_equal(array_count(&out.desc, &count, NULL), STATUS_OK);
	for (i = 0; i < count; i++) {
		line[used++] = i > 0 ? ',' : ' ';
		used += number_write(line + used, out.desc.dtype,
				     (char *)out.data + i * dtype_size(out.desc.dtype));
	}
	line[used] = '\0';
	free(out.data);
	return line;
}

struct number_case {
	const char *text, *dtype, *answer;
};

static void check(const struct number_case *cases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		assert_string_equal(read_as(cases[i].text, cases[i].dtype), cases[i].answer);
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_inference(void **state)
{
	static const struct number_case cases[] = {
		{"[1,2,3]", NULL, "int64(3): 1,2,3"},
		{" [ 1 ,\t2,\n3 ] ", NULL, "int64(3): 1,2,3"},
		{"5", NULL, "int64: 5"},
		{"[]", NULL, "float64(0):"},
		{"[[],[]]", NULL, "float64(2)(0):"},
		{"[[[]],[[]]]", NULL, "float64(2)(1)(0):"},
		{"[true,false]", NULL, "bool(2): true,false"},
		{"[1,2.5]", NULL, "float64(2): 1.0,2.5"},
		{"[1,\"NaN\",Infinity,-Infinity,\"-Infinity\"]", NULL,
		 "float64(5): 1.0,\"NaN\",\"Infinity\",\"-Infinity\",\"-Infinity\""},
		{"[9223372036854775807]", NULL, "int64(1): 9223372036854775807"},
		{"[-9223372036854775808]", NULL, "int64(1): -9223372036854775808"},
		{"[0,9223372036854775808]", NULL, "uint64(2): 0,9223372036854775808"},
		{"[18446744073709551615]", NULL, "uint64(1): 18446744073709551615"},
		{"[-1,9223372036854775808]", NULL, "float64(2): -1.0,9.223372036854776e+18"},
		{"[9223372036854775808,-1]", NULL, "float64(2): 9.223372036854776e+18,-1.0"},
		{"[18446744073709551616]", NULL, "bad_value@/data/0"},
		/* beyond both, wherever it stands */
		{"[-9223372036854775809]", NULL, "bad_value@/data/0"},
		{"[1.5,18446744073709551616]", NULL, "bad_value@/data/1"},
		{"[1.5,-9223372036854775809]", NULL, "bad_value@/data/1"},
		{"[NaN,-9223372036854775809]", NULL, "bad_value@/data/1"},
		{"[-0,1.5,-9223372036854775809]", NULL, "bad_value@/data/2"},
		{"[-1,9223372036854775808,-9223372036854775809]", NULL, "bad_value@/data/2"},
		{"[1.5,-9223372036854775808,18446744073709551615]", NULL,
		 "float64(3): 1.5,-9.223372036854776e+18,1.8446744073709552e+19"},
		{"[1.5,-9223372036854775809.0]", NULL, "float64(2): 1.5,-9.223372036854776e+18"},
		{"[18446744073709551616]", "float64", "float64(1): 1.8446744073709552e+19"},
		/* -0 is 0 among integers, -0.0 among floats, wherever it stands */
		{"[-0,1]", NULL, "int64(2): 0,1"},
		{"[-0,1.5]", NULL, "float64(2): -0.0,1.5"},
		{"[1.5,-0]", NULL, "float64(2): 1.5,-0.0"},
		{"[true,1]", NULL, "bad_value@/data/1"},
		{"[1,true]", NULL, "bad_value@/data/1"},
		{"[[1],[NaN],[false]]", NULL, "bad_value@/data/2/0"},
		{"[1,null]", NULL, "bad_value@/data/1"},
		{"[\"1\"]", NULL, "bad_value@/data/0"},
	};

	(void)state;
	CHECK(cases);
}

static void test_shapes(void **state)
{
	static const struct number_case cases[] = {
		{"[[1,2],[3,4]]", NULL, "int64(2)(2): 1,2,3,4"},
		{"[[[1],[2]]]", NULL, "int64(1)(2)(1): 1,2"},
		{"[[0.5, 1.5],[2.5,3e0]]", NULL, "float64(2)(2): 0.5,1.5,2.5,3.0"},
		{"[[0.5,1.5,2.5],[3.5,4.5]]", "float64", "bad_shape@/data/1"},
		{"[[0.5,1.5,[2.5]]]", "float64", "bad_shape@/data/0/2"},
		{"[0.5,1.5,2.5,true]", NULL, "bad_value@/data/3"},
		{"0.5,1.5", "float64", "bad_json@/data"},
		{"[1,[2]]", NULL, "bad_shape@/data/1"},
		{"[[1],2]", NULL, "bad_shape@/data/1"},
		{"[[1],[2,3]]", NULL, "bad_shape@/data/1"},
		{"[[],1]", NULL, "bad_shape@/data/1"},
		{"[1,[]]", NULL, "bad_shape@/data/1"},
		{"[[],[[]]]", NULL, "bad_shape@/data/1"},
	};

	(void)state;
	CHECK(cases);
}

static void test_grammar(void **state)
{
	static const char *const bad[] = {
		"",          "[",         "[1",        "[1,",       "[1,]",    "[,1]",
		"[1 2]",     "[01]",      "[+1]",      "[.5]",      "[1.]",    "[1.e5]",
		"[1e]",      "[1e+]",     "[-]",       "-",         "[1]]",    "[1] 2",
		"[nan]",     "[inf]",     "[0x1]",     "[1}",       "[-Inf]",  "[- 1]",
		"[1_0]",     "[tru]",     "[1.5.5]",   "[1;2]",     "[00]",    "['NaN']",
		"1e",        "1.",        "1e+",       "[1.5e]",    "[1.5E-]", "[1.5,1e]",
		"[1e5.]",    "[1.5,2.]",  "[1.5,.5]",  "[1.5,02]",  "[1.5,-]", "[1.5,-.5]",
		"[1.5,inf]", "[1.5,nan]", "[1.5,0x1]", "[1.5,-inf]"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_string_equal(read_as(bad[i], NULL), "bad_json@/data");
}

static void test_dtype(void **state)
{
	static const struct number_case cases[] = {
		{"[1e3,2.0,100e-2,-0.0,0e99999999999]", "int16", "int16(5): 1000,2,1,0,0"},
		{"[-128,127]", "int8", "int8(2): -128,127"},
		{"[128]", "int8", "bad_value@/data/0"},
		{"[-129]", "int8", "bad_value@/data/0"},
		{"[[1,2],[3,2.5]]", "int32", "bad_value@/data/1/1"},
		{"[-1]", "uint8", "bad_value@/data/0"},
		{"[18446744073709551615.000]", "uint64", "uint64(1): 18446744073709551615"},
		{"[1e20]", "uint64", "bad_value@/data/0"},
		{"[1e999999999999999999999]", "int64", "bad_value@/data/0"},
		{"[9007199254740993]", "int64", "int64(1): 9007199254740993"},
		{"[NaN]", "int64", "bad_value@/data/0"},
		{"[1,0,1.0]", "bool", "bool(3): true,false,true"},
		{"[2]", "bool", "bad_value@/data/0"},
		{"[true,1]", "bool", "bad_value@/data/1"},
		{"[true]", "float32", "bad_value@/data/0"},
		{"[1e400,-1e400,1e-400,-1e-400]", "float64",
		 "float64(4): \"Infinity\",\"-Infinity\",0.0,-0.0"},
		{"[65519.99,65520,1e9]", "float16",
		 "float16(3): 65500.0,\"Infinity\",\"Infinity\""},
		/* 1 + 2^-11 is halfway between two float16: to even, but a digit
		 * that binary64 does not hold decides */
		{"[1.00048828125,1.000488281250000000000000001,1.00146484375,"
		 "1.0014648437499999999999999999]",
		 "float16", "float16(4): 1.0,1.001,1.002,1.001"},
		/* 1 + 2^-8, likewise for bfloat16; 1 + 2^-24 for float32 */
		{"[1.00390625,1.00390625000000000000000000001]", "bfloat16",
		 "bfloat16(2): 1.0,1.01"},
		{"[1.000000059604644775390625,1.0000000596046447753906250000000001]", "float32",
		 "float32(2): 1.0,1.0000001"},
		/* half of the least subnormal, 2^-25 */
		{"[2.98023223876953125e-8,2.980232238769531250000000001e-8]", "float16",
		 "float16(2): 0.0,6e-08"},
		{"[]", "int8", "int8(0):"},
	};

	(void)state;
	CHECK(cases);
}

static void test_places(void **state)
{
	struct error err = {0};
	struct numbers out;
	const char text[] = "[[1,2],[3,\"x\"]]";
	const enum dtype int8 = DTYPE_INT8;

	(void)state;
	assert_int_equal(numbers_read(&out, text, strlen(text), NULL, 32, "/with/data", &err),
			 STATUS_BAD_VALUE);
	assert_true(err.has_pointer);
	assert_string_equal(err.pointer, "/with/data/1/1");
	assert_int_equal(numbers_read(&out, "[7, 1.5]", 8, &int8, 32, "", &err), STATUS_BAD_VALUE);
	assert_string_equal(err.text, "1.5 is no integer, for int8");
	assert_int_equal(numbers_read(&out, "[7, 1e]", 7, &int8, 32, "", &err), STATUS_BAD_JSON);
	assert_string_equal(err.text, "expected ',' or ']' at byte 5 of the numbers");
	/* nobody asks why */
	assert_int_equal(numbers_read(&out, "[7, 1.5]", 8, &int8, 32, "", NULL), STATUS_BAD_VALUE);
	assert_int_equal(numbers_read(&out, "[7, ", 4, &int8, 32, "", NULL), STATUS_BAD_JSON);
}

static void test_depth(void **state)
{
	struct error err = {0};
	struct numbers out;

	(void)state;
	assert_int_equal(numbers_read(&out, "[[[1]]]", 7, NULL, 3, "", &err), STATUS_OK);
	free(out.data);
	assert_int_equal(numbers_read(&out, "[[[[1]]]]", 9, NULL, 3, "", &err), STATUS_BAD_JSON);
	assert_string_equal(err.text, "arrays are nested too deep at byte 3 of the numbers");
	assert_int_equal(numbers_read(&out, "1", 1, NULL, 0, "", &err), STATUS_OK);
	free(out.data);
}

/* More numbers than the text's size lets guess. */
static void test_growth(void **state)
{
	enum { COUNT = 5000 };
	char text[2 * COUNT + 2];
	struct error err = {0};
	struct numbers out;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT; i++) {
		text[2 * i] = i == 0 ? '[' : ',';
		text[2 * i + 1] = (char)('0' + i % 10);
	}
	text[2 * COUNT] = ']';
	assert_int_equal(numbers_read(&out, text, 2 * COUNT + 1, NULL, 1, "", &err), STATUS_OK);
	assert_int_equal(out.desc.shape[0], COUNT);
	for (i = 0; i < COUNT; i++)
		assert_int_equal(((int64_t *)out.data)[i], i % 10);
	free(out.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inference), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_grammar),   cmocka_unit_test(test_dtype),
		cmocka_unit_test(test_places),    cmocka_unit_test(test_depth),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
