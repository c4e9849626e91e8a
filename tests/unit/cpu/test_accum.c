/* The ordered accumulators against the oracle, the free ones against sums that
 * are exact anyway. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "engine/elementary.h"
#include "engine/finish.h"
#include "tests/unit/cpu/reduce_fast.h"
#include <cmocka.h> /* last: it defines fail() */

static const uint64_t lengths[] = {0,    1,     2,     3,     31,
				   32,   33,    64,    65,    96,
				   127,  128,   129,   255,   256,
				   4095, 4096,  4097,  8192,  8193,
				   9999, 12288, 12289, 20000, ORDER_TILE * 128 + 1};
#define LENGTH_COUNT (sizeof(lengths) / sizeof(lengths[0]))
#define LONGEST (ORDER_TILE * 128 + 1)

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

enum kind { KIND_UNIT, KIND_WIDE, KIND_ZEROS, KIND_NANS, KIND_CONSTANT, KIND_ANY, KIND_COUNT };

static double element(enum kind kind, uint64_t *seed)
{
	uint64_t r = random_bits(seed);
	double unit = (double)(r >> 11) * 0x1p-52 - 1.0;

	switch (kind) {
	case KIND_UNIT:
		return unit;
	case KIND_WIDE:
		return ldexp(unit, (int)(random_bits(seed) % 1200) - 600);
	case KIND_ZEROS:
		return r % 3 == 0 ? 0.0 : r % 3 == 1 ? -0.0 : unit * 0x1p-1022;
	case KIND_NANS:
		return r % 5 == 0 ? NAN : unit * 300.0;
	case KIND_CONSTANT:
		return 6715266981.538051;
	default: /* all bit patterns: infinities and NaNs among them */
		return r % 64 == 0 ? -INFINITY : r % 64 == 1 ? NAN : elementary_from_bits(r);
	}
}

/* Bits, but for NaNs: their payload is nobody's promise before the finish. */
static bool same(const void *a, const void *b, uint32_t size)
{
	for (uint32_t at = 0; at < size; at += sizeof(double)) {
		double x, y;

		memcpy(&x, (const char *)a + at, sizeof(x));
		memcpy(&y, (const char *)b + at, sizeof(y));
		if (!(isnan(x) && isnan(y)) && elementary_bits(x) != elementary_bits(y))
			return false;
	}
	return true;
}

static void compare(enum accum accum, const double *x, const double *y, uint64_t count, bool omit)
{
	const struct accum_class *class = accum_class(accum, DOMAIN_F64);
	const struct accum_args args = {.domain = DOMAIN_F64, .p = 2.5, .omit = omit};
	double fast[TREE_VALUE_WORDS], right[TREE_VALUE_WORDS];

	assert_int_equal(
		oracle_reduce(accum, ORACLE_CANONICAL, x, y, count, 2.5, omit, right, NULL),
		STATUS_OK);
	assert_int_equal(fast_canonical(class, &args, x, y, count, fast), STATUS_OK);
	if (!same(fast, right, class->size))
		fail_msg("%s, canonical, %llu elements, omit %d", class->name,
			 (unsigned long long)count, omit);
	assert_int_equal(oracle_reduce(accum, ORACLE_STRIDED, x, y, count, 2.5, omit, right, NULL),
			 STATUS_OK);
	assert_int_equal(fast_strided(class, &args, x, y, count, fast), STATUS_OK);
	if (!same(fast, right, class->size))
		fail_msg("%s, strided, %llu elements, omit %d", class->name,
			 (unsigned long long)count, omit);
}

static void ordered_follow_the_oracle(void **state)
{
	double *x = malloc(2 * LONGEST * sizeof(*x)), *y = x + LONGEST;
	uint64_t seed = 1;

	(void)state;
	assert_non_null(x);
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		for (uint64_t i = 0; i < 2 * LONGEST; i++)
			x[i] = element(kind, &seed);
		for (size_t l = 0; l < LENGTH_COUNT; l++) {
			/* One long line of each is enough. */
			if (lengths[l] == LONGEST && kind != KIND_UNIT)
				continue;
			for (enum accum accum = ACCUM_SUM; accum <= ACCUM_LOGSUM; accum++)
				for (int omit = 0; omit < 2; omit++)
					compare(accum, x, accum == ACCUM_DOT ? y : NULL, lengths[l],
						omit);
		}
	}
	free(x);
}

static void rows_are_columns(void **state)
{
	/* step() over many lines at once is step() over each. */
	double x[3][257], y[3][257];
	uint64_t seed = 7;

	(void)state;
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < 257; i++) {
			x[r][i] = element(KIND_NANS, &seed);
			y[r][i] = element(KIND_NANS, &seed);
		}
	for (enum accum accum = 0; accum < ACCUM_COUNT; accum++) {
		const struct accum_class *class = accum_class(accum, DOMAIN_F64);
		struct accum_args args = {.domain = DOMAIN_F64, .p = 3.0};
		char *together, *alone;

		if (class == NULL)
			continue;
		together = calloc(257, class->run_size);
		alone = calloc(1, class->run_size);
		assert_non_null(together);
		assert_non_null(alone);
		for (int omit = 0; omit < 2; omit++) {
			args.omit = omit;
			for (int i = 0; i < 257; i++)
				class->run_init(together + i * class->run_size);
			for (uint64_t r = 0; r < 3; r++)
				class->step(together, x[r], y[r], 257, r, &args);
			for (int i = 0; i < 257; i++) {
				memset(alone, 0, class->run_size);
				class->run_init(alone);
				for (uint64_t r = 0; r < 3; r++)
					class->step(alone, &x[r][i], &y[r][i], 1, r, &args);
				if (class->ordered)
					assert_true(same(alone, together + i * class->run_size,
							 class->run_size));
				else if (class->size == sizeof(struct extreme))
					assert_memory_equal(alone, together + i * class->run_size,
							    sizeof(double) + sizeof(uint64_t));
			}
		}
		free(together);
		free(alone);
	}
}

static double variance_of(const double *x, uint64_t count, enum oracle_order order)
{
	const struct accum_class *class = accum_class(ACCUM_MOMENTS, DOMAIN_F64);
	const struct accum_args args = {.domain = DOMAIN_F64};
	struct moments m;

	if (order == ORACLE_CANONICAL)
		assert_int_equal(fast_canonical(class, &args, x, NULL, count, &m), STATUS_OK);
	else
		assert_int_equal(fast_strided(class, &args, x, NULL, count, &m), STATUS_OK);
	assert_true(m.count == (double)count);
	return m.m2 / m.count;
}

static void variance_of_hard_data(void **state)
{
	const double offset[] = {1e9, 1e9 + 1, 1e9 + 2}, close[] = {1e16, 1e16 + 2};
	const double far[] = {1e200, -1e200}, infinite[] = {1.0, INFINITY, 2.0};

	(void)state;
	for (enum oracle_order order = ORACLE_CANONICAL; order <= ORACLE_STRIDED; order++) {
		double same_value[9000];

		for (int i = 0; i < 9000; i++)
			same_value[i] = 3.4050628916015624e+16;
		for (uint64_t n = 1; n <= 9000; n = n * 2 + 1)
			assert_true(variance_of(same_value, n, order) == 0.0);
		assert_true(variance_of(offset, 3, order) == 2.0 / 3.0);
		assert_true(variance_of(close, 2, order) == 1.0);
		assert_true(isinf(variance_of(far, 2, order)));
		assert_true(isnan(variance_of(infinite, 3, order)));
	}
}

/* A map that reverses, as if stored order ran against the C order. */
static uint64_t reverse(const void *map, uint64_t position)
{
	return *(const uint64_t *)map - 1 - position;
}

static struct extreme extreme_of(enum accum accum, enum domain domain, const void *x,
				 uint64_t count, uint64_t nans, const struct accum_args *extra,
				 uint64_t cut)
{
	const struct accum_class *class = accum_class(accum, domain);
	struct accum_args args = extra != NULL ? *extra : (struct accum_args){.p = 0.0};
	struct extreme parts[2], stepped;
	struct tile tile = {.x = x, .count = cut, .nans = nans};

	args.domain = domain;
	/* In two pieces, merged in the wrong order; nans is an upper bound, so
	 * count them again for floats. */
	for (int k = 0; k < 2; k++) {
		class->init(&parts[k]);
		if (domain == DOMAIN_F64)
			tile.nans = count_nans(tile.x, tile.count);
		class->tile(&parts[k], &tile, &args);
		tile.x = (const char *)x + cut * 8;
		tile.position = cut;
		tile.count = count - cut;
	}
	class->combine(&parts[1], &parts[0]);

	class->run_init(&stepped);
	for (uint64_t i = 0; i < count; i++)
		class->step(&stepped, (const char *)x + i * 8, NULL, 1, i, &args);
	assert_int_equal(stepped.any, parts[1].any);
	if (stepped.any) {
		assert_int_equal(stepped.nan, parts[1].nan);
		assert_int_equal(stepped.index, parts[1].index);
		if (!stepped.nan)
			assert_int_equal(stepped.value.u, parts[1].value.u);
	}
	return parts[1];
}

static void extremes_of_floats(void **state)
{
	const double zeros[] = {0.0, -0.0, 0.0, -0.0}, ties[] = {1.0, 5.0, -3.0, 5.0, -3.0};
	const double nans[] = {2.0, NAN, 1.0, NAN}, infinities[] = {INFINITY, INFINITY};
	const struct accum_args omit = {.omit = true};
	const uint64_t five = 5;
	const struct accum_args reversed = {.index_map = reverse, .map = &five};
	struct extreme e;

	(void)state;
	for (uint64_t cut = 0; cut <= 4; cut++) {
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, zeros, 4, 0, NULL, cut);
		assert_true(signbit(e.value.f) && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, zeros, 4, 0, NULL, cut);
		assert_true(!signbit(e.value.f) && e.index == 0);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans, 4, 2, NULL, cut);
		assert_true(e.nan && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans, 4, 2, &omit, cut);
		assert_true(!e.nan && e.value.f == 1.0 && e.index == 2);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, ties, 5, 0, NULL, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, ties, 5, 0, &reversed, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, ties, 5, 0, &reversed, cut);
		assert_true(e.value.f == -3.0 && e.index == 0);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_F64, ties, 5, 0, NULL, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
	}
	e = extreme_of(ACCUM_MIN, DOMAIN_F64, infinities, 2, 0, NULL, 1);
	assert_true(e.any && e.value.f == INFINITY && e.index == 0);
	e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans + 1, 1, 1, &omit, 1);
	assert_false(e.any);
}

static void extremes_of_random_floats(void **state)
{
	static const double choice[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0x1p-1074};
	uint64_t seed = 3;
	double x[40];

	(void)state;
	for (int round = 0; round < 4000; round++) {
		uint64_t n = 1 + random_bits(&seed) % 40, least = 0, greatest = 0;
		bool omit = random_bits(&seed) % 2, any = false, nan = false;
		const struct accum_args args = {.omit = omit};
		struct extreme min, max;

		for (uint64_t i = 0; i < n; i++)
			x[i] = choice[random_bits(&seed) % (round % 2 ? 8 : 6)];
		for (uint64_t i = 0; i < n; i++) {
			bool below, above;

			if (isnan(x[i]) && omit)
				continue;
			below = x[i] < x[least] ||
				(x[i] == x[least] && signbit(x[i]) > signbit(x[least]));
			above = x[i] > x[greatest] ||
				(x[i] == x[greatest] && signbit(x[i]) < signbit(x[greatest]));
			if (!any || (!nan && (isnan(x[i]) || below)))
				least = i;
			if (!any || (!nan && (isnan(x[i]) || above)))
				greatest = i;
			any = true;
			nan = nan || isnan(x[i]);
		}
		min = extreme_of(ACCUM_MIN, DOMAIN_F64, x, n, 0, &args,
				 random_bits(&seed) % (n + 1));
		max = extreme_of(ACCUM_MAX, DOMAIN_F64, x, n, 0, &args,
				 random_bits(&seed) % (n + 1));
		assert_int_equal(min.any, any);
		if (!any)
			continue;
		assert_int_equal(min.nan, nan);
		assert_int_equal(min.index, least);
		assert_int_equal(max.index, greatest);
	}
}

static void extremes_of_integers(void **state)
{
	const int64_t x[] = {3, INT64_MIN, 7, INT64_MAX, INT64_MIN, 7};
	const uint64_t u[] = {3, UINT64_MAX, 0, UINT64_MAX, 0};
	struct extreme e;

	(void)state;
	for (uint64_t cut = 0; cut <= 5; cut++) {
		e = extreme_of(ACCUM_MIN, DOMAIN_I64, x, 6, 0, NULL, cut);
		assert_true(e.value.i == INT64_MIN && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_I64, x, 6, 0, NULL, cut);
		assert_true(e.value.i == INT64_MAX && e.index == 3);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_I64, x, 6, 0, NULL, cut);
		assert_true(e.value.u == (uint64_t)1 << 63 && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_U64, u, 5, 0, NULL, cut);
		assert_true(e.value.u == 0 && e.index == 2);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_U64, u, 5, 0, NULL, cut);
		assert_true(e.value.u == UINT64_MAX && e.index == 1);
	}
}

static void check_int192(const struct int192 *value, const char *decimal)
{
	char text[64];

	int192_format(value, text, sizeof(text));
	assert_string_equal(text, decimal);
}

/* By tile and by step. */
static void int192_of(enum accum accum, enum domain domain, const void *x, const void *y,
		      uint64_t count, const char *decimal)
{
	const struct accum_class *class = accum_class(accum, domain);
	const struct accum_args args = {.domain = domain};
	const struct tile tile = {.x = x, .y = y, .count = count};
	struct int192 value, stepped;

	class->init(&value);
	class->init(&stepped);
	class->tile(&value, &tile, &args);
	check_int192(&value, decimal);
	for (uint64_t i = 0; i < count; i++)
		class->step(&stepped, (const char *)x + 8 * i,
			    y != NULL ? (const char *)y + 8 * i : NULL, 1, i, &args);
	check_int192(&stepped, decimal);
	class->combine(&value, &stepped);
	assert_int_equal(value.word[0], 2 * stepped.word[0]);
}

static void integers_are_exact(void **state)
{
	const int64_t x[] = {INT64_MIN, INT64_MIN, 5, INT64_MIN, INT64_MIN, INT64_MIN};
	const int64_t y[] = {INT64_MAX, INT64_MAX, -7, INT64_MAX, INT64_MAX, 1};
	const uint64_t u[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	const struct accum_args args = {.domain = DOMAIN_I64};
	const struct tile tile = {.x = x, .count = 6};
	struct int_moments moments;

	(void)state;
	/* The numbers are Python's. */
	int192_of(ACCUM_INT_SUM, DOMAIN_I64, x, NULL, 6, "-46116860184273879035");
	int192_of(ACCUM_INT_ABS, DOMAIN_I64, x, NULL, 6, "46116860184273879045");
	int192_of(ACCUM_INT_SQUARE, DOMAIN_I64, x, NULL, 6,
		  "425352958651173079329218259289710264345");
	int192_of(ACCUM_INT_DOT, DOMAIN_I64, x, y, 6, "-340282366920938463435704491321203884067");
	int192_of(ACCUM_INT_SUM, DOMAIN_U64, u, NULL, 5, "92233720368547758075");
	int192_of(ACCUM_INT_SQUARE, DOMAIN_U64, u, NULL, 5,
		  "1701411834604692317132405596421745541125");
	int192_of(ACCUM_INT_DOT, DOMAIN_U64, u, u, 5, "1701411834604692317132405596421745541125");

	accum_class(ACCUM_INT_MOMENTS, DOMAIN_I64)->init(&moments);
	accum_class(ACCUM_INT_MOMENTS, DOMAIN_I64)->tile(&moments, &tile, &args);
	check_int192(&moments.sum, "-46116860184273879035");
	check_int192(&moments.squares, "425352958651173079329218259289710264345");
}

static void tallies(void **state)
{
	const double x[] = {0.0, -0.0, NAN, 1.0, -INFINITY, 0x1p-1074};
	const int64_t i[] = {0, -1, 0, INT64_MIN};
	const struct tile floats = {.x = x, .count = 6, .nans = 1}, integers = {.x = i, .count = 4};
	struct accum_args args = {.domain = DOMAIN_F64};
	struct tally tally = {0};

	(void)state;
	accum_class(ACCUM_TALLY, DOMAIN_F64)->tile(&tally, &floats, &args);
	assert_int_equal(tally.nonzero, 4);
	args.omit = true;
	accum_class(ACCUM_TALLY, DOMAIN_F64)->tile(&tally, &floats, &args);
	assert_int_equal(tally.nonzero, 7);
	args.domain = DOMAIN_I64;
	accum_class(ACCUM_TALLY, DOMAIN_I64)->tile(&tally, &integers, &args);
	assert_int_equal(tally.nonzero, 9);
}

static void exact_sums_take_what_takes_part(void **state)
{
	const double x[] = {0x1p1000, NAN, 1.0, -0x1p1000, 3.0}, y[] = {1.0, 1.0, NAN, 1.0, 2.0};
	const struct tile tile = {.x = x, .y = y, .count = 5, .nans = 2};
	const struct accum_args omit = {.domain = DOMAIN_F64, .omit = true};
	struct op_spec spec = {.op = OP_DOT};
	struct finish_args finish = {
		.spec = &spec, .input = DTYPE_FLOAT64, .result = DTYPE_FLOAT64};
	struct exactsum sum;
	double out;

	(void)state;
	finish.accum = ACCUM_EXACT_DOT;
	accum_class(ACCUM_EXACT_DOT, DOMAIN_F64)->init(&sum);
	accum_class(ACCUM_EXACT_DOT, DOMAIN_F64)->tile(&sum, &tile, &omit);
	assert_int_equal(finish_value(&finish, &sum, 3, 5, &out, NULL), STATUS_OK);
	assert_true(out == 6.0);

	spec.op = OP_SUM;
	finish.accum = ACCUM_EXACT_SUM;
	accum_class(ACCUM_EXACT_SUM, DOMAIN_F64)->init(&sum);
	accum_class(ACCUM_EXACT_SUM, DOMAIN_F64)->tile(&sum, &tile, &omit);
	assert_int_equal(finish_value(&finish, &sum, 4, 5, &out, NULL), STATUS_OK);
	assert_true(out == 4.0);
}

static void classes_are_complete(void **state)
{
	(void)state;
	for (enum accum accum = 0; accum < ACCUM_COUNT; accum++) {
		unsigned found = 0;

		for (enum domain domain = DOMAIN_F64; domain <= DOMAIN_U64; domain++) {
			const struct accum_class *class = accum_class(accum, domain);

			if (class == NULL)
				continue;
			found++;
			assert_int_equal(class->size, accum_size(accum));
			assert_int_equal(class->size % 8, 0);
			assert_int_equal(class->run_size % 8, 0);
			assert_int_equal(class->ordered, accum <= ACCUM_LOGSUM);
			assert_true(class->ordered || class->run_end == NULL);
		}
		assert_int_not_equal(found, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordered_follow_the_oracle),
		cmocka_unit_test(rows_are_columns),
		cmocka_unit_test(variance_of_hard_data),
		cmocka_unit_test(extremes_of_floats),
		cmocka_unit_test(extremes_of_random_floats),
		cmocka_unit_test(extremes_of_integers),
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(tallies),
		cmocka_unit_test(exact_sums_take_what_takes_part),
		cmocka_unit_test(classes_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
