#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include "engine/intprod.h"

static void test_small_products(void **state)
{
	struct intprod a;

	(void)state;
	intprod_init(&a);
	assert_int_equal(a.low, 1);
	intprod_mul_i64(&a, -6);
	intprod_mul_i64(&a, 7);
	assert_true(a.negative && !a.zero && !a.huge);
	assert_int_equal(a.used, 1);
	assert_int_equal(a.word[0], 42);
	assert_true(a.low == (uint64_t)-42);
	intprod_mul_i64(&a, -1);
	assert_false(a.negative);
}

static void test_ends(void **state)
{
	struct intprod a;

	(void)state;
	intprod_init(&a);
	intprod_mul_i64(&a, INT64_MIN);
	intprod_mul_i64(&a, INT64_MIN); /* 2^126 */
	assert_false(a.negative);
	assert_int_equal(a.used, 2);
	assert_true(a.word[0] == 0 && a.word[1] == (uint64_t)1 << 62);
	assert_true(a.low == 0);
	intprod_mul_u64(&a, UINT64_MAX); /* 2^190 - 2^126 */
	assert_int_equal(a.used, 3);
	assert_true(a.word[1] == (uint64_t)3 << 62 && a.word[2] == ((uint64_t)1 << 62) - 1);
}

/* 0 makes the product 0, yet the others' magnitude and sign are kept, so that
 * the order does not matter. */
static void test_zero(void **state)
{
	struct intprod a, b;

	(void)state;
	intprod_init(&a);
	intprod_mul_i64(&a, -5);
	intprod_mul_i64(&a, 0);
	intprod_mul_u64(&a, 3);
	intprod_init(&b);
	intprod_mul_u64(&b, 0);
	intprod_mul_i64(&b, 3);
	intprod_mul_i64(&b, -5);
	assert_true(a.zero && b.zero && a.low == 0 && b.low == 0);
	assert_int_equal(a.word[0], 15);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_huge(void **state)
{
	struct intprod a, half;
	int i;

	(void)state;
	intprod_init(&a);
	intprod_init(&half);
	for (i = 0; i < 17; i++) /* 2^1071 */
		intprod_mul_u64(&a, (uint64_t)1 << 63);
	intprod_mul_u64(&a, (uint64_t)1 << 16); /* 2^1087: the last that fits */
	assert_false(a.huge);
	assert_int_equal(a.used, INTPROD_WORDS);
	intprod_mul_u64(&half, 2);
	intprod_mul(&half, &a);
	assert_true(half.huge);
	intprod_mul_i64(&a, -2);
	assert_true(a.huge && a.negative && !a.zero);
	intprod_mul_i64(&a, 0);
	assert_true(a.zero && a.low == 0);
}

static void test_merge_is_multiplication(void **state)
{
	static const int64_t factors[] = {INT64_MAX, -3, INT64_MIN, 1000003, -1, 77, INT64_MAX, 12};
	const size_t count = sizeof(factors) / sizeof(factors[0]);
	struct intprod whole, left, right;
	size_t i, cut;

	(void)state;
	intprod_init(&whole);
	for (i = 0; i < count; i++)
		intprod_mul_i64(&whole, factors[i]);
	for (cut = 0; cut <= count; cut++) {
		intprod_init(&left);
		intprod_init(&right);
		for (i = 0; i < count; i++)
			intprod_mul_i64(i < cut ? &left : &right, factors[i]);
		intprod_mul(&right, &left);
		assert_int_equal(right.used, whole.used);
		assert_memory_equal(right.word, whole.word, whole.used * sizeof(whole.word[0]));
		assert_int_equal(right.negative, whole.negative);
		assert_true(right.low == whole.low);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_products),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_merge_is_multiplication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
