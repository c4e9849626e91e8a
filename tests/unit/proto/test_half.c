#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "proto/half.h"
#include <cmocka.h>

static uint16_t read_as(enum dtype dtype, const char *text)
{
	const char *end = text + strlen(text);
	uint16_t half;

	assert_ptr_equal(half_read(text, end, dtype, &half), end);
	return half;
}

static void test_float16(void **state)
{
	(void)state;
	assert_int_equal(read_as(DTYPE_FLOAT16, "1"), 0x3C00);
	assert_int_equal(read_as(DTYPE_FLOAT16, "-0.0"), 0x8000);
	/* 1 + 2^-11 and 1 + 3 * 2^-11 are halfway between two: to even, but for a
	 * digit that binary64 does not hold */
	assert_int_equal(read_as(DTYPE_FLOAT16, "1.00048828125"), 0x3C00);
	assert_int_equal(read_as(DTYPE_FLOAT16, "1.000488281250000000000000001"), 0x3C01);
	assert_int_equal(read_as(DTYPE_FLOAT16, "-1.000488281250000000000000001"), 0xBC01);
	assert_int_equal(read_as(DTYPE_FLOAT16, "1.00146484375"), 0x3C02);
	assert_int_equal(read_as(DTYPE_FLOAT16, "1.0014648437499999999999999999"), 0x3C01);
	/* half of the least subnormal, 2^-25 */
	assert_int_equal(read_as(DTYPE_FLOAT16, "2.98023223876953125e-8"), 0);
	assert_int_equal(read_as(DTYPE_FLOAT16, "2.980232238769531250000000001e-8"), 1);
	/* halfway to what would be the next, 65536 */
	assert_int_equal(read_as(DTYPE_FLOAT16, "65520"), 0x7C00);
	assert_int_equal(read_as(DTYPE_FLOAT16, "65519.99999999999999999999"), 0x7BFF);
	assert_int_equal(read_as(DTYPE_FLOAT16, "1e999"), 0x7C00);
	assert_int_equal(read_as(DTYPE_FLOAT16, "-1e-999"), 0x8000);
}

static void test_bfloat16(void **state)
{
	(void)state;
	assert_int_equal(read_as(DTYPE_BFLOAT16, "1.00390625"), 0x3F80);
	assert_int_equal(read_as(DTYPE_BFLOAT16, "1.00390625000000000000000000001"), 0x3F81);
	/* 255 * 2^-134: the midpoint with the most digits, 97 */
	assert_int_equal(read_as(DTYPE_BFLOAT16,
				 "1.17090257601438794739073366012372128063968639444094655"
				 "4627858144925767192034982144832611083984375e-38"),
			 0x0080);
	assert_int_equal(read_as(DTYPE_BFLOAT16,
				 "1.17090257601438794739073366012372128063968639444094655"
				 "4627858144925767192034982144832611083984374999e-38"),
			 0x007F);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_float16),
		cmocka_unit_test(test_bfloat16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
