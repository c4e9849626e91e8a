/* Exact sums of squares, products and moments, of every instruction set that is
 * here, against the scalar exact sum one element at a time. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define KERNELS_LEVEL portable
#include "cpu/kernels/exact_flags.h"
#include "cpu/simd.h"
#include "engine/accum.h"
#include "engine/elementary.h"
#include "engine/order.h"
#include <cmocka.h> /* last: it defines fail() */

#define MOST (12 * ORDER_TILE)

enum kind {
	UNIFORM,
	NORMAL,
	EQUAL,
	INTEGERS,
	WIDE,     /* exponents within some hundred */
	ANY_BITS, /* finite */
	ENDS,     /* beside 2^-480, 2^511, and both ends of the range */
	LEAST,    /* subnormals and their neighbours */
	TINY,     /* products vanish in binary64 */
	PARTED,   /* spread too far for bins; what products leave over is subnormal */
	SINGLES,  /* likewise, of float32; some are subnormal */
	ZEROS,    /* of both signs */
	OUTLIER,  /* one far from the rest */
	NANS,     /* now and then */
	SPECIAL,  /* infinities too */
	CANCELLING,
	KINDS
};

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double unit(uint64_t *seed)
{
	return (double)(int64_t)random_bits(seed) * 0x1p-63;
}

static double element(enum kind kind, uint64_t i, uint64_t *seed)
{
	static const int ends[] = {-1074, -1023, -1022, -538, -537, -481, -480,
				   -479,  0,     509,   510,  511,  512,  1023};
	uint64_t r = random_bits(seed);
	double x = unit(seed);

	switch (kind) {
	case UNIFORM:
		return fabs(x);
	case NORMAL: /* near enough, the sum of three */
		return (x + unit(seed) + unit(seed)) * x;
	case EQUAL:
		return 0.1;
	case INTEGERS:
		return (double)((int)(r % 2001) - 1000);
	case WIDE:
		return ldexp(x, (int)(r % 300) - 150);
	case ANY_BITS:
		x = elementary_from_bits(r);
		return isfinite(x) ? x : 1.0;
	case ENDS:
		return ldexp(r % 3 == 0 ? 1.0 : 0x1.fffffffffffffp+0, ends[(r >> 8) % 14]) *
		       (r % 2 == 0 ? 1.0 : -1.0);
	case LEAST:
		return elementary_from_bits((r & ((uint64_t)1 << 63)) |
					    (r >> 1 & 0xfffffffffffffu));
	case TINY:
		return x * 0x1p-600;
	case PARTED:
		return ldexp(x < 0 ? -0x1.fffffffffffffp+0 : 0x1.fffffffffffffp+0,
			     r % 3 == 0 ? 400 : -480 + (int)(r >> 8) % 2);
	case SINGLES:
		return ldexp(x, r % 3 == 0 ? 100 : -125 - (int)(r >> 8) % 20);
	case ZEROS:
		return r % 3 == 0 ? 0.0 : -0.0;
	case OUTLIER:
		return i % 5000 == 77 ? x * 0x1p400 : x;
	case NANS:
		return r % 50 == 0 ? NAN : x;
	case SPECIAL:
		return r % 4000 == 0   ? INFINITY
		       : r % 4001 == 0 ? -INFINITY
		       : r % 4003 == 0 ? NAN
				       : x;
	default:
		return i % 2 == 0 ? x : -x;
	}
}

static void fill(double *x, uint64_t count, enum kind kind, uint64_t *seed)
{
	for (uint64_t i = 0; i < count; i++)
		x[i] = element(kind, i, seed);
	for (uint64_t i = 1; kind == CANCELLING && i < count; i += 2)
		x[i] = -x[i - 1];
}

static void assert_same(struct exactsum *a, struct exactsum *b)
{
	exactsum_normalize(a);
	exactsum_normalize(b);
	assert_int_equal(a->nan, b->nan);
	assert_int_equal(a->pos_inf, b->pos_inf);
	assert_int_equal(a->neg_inf, b->neg_inf);
	assert_int_equal(a->other, b->other);
	assert_int_equal(a->neg_zero, b->neg_zero);
	assert_int_equal(a->lo, b->lo);
	assert_int_equal(a->hi, b->hi);
	for (int i = a->lo; i <= a->hi; i++)
		assert_true(a->digit[i] == b->digit[i]);
}

/* A left out pair stands for a -0. */
static void add_right(struct exact_moments *right, enum accum accum, double x, double y, bool omit)
{
	if (omit && (x != x || (accum == ACCUM_EXACT_DOT && y != y))) {
		exactsum_add(&right->sum, -0.0);
		exactsum_add(&right->squares, -0.0);
		return;
	}
	exactsum_add(&right->sum, x);
	exactsum_add_product(&right->squares, x, accum == ACCUM_EXACT_DOT ? y : x);
}

static uint64_t nans_of(const double *x, const double *y, uint64_t count)
{
	uint64_t nans = 0;

	for (uint64_t i = 0; i < count; i++)
		nans += x[i] != x[i] || (y != NULL && y[i] != y[i]);
	return nans;
}

struct line {
	double *x, *y;
	float *x_f32, *y_f32;
};

/* Whether tiles are added while the thread rounds up, flushes to zero, takes
 * subnormals for 0 and has all flags set. */
static bool in_odd_mode;

static unsigned enter_mode(void)
{
	unsigned before = 0;

#ifdef __SSE2__
	before = exact_flags_get();
	if (in_odd_mode)
		exact_flags_set(before | 0x4000u | 0x8000u | 0x40u | 0x3fu);
#endif
	return before;
}

static void leave_mode(unsigned before)
{
#ifdef __SSE2__
	if (in_odd_mode)
		assert_int_not_equal(exact_flags_get() & 0x4000u, 0);
	exact_flags_set(before);
#else
	(void)before;
#endif
}

/* In tiles, the last one short, ended once in between. Without trust: as where
 * the processor's flags do not work; it is the first member of a work of products
 * alone. */
static void compare(enum accum accum, const struct line *line, uint64_t count, bool single,
		    bool omit, bool trust)
{
	const struct accum_class *class = accum_class(accum, DOMAIN_F64);
	const struct accum_args args = {.domain = DOMAIN_F64, .omit = omit};
	void *work = aligned_alloc(64, (class->work_size + 63) / 64 * 64);
	bool pair = accum == ACCUM_EXACT_DOT;
	struct exact_moments value, right;
	unsigned before;

	assert_non_null(work);
	memset(&value, 0xa5, sizeof(value));
	class->init(&value);
	class->work_init(work);
	if (!trust)
		memset(work, 0, sizeof(bool));
	exactsum_init(&right.sum);
	exactsum_init(&right.squares);
	for (uint64_t at = 0; at < count; at += ORDER_TILE) {
		uint64_t n = count - at < ORDER_TILE ? count - at : ORDER_TILE;
		struct tile tile = {.count = n};

		tile.x = single ? (void *)(line->x_f32 + at) : (void *)(line->x + at);
		if (pair)
			tile.y = single ? (void *)(line->y_f32 + at) : (void *)(line->y + at);
		if (omit)
			tile.nans = nans_of(line->x + at, pair ? line->y + at : NULL, n);
		before = enter_mode();
		if (single)
			class->tile_f32(work, &tile, &args);
		else
			class->tile(work, &tile, &args);
		leave_mode(before);
		if (at == 5 * ORDER_TILE)
			class->work_end(work, &value);
		for (uint64_t i = at; i < at + n; i++) {
			double x = single ? (double)line->x_f32[i] : line->x[i];
			double y = single ? (double)line->y_f32[i] : line->y[i];

			add_right(&right, accum, x, y, omit);
		}
	}
	class->work_end(work, &value);
	if (accum == ACCUM_EXACT_MOMENTS) {
		assert_same(&value.sum, &right.sum);
		assert_same(&value.squares, &right.squares);
	} else {
		assert_same((struct exactsum *)&value, &right.squares);
	}
	free(work);
}

static void narrow(struct line *line, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		line->x_f32[i] = (float)line->x[i];
		line->y_f32[i] = (float)line->y[i];
	}
}

static void compare_all(const struct line *line, uint64_t count)
{
	for (int way = 0; way < 4; way++) {
		compare(ACCUM_EXACT_SQUARE, line, count, way & 1, way & 2, true);
		compare(ACCUM_EXACT_SQUARE, line, count, way & 1, way & 2, false);
		compare(ACCUM_EXACT_DOT, line, count, way & 1, way & 2, true);
		compare(ACCUM_EXACT_DOT, line, count, way & 1, way & 2, false);
		compare(ACCUM_EXACT_MOMENTS, line, count, way & 1, way & 2, true);
	}
}

static struct line make(void)
{
	struct line line = {
		.x = calloc(MOST, sizeof(double)),
		.y = calloc(MOST, sizeof(double)),
		.x_f32 = calloc(MOST, sizeof(float)),
		.y_f32 = calloc(MOST, sizeof(float)),
	};

	assert_true(line.x != NULL && line.y != NULL && line.x_f32 != NULL && line.y_f32 != NULL);
	return line;
}

static void drop(struct line *line)
{
	free(line->x);
	free(line->y);
	free(line->x_f32);
	free(line->y_f32);
}

static void one_kind(void **state)
{
	static const uint64_t lengths[] = {0,  1,  2,   3,   7,    15,   16,   17,   31,   33,
					   63, 65, 127, 200, 1023, 1024, 1025, 4095, 4096, 9001};
	struct line line = make();
	uint64_t seed = 1;

	(void)state;
	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		for (enum kind kind = 0; kind < KINDS; kind++)
			for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
				fill(line.x, lengths[l], kind, &seed);
				fill(line.y, lengths[l], kind, &seed);
				narrow(&line, lengths[l]);
				compare_all(&line, lengths[l]);
			}
	}
	drop(&line);
}

/* Ways of adding are chosen from tile to tile. */
static void changing_kinds(void **state)
{
	struct line line = make();
	uint64_t seed = 2;

	(void)state;
	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		for (int round = 0; round < 12; round++) {
			enum kind least = round % 2 ? UNIFORM : WIDE;
			uint64_t count = MOST - random_bits(&seed) % 5000;

			for (uint64_t at = 0; at < MOST; at += ORDER_TILE) {
				/* the last kinds make an end of it: seldom */
				unsigned kinds = round < 9 ? NANS : KINDS;
				enum kind x = least + random_bits(&seed) % (kinds - least);
				enum kind y = least + random_bits(&seed) % (kinds - least);

				fill(line.x + at, ORDER_TILE, x, &seed);
				fill(line.y + at, ORDER_TILE, round % 3 ? x : y, &seed);
			}
			narrow(&line, MOST);
			compare_all(&line, count);
		}
	}
	drop(&line);
}

/* A zero sum is -0 when all terms are. */
static void zero_terms(void **state)
{
	struct line line = make();

	(void)state;
	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		for (int sign = 0; sign < 4; sign++) {
			for (uint64_t i = 0; i < 5000; i++) {
				line.x[i] = sign & 1 ? -0.0 : 0.0;
				line.y[i] = sign & 2 ? -3.0 : 0x1p-1074;
			}
			narrow(&line, 5000);
			compare_all(&line, 5000);
			compare_all(&line, 20);
			compare_all(&line, 5);
		}
		/* -0 in binary64, but a term below 0 all the same */
		for (uint64_t i = 0; i < 100; i++) {
			line.x[i] = 0x1p-1074;
			line.y[i] = i < 50 ? -0.0 : -0x1p-600;
		}
		narrow(&line, 100);
		compare_all(&line, 40);
		compare_all(&line, 100);
	}
	drop(&line);
}

/* What the thread had is what it keeps, and what it had does not matter. */
static void the_thread_keeps_its_mode(void **state)
{
	(void)state;
#ifdef __SSE2__
	struct line line = make();
	uint64_t seed = 3;

	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		for (enum kind kind = 0; kind < KINDS; kind++) {
			fill(line.x, 5000, kind, &seed);
			fill(line.y, 5000, kind, &seed);
			narrow(&line, 5000);
			in_odd_mode = true;
			compare_all(&line, 5000);
			in_odd_mode = false;
		}
	}
	drop(&line);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_thread_keeps_its_mode),
		cmocka_unit_test(one_kind),
		cmocka_unit_test(changing_kinds),
		cmocka_unit_test(zero_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
