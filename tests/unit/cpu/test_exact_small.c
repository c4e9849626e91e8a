/* The small exact accumulator of every instruction set that is here, against
 * exactsum_add() one element at a time. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define KERNELS_LEVEL portable
#include "cpu/kernels/exact_small.h"
#include "cpu/simd.h"
#include "engine/elementary.h"
#include <cmocka.h> /* last: it defines fail() */

struct small {
	enum simd simd;
	void (*init)(struct exact_small *s);
	void (*add)(struct exact_small *s, const double *x, uint64_t count, bool magnitude);
	void (*add_f32)(struct exact_small *s, const float *x, uint64_t count, bool magnitude);
	void (*end)(struct exact_small *s, struct exactsum *sum);
};

#define OF_LEVEL(simd, level)                                                \
	{                                                                    \
		simd, exact_small_init_##level, exact_small_add_##level,     \
			exact_small_add_f32_##level, exact_small_end_##level \
	}

#ifdef HAVE_X86_KERNELS
#define DECLARE(level)                                                                          \
	void exact_small_init_##level(struct exact_small *s);                                   \
	void exact_small_add_##level(struct exact_small *s, const double *x, uint64_t count,    \
				     bool magnitude);                                           \
	void exact_small_add_f32_##level(struct exact_small *s, const float *x, uint64_t count, \
					 bool magnitude);                                       \
	void exact_small_end_##level(struct exact_small *s, struct exactsum *sum)
DECLARE(x86_64_v2);
DECLARE(avx2);
DECLARE(avx512);
#endif

static const struct small smalls[] = {
	{SIMD_PORTABLE, exact_small_init, exact_small_add, exact_small_add_f32, exact_small_end},
#ifdef HAVE_X86_KERNELS
	OF_LEVEL(SIMD_X86_64_V2, x86_64_v2),
	OF_LEVEL(SIMD_AVX2, avx2),
	OF_LEVEL(SIMD_AVX512, avx512),
#endif
};

#define MOST 5000

enum kind {
	ANY_BITS,
	FINITE_BITS,
	UNIFORM,
	GREATEST, /* of both signs: sums pass the range */
	LEAST,    /* subnormals */
	MINUS_ZEROS,
	ZEROS, /* of both signs */
	CANCELLING,
	ONES, /* all bits of the mantissa, one sign: carries everywhere */
	KINDS
};

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void fill(double *x, uint64_t count, enum kind kind, uint64_t *seed)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t r = random_bits(seed), sign = r << 63;

		switch (kind) {
		case ANY_BITS: /* a fortieth of them NaN or infinite */
			x[i] = elementary_from_bits(r);
			if (random_bits(seed) % 40 == 0)
				x[i] = r % 3 == 0 ? NAN : r % 3 == 1 ? INFINITY : -INFINITY;
			break;
		case FINITE_BITS:
			x[i] = elementary_from_bits(r);
			if (!isfinite(x[i]))
				x[i] = 1.0;
			break;
		case UNIFORM:
			x[i] = (double)(int64_t)r * 0x1p-63;
			break;
		case GREATEST:
			x[i] = elementary_from_bits(sign | (0x7fefffffffffffffu - (r >> 54)));
			break;
		case LEAST:
			x[i] = elementary_from_bits(sign | r >> 12);
			break;
		case MINUS_ZEROS:
			x[i] = -0.0;
			break;
		case ZEROS:
			x[i] = sign != 0 ? -0.0 : 0.0;
			break;
		case CANCELLING:
			x[i] = i % 2 != 0 ? -x[i - 1] : ldexp(1.0, (int)(r % 2098) - 1074);
			break;
		default:
			x[i] = elementary_from_bits((r % 2047) << 52 | 0xfffffffffffffu);
		}
	}
}

static void assert_same(struct exactsum *a, struct exactsum *b)
{
	exactsum_normalize(a);
	exactsum_normalize(b);
	assert_int_equal(a->lo, b->lo);
	assert_int_equal(a->hi, b->hi);
	for (int i = a->lo; i <= a->hi; i++)
		assert_true(a->digit[i] == b->digit[i]);
	assert_int_equal(a->nan, b->nan);
	assert_int_equal(a->pos_inf, b->pos_inf);
	assert_int_equal(a->neg_inf, b->neg_inf);
	assert_int_equal(a->other, b->other);
	if (!a->other) /* else it means nothing */
		assert_int_equal(a->neg_zero, b->neg_zero);
}

/* Added in pieces of any length, ended now and then. */
static void compare(const struct small *small, const double *x, uint64_t count, bool single,
		    bool magnitude, uint64_t *seed)
{
	struct exactsum sum, right;
	struct exact_small s;
	float f[MOST];

	exactsum_init(&sum);
	exactsum_init(&right);
	memset(&s, 0xa5, sizeof(s));
	small->init(&s);
	for (uint64_t i = 0; i < count; i++) {
		double term = x[i];

		f[i] = (float)x[i];
		if (single)
			term = (double)f[i];
		exactsum_add(&right, magnitude ? fabs(term) : term);
	}
	for (uint64_t at = 0, n; at < count; at += n) {
		n = random_bits(seed) % 3 == 0 ? count : random_bits(seed) % 200;
		n = n < count - at ? n : count - at;
		if (single)
			small->add_f32(&s, f + at, n, magnitude);
		else
			small->add(&s, x + at, n, magnitude);
		if (random_bits(seed) % 16 == 0)
			small->end(&s, &sum);
	}
	small->end(&s, &sum);
	assert_same(&sum, &right);

	/* Nothing is left of it. */
	exactsum_init(&right);
	exactsum_init(&sum);
	small->end(&s, &sum);
	assert_same(&sum, &right);
}

static void as_one_by_one(void **state)
{
	static const uint64_t lengths[] = {0,    1,    2,    3,    7,    8,    31,   32,
					   63,   64,   65,   127,  128,  129,  200,  960,
					   1023, 1024, 1025, 1089, 2048, 4095, 4096, MOST};
	double *x = malloc(MOST * sizeof(*x));
	uint64_t seed = 3;

	(void)state;
	assert_non_null(x);
	for (size_t s = 0; s < sizeof(smalls) / sizeof(smalls[0]); s++) {
		if (!simd_has(smalls[s].simd))
			continue;
		for (enum kind kind = 0; kind < KINDS; kind++)
			for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
				fill(x, lengths[l], kind, &seed);
				for (int way = 0; way < 4; way++)
					compare(&smalls[s], x, lengths[l], way & 1, way & 2, &seed);
			}
	}
	free(x);
}

/* More terms than carries can wait for, the greatest there are. */
static void many_carries(void **state)
{
	double x[4096];

	(void)state;
	for (int i = 0; i < 4096; i++)
		x[i] = i % 3 == 0 ? 0x1.fffffffffffffp+1023 : 0x1.fffffffffffffp+1010;
	for (size_t s = 0; s < sizeof(smalls) / sizeof(smalls[0]); s++) {
		struct exactsum sum, right, once;
		struct exact_small small;

		if (!simd_has(smalls[s].simd))
			continue;
		exactsum_init(&sum);
		exactsum_init(&right);
		exactsum_init(&once);
		smalls[s].init(&small);
		for (int i = 0; i < 4096; i++)
			exactsum_add(&once, x[i]);
		for (int k = 0; k < 600; k++) {
			smalls[s].add(&small, x, 4096, false);
			exactsum_merge(&right, &once);
		}
		smalls[s].end(&small, &sum);
		assert_same(&sum, &right);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_one_by_one),
		cmocka_unit_test(many_carries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
