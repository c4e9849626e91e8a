/* Values of free accumulators merged: in every order and tree the same, and what
 * one accumulator of all elements says. */
#include "config.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "engine/combine.h"
#include <cmocka.h> /* last: it defines fail() */

static struct extreme of_f64(double x, uint64_t index)
{
	return (struct extreme){.value.f = x, .index = index, .any = true, .nan = isnan(x)};
}

static struct extreme of_u64(uint64_t x, uint64_t index)
{
	return (struct extreme){.value.u = x, .index = index, .any = true};
}

static void same(const struct extreme *a, const struct extreme *b)
{
	assert_int_equal(a->any, b->any);
	if (!a->any)
		return;
	assert_int_equal(a->nan, b->nan);
	assert_int_equal(a->index, b->index);
	if (!a->nan)
		assert_int_equal(a->value.u, b->value.u);
}

/* One of the pair, whichever comes first; nothing is the identity. */
static void check(enum accum accum, enum domain domain, struct extreme winner, struct extreme loser)
{
	struct extreme nothing = {.any = false}, a = winner, b = loser, c = nothing, d = winner;

	accum_combine(accum, domain, &a, &loser);
	accum_combine(accum, domain, &b, &winner);
	accum_combine(accum, domain, &c, &winner);
	accum_combine(accum, domain, &d, &nothing);
	same(&a, &winner);
	same(&b, &winner);
	same(&c, &winner);
	same(&d, &winner);
}

static void extremes_of_floats(void **state)
{
	(void)state;
	check(ACCUM_MIN, DOMAIN_F64, of_f64(-1, 9), of_f64(2, 0));
	check(ACCUM_MAX, DOMAIN_F64, of_f64(2, 9), of_f64(-1, 0));
	check(ACCUM_MIN, DOMAIN_F64, of_f64(-0.0, 9), of_f64(0.0, 0));
	check(ACCUM_MAX, DOMAIN_F64, of_f64(0.0, 9), of_f64(-0.0, 0));
	check(ACCUM_MIN, DOMAIN_F64, of_f64(-INFINITY, 9), of_f64(-0x1p-1074, 0));
	check(ACCUM_MAX, DOMAIN_F64, of_f64(5, 3), of_f64(5, 4));
	check(ACCUM_MAX, DOMAIN_F64, of_f64(NAN, 9), of_f64(INFINITY, 0));
	check(ACCUM_MIN, DOMAIN_F64, of_f64(NAN, 9), of_f64(-INFINITY, 0));
	check(ACCUM_MIN, DOMAIN_F64, of_f64(NAN, 3), of_f64(NAN, 4));
	check(ACCUM_MAX_ABS, DOMAIN_F64, of_f64(2, 9), of_f64(1, 0));
}

static void extremes_of_integers(void **state)
{
	(void)state;
	check(ACCUM_MIN, DOMAIN_I64, of_u64((uint64_t)-3, 9), of_u64(2, 0));
	check(ACCUM_MAX, DOMAIN_I64, of_u64(2, 9), of_u64((uint64_t)-3, 0));
	check(ACCUM_MIN, DOMAIN_U64, of_u64(2, 9), of_u64((uint64_t)-3, 0));
	check(ACCUM_MAX, DOMAIN_U64, of_u64((uint64_t)-3, 9), of_u64(2, 0));
	check(ACCUM_MIN, DOMAIN_I64, of_u64(2, 1), of_u64(2, 2));
	/* |-2^63| is beyond int64_t. */
	check(ACCUM_MAX_ABS, DOMAIN_I64, of_u64((uint64_t)1 << 63, 9), of_u64(7, 0));
	check(ACCUM_MAX_ABS, DOMAIN_U64, of_u64(UINT64_MAX, 9), of_u64(7, 0));
}

static void sums_and_counts(void **state)
{
	struct exact_moments a, b;
	struct int_moments m = {{{1, 0, 0}}, {{UINT64_MAX, UINT64_MAX, 0}}};
	struct int_moments n = {{{UINT64_MAX, UINT64_MAX, UINT64_MAX}}, {{1, 0, 0}}};
	struct int192 sum = {{UINT64_MAX, 0, 0}};
	struct tally left = {3}, right = {4};
	struct intprod p, q;
	double out;

	(void)state;
	exactsum_init(&a.sum);
	exactsum_init(&a.squares);
	b = a;
	exactsum_add(&a.sum, 1e300);
	exactsum_add(&b.sum, -1e300);
	exactsum_add(&b.sum, 3);
	exactsum_add_product(&a.squares, 1e200, 1e200);
	accum_combine(ACCUM_EXACT_MOMENTS, DOMAIN_F64, &b, &a);
	exactsum_round(&b.sum, DTYPE_FLOAT64, &out);
	assert_true(out == 3);
	exactsum_round(&b.squares, DTYPE_FLOAT64, &out);
	assert_true(out == INFINITY); /* 1e400, kept exactly, is beyond binary64 */
	accum_combine(ACCUM_EXACT_ABS, DOMAIN_F64, &a.sum, &a.sum);
	exactsum_round(&a.sum, DTYPE_FLOAT64, &out);
	assert_true(out == 2e300);

	accum_combine(ACCUM_INT_MOMENTS, DOMAIN_I64, &m, &n);
	assert_memory_equal(&m, (&(struct int_moments){{{0, 0, 0}}, {{0, 0, 1}}}), sizeof(m));
	accum_combine(ACCUM_INT_SUM, DOMAIN_U64, &sum, &(struct int192){{1, 0, 0}});
	assert_memory_equal(&sum, (&(struct int192){{0, 1, 0}}), sizeof(sum));

	accum_combine(ACCUM_TALLY, DOMAIN_F64, &left, &right);
	assert_int_equal(left.nonzero, 7);

	intprod_init(&p);
	intprod_init(&q);
	intprod_mul_i64(&p, -6);
	intprod_mul_i64(&q, INT64_MIN);
	accum_combine(ACCUM_INT_PROD, DOMAIN_I64, &p, &q);
	assert_int_equal(p.used, 2);
	assert_int_equal(p.word[0], 0);
	assert_int_equal(p.word[1], 3);
	assert_false(p.negative);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes_of_floats),
		cmocka_unit_test(extremes_of_integers),
		cmocka_unit_test(sums_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
