#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/int192.h"

static void assert_decimal(const struct int192 *a, const char *wanted)
{
	char text[60];

	int192_format(a, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void test_sums_of_ends(void **state)
{
	struct int192 a = {{0}};

	(void)state;
	assert_decimal(&a, "0");
	int192_add_i64(&a, INT64_MIN);
	int192_add_i64(&a, INT64_MIN);
	assert_decimal(&a, "-18446744073709551616");
	int192_add_u64(&a, UINT64_MAX);
	assert_decimal(&a, "-1");
	assert_true(int192_negative(&a));
	int192_add_u64(&a, UINT64_MAX);
	assert_decimal(&a, "18446744073709551614");
	assert_false(int192_negative(&a));
}

static void test_products(void **state)
{
	struct int192 a = {{0}};
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		int192_add_u128(&a, (unsigned __int128)UINT64_MAX * UINT64_MAX);
	assert_decimal(&a, "1361129467683753853705924477137396432900");
	a = (struct int192){{0}};
	for (i = 0; i < 4; i++)
		int192_add_i128(&a, (__int128)INT64_MIN * INT64_MAX);
	assert_decimal(&a, "-340282366920938463426481119284349108224");
	int192_add_i128(&a, -1);
	assert_decimal(&a, "-340282366920938463426481119284349108225");
}

static void test_ends_of_the_format(void **state)
{
	struct int192 least = {{0, 0, (uint64_t)1 << 63}};
	struct int192 greatest = {{UINT64_MAX, UINT64_MAX, INT64_MAX}};
	struct int192 zeros = {{(uint64_t)10000000000000000000u, 0, 0}};

	(void)state;
	assert_decimal(&least, "-3138550867693340381917894711603833208051177722232017256448");
	assert_decimal(&greatest, "3138550867693340381917894711603833208051177722232017256447");
	assert_decimal(&zeros, "10000000000000000000");
}

static void test_merge_and_magnitude(void **state)
{
	struct int192 a = {{0}}, b = {{0}};
	uint64_t words[3];

	(void)state;
	int192_add_i128(&a, -((__int128)1 << 100));
	int192_magnitude(&a, words);
	assert_true(words[0] == 0 && words[1] == (uint64_t)1 << 36 && words[2] == 0);
	int192_add_i128(&b, ((__int128)1 << 100) + 5);
	int192_add(&a, &b);
	int192_magnitude(&a, words);
	assert_true(words[0] == 5 && words[1] == 0 && words[2] == 0);
}

static void test_fits_and_compare(void **state)
{
	struct int192 a = {{0}}, b = {{0}};

	(void)state;
	int192_add_i64(&a, INT64_MAX);
	assert_true(int192_fits_i64(&a) && int192_fits_u64(&a));
	int192_add_i64(&a, 1);
	assert_true(!int192_fits_i64(&a) && int192_fits_u64(&a));
	int192_add_u64(&a, (uint64_t)1 << 63);
	assert_true(!int192_fits_i64(&a) && !int192_fits_u64(&a));
	int192_add_i64(&b, INT64_MIN);
	assert_true(int192_fits_i64(&b) && !int192_fits_u64(&b));
	assert_true(int192_compare(&b, &a) < 0 && int192_compare(&a, &b) > 0);
	assert_int_equal(int192_compare(&a, &a), 0);
	int192_add_i64(&b, -1);
	assert_true(!int192_fits_i64(&b));
	a = b;
	int192_add_i64(&a, 1);
	assert_true(int192_compare(&b, &a) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_of_ends),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_ends_of_the_format),
		cmocka_unit_test(test_merge_and_magnitude),
		cmocka_unit_test(test_fits_and_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
