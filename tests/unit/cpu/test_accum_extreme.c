/* Minima, maxima and their places, at every instruction set that the processor
 * has, against one comparison after the other. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include "cpu/simd.h"
#include "engine/order.h"
#include <cmocka.h> /* last: it defines fail() */

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t nans_of(const double *x, uint64_t count)
{
	uint64_t nans = 0;

	for (uint64_t i = 0; i < count; i++)
		nans += isnan(x[i]) != 0;
	return nans;
}

/* A map that reverses, as if stored order ran against the C order. */
static uint64_t reverse(const void *map, uint64_t position)
{
	return *(const uint64_t *)map - 1 - position;
}

static struct extreme extreme_of(enum accum accum, enum domain domain, const void *x,
				 uint64_t count, const struct accum_args *extra, uint64_t cut)
{
	const struct accum_class *class = accum_class(accum, domain);
	struct accum_args args = extra != NULL ? *extra : (struct accum_args){.p = 0.0};
	struct extreme parts[2], stepped;
	struct tile tile = {.x = x, .count = cut};

	args.domain = domain;
	/* In two pieces, merged in the wrong order. */
	for (int k = 0; k < 2; k++) {
		class->init(&parts[k]);
		if (domain == DOMAIN_F64 && args.omit)
			tile.nans = nans_of(tile.x, tile.count);
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
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, zeros, 4, NULL, cut);
		assert_true(signbit(e.value.f) && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, zeros, 4, NULL, cut);
		assert_true(!signbit(e.value.f) && e.index == 0);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans, 4, NULL, cut);
		assert_true(e.nan && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans, 4, &omit, cut);
		assert_true(!e.nan && e.value.f == 1.0 && e.index == 2);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, ties, 5, NULL, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_F64, ties, 5, &reversed, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_F64, ties, 5, &reversed, cut);
		assert_true(e.value.f == -3.0 && e.index == 0);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_F64, ties, 5, NULL, cut);
		assert_true(e.value.f == 5.0 && e.index == 1);
	}
	e = extreme_of(ACCUM_MIN, DOMAIN_F64, infinities, 2, NULL, 1);
	assert_true(e.any && e.value.f == INFINITY && e.index == 0);
	e = extreme_of(ACCUM_MIN, DOMAIN_F64, nans + 1, 1, &omit, 1);
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
		min = extreme_of(ACCUM_MIN, DOMAIN_F64, x, n, &args, random_bits(&seed) % (n + 1));
		max = extreme_of(ACCUM_MAX, DOMAIN_F64, x, n, &args, random_bits(&seed) % (n + 1));
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
		e = extreme_of(ACCUM_MIN, DOMAIN_I64, x, 6, NULL, cut);
		assert_true(e.value.i == INT64_MIN && e.index == 1);
		e = extreme_of(ACCUM_MAX, DOMAIN_I64, x, 6, NULL, cut);
		assert_true(e.value.i == INT64_MAX && e.index == 3);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_I64, x, 6, NULL, cut);
		assert_true(e.value.u == (uint64_t)1 << 63 && e.index == 1);
		e = extreme_of(ACCUM_MIN, DOMAIN_U64, u, 5, NULL, cut);
		assert_true(e.value.u == 0 && e.index == 2);
		e = extreme_of(ACCUM_MAX_ABS, DOMAIN_U64, u, 5, NULL, cut);
		assert_true(e.value.u == UINT64_MAX && e.index == 1);
	}
}

/* -1, 0, 1 as a comes before b, is it, or comes after it; no NaNs. */
static int compare(double a, double b)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (signbit(b) != 0) - (signbit(a) != 0);
}

/* What accumulating x should give, one element after the other. */
static struct extreme expected(enum accum accum, const double *x, uint64_t count, bool omit,
			       uint64_t (*map)(const void *, uint64_t))
{
	struct extreme e = {{.u = 0}, 0, false, false};

	for (uint64_t i = 0; i < count; i++) {
		double v = accum == ACCUM_MAX_ABS ? fabs(x[i]) : x[i];
		uint64_t index = map != NULL ? map(&count, i) : i;
		int order;

		if (isnan(v) && omit)
			continue;
		if (!e.any || (isnan(v) && !e.nan))
			order = -1;
		else if (e.nan)
			order = isnan(v) ? 0 : 1;
		else
			order = accum == ACCUM_MIN ? compare(v, e.value.f) : compare(e.value.f, v);
		if (order > 0 || (order == 0 && e.index <= index))
			continue;
		e = (struct extreme){{.f = v}, index, true, isnan(v)};
	}
	return e;
}

static void assert_same(const struct extreme *got, const struct extreme *want)
{
	assert_int_equal(got->any, want->any);
	if (!want->any)
		return;
	assert_int_equal(got->nan, want->nan);
	assert_int_equal(got->index, want->index);
	if (!want->nan)
		assert_int_equal(got->value.u, want->value.u);
}

enum kind { FEW_VALUES, WITH_NANS, ONE_NAN, ALL_NANS, ZEROS, RISING, FALLING, RANDOM, KINDS };

static float of_kind(enum kind kind, uint64_t i, uint64_t count, uint64_t *seed)
{
	static const float few[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, 0x1p-149f};
	uint64_t r = random_bits(seed);

	switch (kind) {
	case FEW_VALUES:
		return few[r % 7];
	case WITH_NANS:
		return r % 5 == 0 ? NAN : few[r % 7];
	case ONE_NAN:
		return i == count / 3 ? NAN : (float)(r % 1000);
	case ALL_NANS:
		return NAN;
	case ZEROS:
		return r % 2 == 0 ? 0.0f : -0.0f;
	case RISING:
		return (float)i - 100;
	case FALLING:
		return 100 - (float)i;
	default:
		return (float)(int64_t)r;
	}
}

/* A line in tiles, first to last or last to first, float32 and binary64. */
static void check_line(enum accum accum, const float *narrow, const double *x, uint64_t count,
		       bool omit, bool backwards, uint64_t (*map)(const void *, uint64_t))
{
	const struct accum_class *class = accum_class(accum, DOMAIN_F64);
	const struct accum_args args = {
		.domain = DOMAIN_F64, .omit = omit, .index_map = map, .map = &count};
	struct extreme want = expected(accum, x, count, omit, map), singles, doubles;
	uint64_t tiles = (count + 99) / 100;

	class->init(&singles);
	class->init(&doubles);
	for (uint64_t t = 0; t < tiles; t++) {
		uint64_t at = (backwards ? tiles - 1 - t : t) * 100;
		struct tile tile = {.count = count - at < 100 ? count - at : 100, .position = at};

		if (omit)
			tile.nans = nans_of(x + at, tile.count);
		tile.x = x + at;
		class->tile(&doubles, &tile, &args);
		tile.x = narrow + at;
		class->tile_f32(&singles, &tile, &args);
	}
	assert_same(&doubles, &want);
	assert_same(&singles, &want);
}

static void lines_of_any_kind(void **state)
{
	static float narrow[700];
	static double x[700];
	uint64_t seed = 23;

	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (uint64_t n = 0; n <= 660; n += n < 200 ? 1 : 23) {
			uint64_t from = n % 16;

			for (uint64_t i = 0; i < n; i++) {
				narrow[from + i] = of_kind(kind, i, n, &seed);
				x[from + i] = (double)narrow[from + i];
			}
			for (int way = 0; way < 8; way++)
				for (enum accum accum = ACCUM_MIN; accum <= ACCUM_MAX_ABS; accum++)
					check_line(accum, narrow + from, x + from, n, way & 1,
						   way & 2, way & 4 ? reverse : NULL);
		}
}

/* Numbers that differ below float32's last place. */
static void doubles_are_not_rounded(void **state)
{
	static double x[ORDER_TILE];
	uint64_t seed = 29;

	(void)state;
	for (int round = 0; round < 50; round++) {
		const struct accum_args args = {.domain = DOMAIN_F64};
		const struct tile tile = {.x = x, .count = ORDER_TILE - round};

		for (uint64_t i = 0; i < ORDER_TILE; i++)
			x[i] = (round % 2 ? 1.0 : -1.0) +
			       (double)(random_bits(&seed) % 4096) * 0x1p-52;
		for (enum accum accum = ACCUM_MIN; accum <= ACCUM_MAX_ABS; accum++) {
			struct extreme want = expected(accum, x, tile.count, false, NULL), got;

			accum_class(accum, DOMAIN_F64)->init(&got);
			accum_class(accum, DOMAIN_F64)->tile(&got, &tile, &args);
			assert_same(&got, &want);
		}
	}
}

static bool before(enum accum accum, enum domain domain, uint64_t a, uint64_t b)
{
	if (accum != ACCUM_MIN) {
		uint64_t swap = a;

		a = b;
		b = swap;
	}
	return domain == DOMAIN_I64 && accum != ACCUM_MAX_ABS ? (int64_t)a < (int64_t)b : a < b;
}

static void integer_lines(void **state)
{
	static uint64_t x[700];
	static const uint64_t few[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 7};
	uint64_t seed = 31;

	(void)state;
	for (uint64_t n = 1; n <= 640; n += n < 140 ? 1 : 41)
		for (int which = 0; which < 12; which++) {
			enum accum accum = ACCUM_MIN + which % 3;
			enum domain domain = which / 3 % 2 ? DOMAIN_I64 : DOMAIN_U64;
			const struct accum_class *class = accum_class(accum, domain);
			const struct accum_args args = {.domain = domain};
			uint64_t best = 0, best_value = 0;
			struct extreme got, stepped;

			class->init(&got);
			class->init(&stepped);
			for (uint64_t i = 0; i < n; i++)
				x[i] = which < 6 ? few[random_bits(&seed) % 6] : random_bits(&seed);
			for (uint64_t i = 0; i < n; i++) {
				uint64_t v = x[i];

				if (accum == ACCUM_MAX_ABS && domain == DOMAIN_I64 &&
				    (int64_t)v < 0)
					v = 0 - v;
				if (i == 0 || before(accum, domain, v, best_value)) {
					best = i;
					best_value = v;
				}
			}
			for (uint64_t at = 0; at < n; at += 256) {
				const struct tile tile = {.x = x + at,
							  .count = n - at < 256 ? n - at : 256,
							  .position = at};

				class->tile(&got, &tile, &args);
			}
			for (uint64_t i = 0; i < n; i++)
				class->step(&stepped, x + i, NULL, 1, i, &args);
			assert_int_equal(got.value.u, best_value);
			assert_int_equal(got.index, best);
			assert_int_equal(stepped.value.u, best_value);
			assert_int_equal(stepped.index, best);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes_of_floats),
		cmocka_unit_test(extremes_of_random_floats),
		cmocka_unit_test(extremes_of_integers),
		cmocka_unit_test(lines_of_any_kind),
		cmocka_unit_test(doubles_are_not_rounded),
		cmocka_unit_test(integer_lines),
	};
	int failed = 0;

	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		failed += cmocka_run_group_tests_name(simd_name(simd), tests, NULL, NULL);
	}
	return failed;
}
