#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/bigint.h"

/* Random and long operands against Python's integers: tests/property/test_exact.py. */

static void set3(struct bigint *a, uint64_t w0, uint64_t w1, uint64_t w2)
{
	const uint64_t words[3] = {w0, w1, w2};

	bigint_set_words(a, words, 3);
}

static void assert_words(const struct bigint *a, uint32_t used, uint64_t w0, uint64_t w1,
			 uint64_t w2)
{
	const uint64_t words[3] = {w0, w1, w2};
	uint32_t i;

	assert_int_equal(a->used, used);
	for (i = 0; i < used; i++)
		assert_true(a->word[i] == words[i]);
}

static void test_set_and_bits(void **state)
{
	struct bigint a;

	(void)state;
	bigint_set(&a, 0);
	assert_int_equal(a.used, 0);
	assert_int_equal(bigint_bits(&a), 0);
	bigint_set(&a, 1);
	assert_int_equal(bigint_bits(&a), 1);
	set3(&a, 5, 0, 0);
	assert_words(&a, 1, 5, 0, 0);
	set3(&a, 0, 0, 4);
	assert_int_equal(bigint_bits(&a), 131);
}

static void test_compare(void **state)
{
	struct bigint a, b;

	(void)state;
	set3(&a, 9, 1, 0);
	set3(&b, 8, 2, 0);
	assert_true(bigint_compare(&a, &b) < 0);
	assert_true(bigint_compare(&b, &a) > 0);
	assert_int_equal(bigint_compare(&a, &a), 0);
	bigint_set(&b, UINT64_MAX);
	assert_true(bigint_compare(&a, &b) > 0);
}

static void test_add_and_sub_carry(void **state)
{
	struct bigint a, b, out;

	(void)state;
	set3(&a, UINT64_MAX, UINT64_MAX, 0);
	bigint_set(&b, 1);
	bigint_add(&out, &a, &b);
	assert_words(&out, 3, 0, 0, 1);
	bigint_add(&out, &b, &a);
	assert_words(&out, 3, 0, 0, 1);
	bigint_sub(&out, &out, &b); /* in place */
	assert_words(&out, 2, UINT64_MAX, UINT64_MAX, 0);
	bigint_sub(&out, &a, &a);
	assert_int_equal(out.used, 0);
}

static void test_mul(void **state)
{
	struct bigint a, b, out;

	(void)state;
	bigint_set(&a, UINT64_MAX);
	bigint_mul(&out, &a, &a); /* 2^128 - 2^65 + 1 */
	assert_words(&out, 2, 1, UINT64_MAX - 1, 0);
	bigint_set(&b, 0);
	bigint_mul(&out, &a, &b);
	assert_int_equal(out.used, 0);
}

static void test_shift(void **state)
{
	struct bigint a;
	bool lost;

	(void)state;
	bigint_set(&a, 3);
	bigint_shift_left(&a, 127);
	assert_words(&a, 3, 0, (uint64_t)1 << 63, 1);
	bigint_shift_right(&a, 127, &lost);
	assert_words(&a, 1, 3, 0, 0);
	assert_false(lost);
	bigint_shift_right(&a, 1, &lost);
	assert_words(&a, 1, 1, 0, 0);
	assert_true(lost);
	bigint_shift_right(&a, 0, &lost);
	assert_false(lost);
	bigint_shift_right(&a, 64, &lost);
	assert_int_equal(a.used, 0);
	assert_true(lost);
	bigint_shift_right(&a, 64, &lost);
	assert_false(lost);
}

static void test_divide(void **state)
{
	struct bigint num, den, quotient;
	bool rest;

	(void)state;
	set3(&num, 0, 0, 1);
	bigint_set(&den, 3);
	bigint_divide(&quotient, &rest, &num, &den);
	assert_words(&quotient, 2, 0x5555555555555555u, 0x5555555555555555u, 0);
	assert_true(rest);

	bigint_set(&num, 6);
	bigint_set(&den, 3);
	bigint_divide(&num, &rest, &num, &den); /* in place */
	assert_words(&num, 1, 2, 0, 0);
	assert_false(rest);
	bigint_divide(&quotient, &rest, &num, &den);
	assert_int_equal(quotient.used, 0);
	assert_true(rest);
}

/* The trial digit stays one too large after the test of the second word: the
 * rare step D6 of Knuth's algorithm D (found with Python's integers). */
static void test_divide_adds_back(void **state)
{
	const uint64_t words[4] = {0, 0, (uint64_t)1 << 63, ((uint64_t)1 << 63) - 1};
	struct bigint num, den, quotient, check;
	bool rest;

	(void)state;
	bigint_set_words(&num, words, 4);
	set3(&den, 1, 0, (uint64_t)1 << 63);
	bigint_divide(&quotient, &rest, &num, &den);
	assert_words(&quotient, 1, UINT64_MAX - 1, 0, 0);
	assert_true(rest);
	bigint_mul(&check, &quotient, &den);
	bigint_sub(&check, &num, &check);
	assert_true(bigint_compare(&check, &den) < 0);
}

static void test_sqrt(void **state)
{
	struct bigint a, root;
	bool rest;
	uint64_t i;

	(void)state;
	for (i = 0; i < 100; i++) {
		bigint_set(&a, i);
		bigint_sqrt(&root, &rest, &a);
		assert_true(root.used <= 1);
		assert_true((root.used == 0 && i == 0) ||
			    (root.word[0] * root.word[0] <= i &&
			     (root.word[0] + 1) * (root.word[0] + 1) > i));
		assert_int_equal(rest, i != 0 && root.word[0] * root.word[0] != i);
	}
	set3(&a, 1, UINT64_MAX - 1, 0); /* (2^64 - 1)^2 */
	bigint_sqrt(&root, &rest, &a);
	assert_words(&root, 1, UINT64_MAX, 0, 0);
	assert_false(rest);
	set3(&a, 0, UINT64_MAX - 1, 0);
	bigint_sqrt(&root, &rest, &a);
	assert_words(&root, 1, UINT64_MAX - 1, 0, 0);
	assert_true(rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_bits),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_add_and_sub_carry),
		cmocka_unit_test(test_mul),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_divide_adds_back),
		cmocka_unit_test(test_sqrt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
