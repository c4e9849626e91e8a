/* The ordered accumulators against the oracle, the free ones against sums that
 * are exact anyway; at every instruction set that the processor has. */
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
#include "cpu/simd.h"
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

static bool at_best_level(void)
{
	for (enum simd simd = simd_current() + 1; simd < SIMD_COUNT; simd++)
		if (simd_has(simd))
			return false;
	return true;
}

enum kind {
	KIND_UNIT,
	KIND_WIDE,
	KIND_ZEROS,
	KIND_NANS,
	KIND_CONSTANT,
	KIND_HUGE,      /* sums and squares overflow */
	KIND_NAN_FIRST, /* one in front, or one at the end */
	KIND_NAN_LAST,
	KIND_ALL_NAN,
	KIND_ANY,
	KIND_COUNT
};

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
	case KIND_HUGE:
		return unit * 0x1p+1023 * (r % 3 == 0 ? 0.0 : 1.9);
	case KIND_ALL_NAN:
		return NAN;
	case KIND_NAN_FIRST:
	case KIND_NAN_LAST:
		return unit * 40.0;
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
			if (lengths[l] == LONGEST && (kind != KIND_UNIT || !at_best_level()))
				continue;
			for (enum accum accum = ACCUM_SUM; accum <= ACCUM_LOGSUM; accum++)
				for (int omit = 0; omit < 2; omit++)
					compare(accum, x, accum == ACCUM_DOT ? y : NULL, lengths[l],
						omit);
		}
	}
	free(x);
}

/* count elements of a kind, from x on; the float32 image of them. */
static void fill(enum kind kind, uint64_t count, uint64_t *seed, double *x, float *narrow)
{
	for (uint64_t i = 0; i < count; i++)
		x[i] = element(kind, seed);
	if (count > 0 && kind == KIND_NAN_FIRST)
		x[0] = NAN;
	if (count > 0 && kind == KIND_NAN_LAST)
		x[count - 1] = NAN;
	for (uint64_t i = 0; i < count; i++) {
		narrow[i] = (float)x[i];
		/* Too large or too small for most of them: some that are not. */
		if (kind != KIND_ANY && kind != KIND_ZEROS && isinf(narrow[i]))
			narrow[i] = (float)(x[i] * 0x1p-900);
	}
}

/* One tile of each ordered accumulator, of binary64 and of float32. */
static void compare_tiles(const double *x, const double *y, const float *narrow_x,
			  const float *narrow_y, uint64_t count)
{
	static double wide_x[ORDER_TILE], wide_y[ORDER_TILE];

	for (uint64_t i = 0; i < count; i++) {
		wide_x[i] = (double)narrow_x[i];
		wide_y[i] = (double)narrow_y[i];
	}
	for (enum accum accum = ACCUM_SUM; accum <= ACCUM_LOGSUM; accum++) {
		const struct accum_class *class = accum_class(accum, DOMAIN_F64);
		bool pair = accum == ACCUM_DOT;

		for (int omit = 0; omit < 2; omit++)
			for (int narrow = 0; narrow < (class->tile_f32 != NULL ? 2 : 1); narrow++) {
				const struct accum_args args = {
					.domain = DOMAIN_F64, .p = 2.5, .omit = omit};
				const double *a = narrow ? wide_x : x, *b = narrow ? wide_y : y;
				struct tile tile = {.count = count,
						    .ahead = (const char *)x,
						    .ahead_bytes = count * sizeof(*x)};
				double fast[TREE_VALUE_WORDS], right[TREE_VALUE_WORDS];

				if (omit)
					tile.nans = fast_nans(a, pair ? b : NULL, count);
				tile.x = narrow ? (const void *)narrow_x : x;
				if (pair)
					tile.y = narrow ? (const void *)narrow_y : y;
				(narrow ? class->tile_f32 : class->tile)(fast, &tile, &args);
				assert_int_equal(oracle_reduce(accum, ORACLE_CANONICAL, a,
							       pair ? b : NULL, count, 2.5, omit,
							       right, NULL),
						 STATUS_OK);
				if (!same(fast, right, class->size))
					fail_msg("%s at %s, %s, %llu elements, omit %d",
						 class->name, simd_name(simd_current()),
						 narrow ? "float32" : "float64",
						 (unsigned long long)count, omit);
			}
	}
}

/* Every short length and some around a tile, of every kind, from places that
 * are aligned to an element only. */
static void tiles_of_any_length(void **state)
{
	static double x[ORDER_TILE + 8], y[ORDER_TILE + 8];
	static float narrow_x[ORDER_TILE + 16], narrow_y[ORDER_TILE + 16];
	uint64_t seed = 11;

	(void)state;
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		for (uint64_t n = 0; n <= ORDER_TILE; n += n == 300 ? 3700 : n < 4000 ? 1 : 16) {
			uint64_t at = n % 8;

			fill(kind, n, &seed, x + at, narrow_x + at);
			fill(kind, n, &seed, y + at, narrow_y + at);
			compare_tiles(x + at, y + at, narrow_x + at, narrow_y + at, n);
		}
		for (uint64_t n = ORDER_TILE - 2; n <= ORDER_TILE; n++) {
			fill(kind, n, &seed, x + 1, narrow_x + 3);
			fill(kind, n, &seed, y + 3, narrow_y + 1);
			compare_tiles(x + 1, y + 3, narrow_x + 3, narrow_y + 1, n);
		}
	}
}

/* Sums of squares that change their range within a tile. */
static void scaled_squares_of_mixed_ranges(void **state)
{
	static double x[ORDER_TILE];
	static const double traps[] = {0x1p+486,  0x1.0000000000001p+486,
				       0x1p-511,  0x1.fffffffffffffp-512,
				       0x1p-1074, INFINITY};
	static const uint64_t counts[] = {1, 127, 128, 300, ORDER_TILE};
	uint64_t seed = 5;

	(void)state;
	for (unsigned c = 0; c < 5; c++)
		for (unsigned t = 0; t < 6; t++)
			for (uint64_t at = 0; at < 9; at++) {
				uint64_t count = counts[c];

				for (uint64_t i = 0; i < count; i++)
					x[i] = element(KIND_UNIT, &seed);
				x[at % 3 == 0   ? 0
				  : at % 3 == 1 ? count / 2
						: count - 1] = at < 5 ? traps[t] : -traps[t];
				compare(ACCUM_SCALED, x, NULL, count, false);
				compare(ACCUM_SCALED, x, NULL, count, true);
			}
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

static void tallies(void **state)
{
	const double x[] = {0.0, -0.0, NAN, 1.0, -INFINITY, 0x1p-1074};
	const int64_t i[] = {0, -1, 0, INT64_MIN};
	struct tile floats = {.x = x, .count = 6}, integers = {.x = i, .count = 4};
	struct accum_args args = {.domain = DOMAIN_F64};
	struct tally tally = {0};

	(void)state;
	accum_class(ACCUM_TALLY, DOMAIN_F64)->tile(&tally, &floats, &args);
	assert_int_equal(tally.nonzero, 4);
	args.omit = true;
	floats.nans = 1;
	accum_class(ACCUM_TALLY, DOMAIN_F64)->tile(&tally, &floats, &args);
	assert_int_equal(tally.nonzero, 7);
	args.domain = DOMAIN_I64;
	accum_class(ACCUM_TALLY, DOMAIN_I64)->tile(&tally, &integers, &args);
	assert_int_equal(tally.nonzero, 9);
}

static void tallies_of_any_length(void **state)
{
	static double x[ORDER_TILE];
	static float narrow[ORDER_TILE];
	static uint64_t integers[ORDER_TILE];
	uint64_t seed = 17;

	(void)state;
	for (uint64_t n = 0; n <= ORDER_TILE; n = n < 300              ? n + 1
						  : n * 2 < ORDER_TILE ? n * 2
								       : n + 997)
		for (int omit = 0; omit < 2; omit++) {
			struct accum_args args = {.domain = DOMAIN_F64, .omit = omit};
			struct tile tile = {.count = n};
			struct tally floats = {3}, singles = {5}, whole = {7};
			uint64_t wanted = 0, wanted_whole = 0;

			for (uint64_t i = 0; i < n; i++) {
				uint64_t r = random_bits(&seed);

				x[i] = r % 7 == 0   ? NAN
				       : r % 5 == 0 ? -0.0
				       : r % 3 == 0 ? 0x1p-140
						    : 2;
				narrow[i] = (float)x[i];
				integers[i] = r % 3 == 0 ? 0 : r;
				tile.nans += omit && isnan(x[i]);
				wanted += isnan(x[i]) ? !omit : x[i] != 0;
				wanted_whole += integers[i] != 0;
			}
			tile.x = x;
			accum_class(ACCUM_TALLY, DOMAIN_F64)->tile(&floats, &tile, &args);
			assert_int_equal(floats.nonzero, 3 + wanted);
			tile.x = narrow;
			accum_class(ACCUM_TALLY, DOMAIN_F64)->tile_f32(&singles, &tile, &args);
			assert_int_equal(singles.nonzero, 5 + wanted);
			tile.x = integers;
			args.domain = DOMAIN_U64;
			accum_class(ACCUM_TALLY, DOMAIN_U64)->tile(&whole, &tile, &args);
			assert_int_equal(whole.nonzero, 7 + wanted_whole);
		}
}

/* A value of one tile, by way of a work where there is one. */
static void take_tile(const struct accum_class *class, const struct tile *tile,
		      const struct accum_args *args, void *value)
{
	void *work;

	class->init(value);
	if (class->work_end == NULL) {
		class->tile(value, tile, args);
		return;
	}
	work = aligned_alloc(64, (class->work_size + 63u) / 64u * 64u);
	assert_non_null(work);
	class->work_init(work);
	class->tile(work, tile, args);
	class->work_end(work, value);
	free(work);
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
	take_tile(accum_class(ACCUM_EXACT_DOT, DOMAIN_F64), &tile, &omit, &sum);
	assert_int_equal(finish_value(&finish, &sum, 3, 5, &out, NULL), STATUS_OK);
	assert_true(out == 6.0);

	spec.op = OP_SUM;
	finish.accum = ACCUM_EXACT_SUM;
	take_tile(accum_class(ACCUM_EXACT_SUM, DOMAIN_F64), &tile, &omit, &sum);
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
		cmocka_unit_test(tiles_of_any_length),
		cmocka_unit_test(scaled_squares_of_mixed_ranges),
		cmocka_unit_test(rows_are_columns),
		cmocka_unit_test(variance_of_hard_data),
		cmocka_unit_test(tallies),
		cmocka_unit_test(tallies_of_any_length),
		cmocka_unit_test(exact_sums_take_what_takes_part),
		cmocka_unit_test(classes_are_complete),
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
