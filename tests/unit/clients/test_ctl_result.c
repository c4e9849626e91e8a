#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_json.h"
#include "clients/ctl_result.h"

static void check(const char *json, size_t rows, size_t columns, const char *expected)
{
	struct ctl_table_limits limits = {rows, columns};
	json_t *result = ctl_json_read(json, strlen(json));
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(result);
	assert_non_null(stream);
	assert_int_equal(ctl_result_print(result, &limits, stream), CTL_OK);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, expected);
	free(text);
	json_decref(result);
}

#define TAIL ",\"count\":3,\"determinism\":\"ordered\",\"order\":1,\"backend\":\"cpu\"}"
#define FOOT "3 elements, backend cpu, order 1\n"

static void test_scalars(void **state)
{
	(void)state;
	check("{\"results\":{\"sum\":18446744073709551615,\"lp:1.5\":-0.5},"
	      "\"dtype\":{\"sum\":\"uint64\",\"lp:1.5\":\"float64\"},"
	      "\"bits\":{\"sum\":\"0xffffffffffffffff\",\"lp:1.5\":\"0xbfe0000000000000\"},"
	      "\"combine\":{\"sum\":\"integer\",\"lp:1.5\":\"two-pass\"},"
	      "\"elapsed_us\":{\"total\":7}" TAIL,
	      20, 10,
	      "op                     value  dtype    promise  combine   bits\n"
	      "sum     18446744073709551615  uint64   ordered  integer   0xffffffffffffffff\n"
	      "lp:1.5                  -0.5  float64  ordered  two-pass  0xbfe0000000000000\n"
	      "3 elements, backend cpu, order 1, 7 us\n");
}

static void test_partial(void **state)
{
	(void)state;
	check("{\"results\":{\"max\":null},\"dtype\":{\"max\":\"float64\"},"
	      "\"combine\":{\"max\":\"order-free\"},\"partial\":\"Zm9v\"" TAIL,
	      20, 10,
	      "op   value  dtype    promise  combine\n"
	      "max   null  float64  ordered  order-free\n" FOOT "partial: Zm9v\n");
}

static void test_vectors(void **state)
{
	(void)state;
	check("{\"results\":{\"sum\":[1.5,\"NaN\",null],\"argmax\":[0,10,2]},"
	      "\"dtype\":{\"sum\":\"float64\",\"argmax\":\"int64\"},"
	      "\"combine\":{\"sum\":\"two-pass\",\"argmax\":\"order-free\"}" TAIL,
	      20, 10,
	      "sum: float64, ordered, two-pass\n"
	      "argmax: int64, ordered, order-free\n"
	      "index   sum  argmax\n"
	      "    0   1.5       0\n"
	      "    1   NaN      10\n"
	      "    2  null       2\n" FOOT);
}

#define ONE(list)                                                        \
	"{\"results\":{\"sum\":" list "},\"dtype\":{\"sum\":\"int64\"}," \
	"\"combine\":{\"sum\":\"integer\"}" TAIL
#define HEAD "sum: int64, ordered, integer\n"

static void test_vector_cut(void **state)
{
	(void)state;
	check(ONE("[0,1,2,3,4,5]"), 3, 10,
	      HEAD "index  sum\n"
		   "    0    0\n"
		   "    1    1\n"
		   "  ...  ...\n"
		   "    5    5\n" FOOT);
	check(ONE("[0,1,2]"), 0, 10,
	      HEAD "index  sum\n"
		   "    0    0\n"
		   "    1    1\n"
		   "    2    2\n" FOOT);
}

static void test_matrix(void **state)
{
	(void)state;
	check(ONE("[[1,20],[300,4]]"), 20, 10,
	      HEAD "     0   1\n"
		   "0    1  20\n"
		   "1  300   4\n" FOOT);
	check(ONE("[[1,2,3,4],[5,6,7,8],[9,10,11,12],[13,14,15,16]]"), 2, 2,
	      HEAD "       0  ...    3\n"
		   "  0    1  ...    4\n"
		   "...  ...  ...  ...\n"
		   "  3   13  ...   16\n" FOOT);
	check(ONE("[[1,2,3]]"), 2, 2,
	      HEAD "   0  1  2\n"
		   "0  1  2  3\n" FOOT);
}

static void test_blocks(void **state)
{
	(void)state;
	check(ONE("[[[1,2]],[[3,4]]]"), 20, 10,
	      HEAD "[0, :, :]\n"
		   "   0  1\n"
		   "0  1  2\n"
		   "[1, :, :]\n"
		   "   0  1\n"
		   "0  3  4\n" FOOT);
}

static void test_empty_and_file(void **state)
{
	(void)state;
	check(ONE("[]"), 20, 10, HEAD "(empty)\n" FOOT);
	check(ONE("{\"file\":\"a.npy\",\"shape\":[2,3],\"dtype\":\"int64\"}"), 20, 10,
	      "sum: int64 [2, 3] written to a.npy\n" FOOT);
}

static void test_no_result(void **state)
{
	struct ctl_table_limits limits = {20, 10};
	json_t *result = ctl_json_read("{\"a\":1}", 7);

	(void)state;
	assert_int_equal(ctl_result_print(result, &limits, stdout), CTL_UNREACHABLE);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),    cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_vector_cut), cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_blocks),     cmocka_unit_test(test_empty_and_file),
		cmocka_unit_test(test_no_result),  cmocka_unit_test(test_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
