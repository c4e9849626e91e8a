#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include "engine/exactsum.h"

/* Random sums against rationals: tests/property/test_exact.py. */

/* Digit of weight 2^0 is at -EXACTSUM_LOW / 32. */
#define UNIT (-EXACTSUM_LOW / 32)

/* What is not initialised must not matter: it is filled with bits that do. */
static void start(struct exactsum *sum)
{
	memset(sum, 0xa5, sizeof(*sum));
	exactsum_init(sum);
}

static double value_of(const struct exactsum *sum)
{
	struct exactsum copy = *sum;
	double value;

	exactsum_round(&copy, DTYPE_FLOAT64, &value);
	return value;
}

static double sum_of(const double *x, size_t count)
{
	struct exactsum sum;
	size_t i;

	start(&sum);
	for (i = 0; i < count; i++)
		exactsum_add(&sum, x[i]);
	return value_of(&sum);
}

#define SUM(...)                              \
	sum_of((const double[]){__VA_ARGS__}, \
	       sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void test_what_plain_addition_gets_wrong(void **state)
{
	(void)state;
	assert_true(SUM(1e308, 1.0, -1e308) == 1);
	assert_true(SUM(1e16, 1.0, 1.0, -1e16) == 2);
	assert_true(SUM(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1) == 1);
	assert_true(SUM(0x1p-1074, 1.0, -1.0) == 0x1p-1074);
	assert_true(SUM(1.0, 0x1p-53) == 1);               /* a tie */
	assert_true(SUM(1.0, 0x1p-53, 0x1p-1074) > 1);     /* just above it */
	assert_true(SUM(-1.0, -0x1p-53, 0x1p-1074) == -1); /* just below it */
}

static void test_range(void **state)
{
	const double big = 0x1.fffffffffffffp1023;

	(void)state;
	assert_true(SUM(big, big, -big) == big); /* beyond it on the way */
	assert_true(SUM(big, big) == HUGE_VAL);
	assert_true(SUM(-big, -big) == -HUGE_VAL);
	assert_true(SUM(big, 0x1p969) == big);      /* below half a step */
	assert_true(SUM(big, 0x1p970) == HUGE_VAL); /* half: to even, which is out */
}

static void test_specials(void **state)
{
	(void)state;
	assert_true(isnan(SUM(1.0, NAN)));
	assert_true(isnan(SUM(HUGE_VAL, -HUGE_VAL)));
	assert_true(isnan(SUM(HUGE_VAL, NAN)));
	assert_true(SUM(HUGE_VAL, -1e308) == HUGE_VAL);
	assert_true(SUM(-HUGE_VAL, 5.0) == -HUGE_VAL);
}

static void test_zeros(void **state)
{
	struct exactsum none;

	(void)state;
	assert_true(SUM(-0.0, -0.0) == 0 && signbit(SUM(-0.0, -0.0)));
	assert_false(signbit(SUM(-0.0, 0.0)));
	assert_false(signbit(SUM(0.0)));
	assert_false(signbit(SUM(1.0, -1.0, -0.0)));
	assert_false(signbit(SUM(-1.0, 1.0)));
	start(&none);
	assert_true(value_of(&none) == 0 && !signbit(value_of(&none)));
}

static void test_products(void **state)
{
	struct exactsum sum;

	(void)state;
	start(&sum);
	exactsum_add_product(&sum, 0x1p-1074, -0x1p-1074); /* not 0, though it rounds to it */
	assert_false(sum.neg_zero);
	assert_true(value_of(&sum) == 0 && signbit(value_of(&sum)));
	exactsum_add_product(&sum, 0x1p1000, 0x1p1000);
	exactsum_add_product(&sum, -0x1p1000, 0x1p1000);
	exactsum_add_product(&sum, 0x1p-1074, 0x1p-1074);
	exactsum_normalize(&sum);
	assert_true(sum.lo > sum.hi); /* all cancelled */

	/* (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104 */
	start(&sum);
	exactsum_add_product(&sum, 1 + 0x1p-52, 1 + 0x1p-52);
	exactsum_add(&sum, -(1 + 0x1p-51));
	assert_true(value_of(&sum) == 0x1p-104);
}

static void test_products_of_specials(void **state)
{
	struct exactsum sum;

	(void)state;
	start(&sum);
	exactsum_add_product(&sum, -0.0, 5);
	exactsum_add_product(&sum, 0.0, -5);
	assert_true(sum.neg_zero && !sum.other);
	assert_true(signbit(value_of(&sum)));
	exactsum_add_product(&sum, -0.0, -5);
	assert_false(signbit(value_of(&sum)));
	exactsum_add_product(&sum, -HUGE_VAL, 5);
	exactsum_add_product(&sum, -HUGE_VAL, HUGE_VAL);
	assert_true(sum.neg_inf && sum.other);
	assert_true(value_of(&sum) == -HUGE_VAL);
	exactsum_add_product(&sum, 0, HUGE_VAL);
	assert_true(sum.nan);
	start(&sum);
	exactsum_add_product(&sum, NAN, 0);
	assert_true(sum.nan && sum.other);
	start(&sum);
	exactsum_add_product(&sum, -HUGE_VAL, -0.0);
	assert_true(sum.nan && sum.other && !sum.neg_inf);
}

static void assert_digits(struct exactsum *sum, int lo, int count, int64_t d0, int64_t d1)
{
	exactsum_normalize(sum);
	assert_int_equal(sum->pending, 0);
	assert_int_equal(sum->lo, lo);
	assert_int_equal(sum->hi, lo + count - 1);
	assert_true(sum->digit[lo] == d0);
	if (count > 1)
		assert_true(sum->digit[lo + 1] == d1);
}

static void test_normal_form(void **state)
{
	struct exactsum sum;

	(void)state;
	start(&sum);
	exactsum_normalize(&sum);
	assert_true(sum.lo == 0 && sum.hi == -1);
	exactsum_add(&sum, 1);
	assert_digits(&sum, UNIT, 1, 1, 0);
	exactsum_add(&sum, -2);
	assert_digits(&sum, UNIT, 1, -1, 0);
	exactsum_add(&sum, -0x1p32);
	assert_digits(&sum, UNIT, 2, 0xffffffff, -2);
	exactsum_add(&sum, 2); /* -2^32 + 1: one digit is enough */
	assert_digits(&sum, UNIT, 1, -0xffffffffLL, 0);
	exactsum_add(&sum, -1);
	assert_digits(&sum, UNIT + 1, 1, -1, 0);
	exactsum_add(&sum, 0x1p33);
	assert_digits(&sum, UNIT + 1, 1, 1, 0);
	exactsum_add(&sum, -0x1p32);
	assert_true(value_of(&sum) == 0);
	exactsum_normalize(&sum);
	assert_true(sum.lo == 0 && sum.hi == -1);
}

/* Carries wait for 2^30 additions: doubling passes that many quickly, and what
 * is left of the room of 31 bits would be gone soon after. */
static void test_pending_carries(void **state)
{
	struct exactsum sum, other;
	int i;

	(void)state;
	start(&sum);
	exactsum_add(&sum, 0x1p32 - 1);
	for (i = 0; i < 60; i++) {
		exactsum_merge(&sum, &sum);
		assert_true(sum.pending < (uint32_t)1 << 30);
		assert_true(value_of(&sum) == ldexp(0x1p32 - 1, i + 1));
	}
	start(&other);
	exactsum_add(&other, -1);
	other.pending = ((uint32_t)1 << 30) - 1;
	exactsum_merge(&other, &sum);
	other.pending = ((uint32_t)1 << 30);
	exactsum_add(&other, 1);
	assert_int_equal(other.pending, 1); /* propagated just before */
	assert_true(value_of(&other) == ldexp(0x1p32 - 1, 60));
}

static void test_merge(void **state)
{
	struct exactsum a, b, empty;
	double value;

	(void)state;
	start(&a);
	start(&b);
	start(&empty);
	exactsum_add(&a, 1e300);
	exactsum_add(&a, NAN);
	exactsum_add(&b, -1e-300);
	exactsum_add(&b, -0.0);
	exactsum_add(&b, HUGE_VAL);
	exactsum_merge(&a, &b);
	exactsum_merge(&a, &empty);
	exactsum_merge(&empty, &a);
	assert_true(empty.nan && empty.neg_zero && empty.pos_inf && empty.other);
	assert_false(empty.neg_inf);
	assert_false(exactsum_is_finite(&empty, &value));
	assert_true(isnan(value));
	empty.nan = empty.pos_inf = false;
	exactsum_add(&empty, -1e300);
	assert_true(value_of(&empty) == -1e-300);
}

static void test_result_types(void **state)
{
	struct exactsum sum;
	uint16_t half;
	float single;

	(void)state;
	start(&sum);
	exactsum_add(&sum, 1);
	exactsum_add(&sum, 0x1p-11);
	exactsum_add(&sum, 0x1p-1000); /* a tie of float16 but for this */
	exactsum_round(&sum, DTYPE_FLOAT16, &half);
	assert_int_equal(half, 0x3c01);
	exactsum_round(&sum, DTYPE_FLOAT32, &single);
	assert_true(single == 1 + 0x1p-11f);
	exactsum_add(&sum, 1e39);
	exactsum_round(&sum, DTYPE_FLOAT32, &single);
	assert_true(isinf(single));
}

/* Against the same number added as doubles: its words of 32 bits. */
static void test_integers(void **state)
{
	static const __int128 values[] = {
		0,
		1,
		-1,
		INT64_MAX,
		INT64_MIN,
		(__int128)INT64_MAX + 1,
		(__int128)INT64_MIN - 1,
		((__int128)1 << 126) + 12345,
		-((__int128)1 << 126) - 12345,
	};
	static const int exponents[] = {-2140, -1074, -75, -33, -32, -31, -1, 0, 1, 971};

	(void)state;
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		for (size_t e = 0; e < sizeof(exponents) / sizeof(exponents[0]); e++) {
			unsigned __int128 rest = values[v] < 0 ? -(unsigned __int128)values[v]
							       : (unsigned __int128)values[v];
			struct exactsum integer, words;
			int shift = 0;

			start(&integer);
			start(&words);
			exactsum_add_integer(&integer, values[v], exponents[e]);
			assert_false(integer.other);
			for (; rest != 0; rest >>= 16, shift += 16) {
				double word = (double)(uint16_t)rest * (values[v] < 0 ? -1 : 1);
				int half = (exponents[e] + shift) / 2;

				exactsum_add_product(&words, ldexp(word, half),
						     ldexp(1, exponents[e] + shift - half));
			}
			exactsum_normalize(&integer);
			exactsum_normalize(&words);
			assert_int_equal(integer.lo, words.lo);
			assert_int_equal(integer.hi, words.hi);
			for (int i = words.lo; i <= words.hi; i++)
				assert_true(integer.digit[i] == words.digit[i]);
		}
	}
}

/* Only what decides is kept, so that equal sums are equal. */
static void test_flags_are_settled(void **state)
{
	struct exactsum sum;

	(void)state;
	start(&sum);
	exactsum_add(&sum, -0.0);
	exactsum_normalize(&sum);
	assert_true(sum.neg_zero && !sum.other);
	exactsum_add(&sum, 0.0);
	exactsum_normalize(&sum);
	assert_true(!sum.neg_zero && sum.other);

	exactsum_add(&sum, 5.0);
	exactsum_add(&sum, INFINITY);
	exactsum_normalize(&sum);
	assert_true(sum.pos_inf && !sum.neg_inf && !sum.nan && sum.lo > sum.hi);
	exactsum_add(&sum, 5.0);
	exactsum_add(&sum, -INFINITY);
	exactsum_normalize(&sum);
	assert_true(!sum.pos_inf && !sum.neg_inf && sum.nan && sum.lo > sum.hi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_plain_addition_gets_wrong),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_products_of_specials),
		cmocka_unit_test(test_normal_form),
		cmocka_unit_test(test_pending_carries),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_result_types),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_flags_are_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
