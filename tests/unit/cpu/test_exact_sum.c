/* Exact sums of every instruction set that is here, with and without the
 * processor's flags, against exactsum_add() one element at a time. */
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
#include "cpu/kernels/exact_sum.h"
#include "cpu/simd.h"
#include "engine/elementary.h"
#include "engine/order.h"
#include <cmocka.h> /* last: it defines fail() */

#define MOST (24 * ORDER_TILE)

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double unit(void)
{
	return (double)(random_bits() >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(unit() + 0x1p-60)) * cos(6.283185307179586 * unit());
}

static double sign(void)
{
	return random_bits() % 2 ? -1 : 1;
}

enum kind {
	UNIFORM,
	NORMAL,
	EQUAL,
	INTEGERS,
	RAMP,
	WIDE,         /* exp of a normal variable: too much for two bins */
	FAR_APART,    /* huge and tiny in turn */
	FINITE_BITS,  /* any exponent */
	SUBNORMALS,   /* some zeros among them */
	ZEROS,        /* of both signs */
	MINUS_ZEROS,  /* a sum of -0 */
	CANCELLING,   /* to 0, over an even number */
	GREATEST,     /* of both signs: sums pass the range and return */
	ALL_GREATEST, /* the sum is beyond the range */
	OUTLIERS,     /* one in some hundreds, among ordinary ones */
	HALF_ZEROS,   /* and any exponents */
	LAST_BITS,    /* ties and what breaks them */
	FINITE_KINDS,
	INFINITIES = FINITE_KINDS, /* of one sign, few */
	BOTH_INFINITIES,
	NANS,
	KINDS
};

static const char *const names[KINDS] = {
	"uniform",     "normal",     "equal",       "integers",        "ramp",
	"wide",        "far apart",  "finite bits", "subnormals",      "zeros",
	"minus zeros", "cancelling", "greatest",    "all greatest",    "outliers",
	"half zeros",  "last bits",  "infinities",  "both infinities", "nans",
};

static double finite_bits(bool single)
{
	for (;;) {
		double x = elementary_from_bits(random_bits());
		uint32_t narrow = (uint32_t)random_bits();
		float f;

		memcpy(&f, &narrow, sizeof(f));
		x = single ? (double)f : x;
		if (isfinite(x))
			return x;
	}
}

static double element(enum kind kind, uint64_t i, bool single)
{
	const double most = single ? 3.4028234663852886e38 : 1.7976931348623157e308;
	const double least = single ? 0x1p-149 : 0x1p-1074;

	switch (kind) {
	case UNIFORM:
		return unit();
	case NORMAL:
		return normal();
	case EQUAL:
		return 0.1;
	case INTEGERS:
		return (double)(random_bits() % 2000001) - 1e6;
	case RAMP:
		return ((double)i - 1000) * 0x1.3p-9;
	case WIDE:
		return sign() * exp((single ? 8 : 10) * normal());
	case FAR_APART:
		return sign() * (1 + unit()) *
		       (i % 2 ? (single ? 1e30 : 1e200) : (single ? 1e-30 : 1e-200));
	case FINITE_BITS:
		return finite_bits(single);
	case SUBNORMALS:
		return ((double)(random_bits() % 11) - 5) * least;
	case ZEROS:
		return sign() * 0.0;
	case MINUS_ZEROS:
		return -0.0;
	case CANCELLING:
		return (i % 2 ? -1 : 1) * (double)(i / 2 + 1) * 0x1.999999p-4;
	case GREATEST:
		return sign() * most;
	case ALL_GREATEST:
		return most;
	case OUTLIERS:
		return i % 700 == 333 ? sign() * (single ? 1e30 : 1e250) : normal();
	case HALF_ZEROS:
		return random_bits() % 2 ? 0.0 : finite_bits(single);
	case LAST_BITS:
		return i % 3 == 0 ? 1.0 : i % 3 == 1 ? 0x1p-53 : sign() * least;
	case INFINITIES:
		return random_bits() % 1000 == 0 ? -INFINITY : normal();
	case BOTH_INFINITIES:
		return random_bits() % 1000 == 0 ? sign() * INFINITY : normal();
	default:
		return random_bits() % 1000 == 0 ? sign() * NAN : finite_bits(single);
	}
}

/* The data of a case. */
static double x[MOST];
static float x_f32[MOST];

static void fill(enum kind kind, uint64_t first, uint64_t count, bool single)
{
	for (uint64_t i = first; i < first + count; i++) {
		x[i] = element(kind, i, single);
		x_f32[i] = single ? (float)x[i] : 0;
		x[i] = single ? (double)x_f32[i] : x[i];
	}
}

/* Lengths of the pieces that a case is added in. */
struct pieces {
	uint64_t length[64];
	unsigned count;
};

static struct pieces in_tiles(uint64_t count)
{
	struct pieces pieces = {.count = 0};

	for (uint64_t i = 0; i < count; i += ORDER_TILE)
		pieces.length[pieces.count++] = count - i < ORDER_TILE ? count - i : ORDER_TILE;
	return pieces;
}

static void add_pieces(const struct accum_class *class, void *work, const struct pieces *pieces,
		       bool single)
{
	const struct accum_args args = {.domain = DOMAIN_F64};
	uint64_t at = 0;

	for (unsigned p = 0; p < pieces->count; p++) {
		const struct tile tile = {.x = single ? (const void *)(x_f32 + at) : x + at,
					  .count = pieces->length[p]};

		(single ? class->tile_f32 : class->tile)(work, &tile, &args);
		at += pieces->length[p];
	}
}

static struct exactsum reference(uint64_t count, bool magnitude)
{
	struct exactsum sum;

	exactsum_init(&sum);
	for (uint64_t i = 0; i < count; i++)
		exactsum_add(&sum, magnitude ? fabs(x[i]) : x[i]);
	exactsum_normalize(&sum);
	return sum;
}

static bool equal(const struct exactsum *a, const struct exactsum *b)
{
	return a->nan == b->nan && a->pos_inf == b->pos_inf && a->neg_inf == b->neg_inf &&
	       a->neg_zero == b->neg_zero && a->other == b->other && a->lo == b->lo &&
	       a->hi == b->hi &&
	       (a->lo > a->hi || memcmp(a->digit + a->lo, b->digit + b->lo,
					(size_t)(a->hi - a->lo + 1) * sizeof(a->digit[0])) == 0);
}

/* By one instruction set; trust is the first member of a work at all of them. */
static void check_level(const char *what, const struct pieces *pieces, bool single, bool magnitude,
			bool trust, const struct exactsum *right)
{
	const struct accum_class *class =
		accum_class(magnitude ? ACCUM_EXACT_ABS : ACCUM_EXACT_SUM, DOMAIN_F64);
	void *work = aligned_alloc(64, (class->work_size + 63u) / 64u * 64u);
	struct exactsum sum;

	assert_non_null(work);
	memset(work, 0xa5, class->work_size);
	class->work_init(work);
	if (!trust)
		memset(work, 0, sizeof(bool));
	/* Twice: it is as new after its end. */
	for (int round = 0; round < 2; round++) {
		class->init(&sum);
		add_pieces(class, work, pieces, single);
		class->work_end(work, &sum);
		exactsum_normalize(&sum);
		if (!equal(&sum, right))
			fail_msg("%s%s of %s, %u pieces of %llu, %s, %s flags, round %d",
				 magnitude ? "magnitudes of " : "", what,
				 single ? "float32" : "float64", pieces->count,
				 (unsigned long long)(pieces->count ? pieces->length[0] : 0),
				 simd_name(simd_current()), trust ? "with" : "without", round);
	}
	free(work);
}

static void check(const char *what, const struct pieces *pieces, bool single)
{
	enum simd before = simd_current();
	uint64_t count = 0;

	for (unsigned p = 0; p < pieces->count; p++)
		count += pieces->length[p];
	for (int magnitude = 0; magnitude < 2; magnitude++) {
		const struct exactsum right = reference(count, magnitude);

		for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
			if (!simd_has(simd))
				continue;
			simd_use(simd);
			check_level(what, pieces, single, magnitude, true, &right);
			check_level(what, pieces, single, magnitude, false, &right);
		}
	}
	simd_use(before);
}

static void short_lengths(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (int single = 0; single < 2; single++) {
			fill(kind, 0, 201, single);
			for (uint64_t n = kind % 3; n <= 200; n += kind < 2 ? 1 : 3) {
				struct pieces pieces = in_tiles(n);

				check(names[kind], &pieces, single);
			}
		}
	}
}

static void lengths_around_tiles(void **state)
{
	static const uint64_t lengths[] = {1023, 1024, 1025, 4095, 4096, 4097, 5 * 4096 + 77};

	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (int single = 0; single < 2; single++) {
			fill(kind, 0, 5 * 4096 + 77, single);
			for (unsigned l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
				struct pieces pieces = in_tiles(lengths[l]);

				check(names[kind], &pieces, single);
			}
		}
	}
}

/* Ways are left and come back to; pieces of any length. */
static void changes_of_kind(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		bool single = round % 2;
		enum kind all = round % 8 == 7 ? KINDS : FINITE_KINDS;
		struct pieces pieces = {.count = 0};
		uint64_t at = 0;

		while (at < MOST && pieces.count < 60) {
			enum kind kind = (enum kind)(random_bits() % all);
			uint64_t run = 1 + random_bits() % 4;

			while (run-- > 0 && at < MOST && pieces.count < 60) {
				uint64_t n = random_bits() % 4 == 0 ? random_bits() % ORDER_TILE
								    : ORDER_TILE;

				n = n < MOST - at ? n : MOST - at;
				fill(kind, at, n, single);
				pieces.length[pieces.count++] = n;
				at += n;
			}
		}
		check("a mixture", &pieces, single);
	}
}

/* The sum of one sign grows until bins have no room: they are emptied in time. */
static void one_sign_for_long(void **state)
{
	struct pieces pieces = in_tiles(MOST);

	(void)state;
	for (int single = 0; single < 2; single++) {
		fill(EQUAL, 0, MOST, single);
		check("equal elements", &pieces, single);
	}
}

/* What the thread had is what it keeps, and what it had does not matter. */
static void the_thread_keeps_its_mode(void **state)
{
	(void)state;
#ifdef __SSE2__
	enum simd best = simd_current();

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pieces pieces = in_tiles(5000);
		unsigned before = exact_flags_get();
		/* Rounding up, flush to zero, denormals are zero, all flags. */
		unsigned odd = before | 0x4000u | 0x8000u | 0x40u | 0x3fu;
		struct exactsum right, sum;
		const struct accum_class *class;
		void *work;

		fill(kind, 0, 5000, false);
		right = reference(5000, false);
		for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
			unsigned set, after;

			if (!simd_has(simd))
				continue;
			simd_use(simd);
			class = accum_class(ACCUM_EXACT_SUM, DOMAIN_F64);
			work = aligned_alloc(64, (class->work_size + 63u) / 64u * 64u);
			assert_non_null(work);
			class->work_init(work);
			class->init(&sum);
			exact_flags_set(odd);
			set = exact_flags_get(); /* Valgrind takes some bits only */
			add_pieces(class, work, &pieces, false);
			class->work_end(work, &sum);
			after = exact_flags_get();
			exact_flags_set(before);
			assert_int_equal(after, set);
			exactsum_normalize(&sum);
			if (!equal(&sum, &right))
				fail_msg("%s, %s", names[kind], simd_name(simd));
			free(work);
		}
	}
	simd_use(best);
#endif
}

/* Elements that are left out are no terms: not even zeros. */
static void omitted_elements(void **state)
{
	static double some[ORDER_TILE];
	const struct accum_args args = {.domain = DOMAIN_F64, .omit = true};
	enum simd before = simd_current();

	(void)state;
	for (unsigned round = 0; round < 12; round++) {
		uint64_t nans = 0, count = round % 3 == 0 ? 3 : ORDER_TILE;
		struct exactsum right;

		exactsum_init(&right);
		for (uint64_t i = 0; i < count; i++) {
			some[i] = element(round % 2 ? MINUS_ZEROS : FINITE_BITS, i, false);
			if (random_bits() % 3 == 0) {
				some[i] = NAN;
				nans++;
			} else {
				exactsum_add(&right, some[i]);
			}
		}
		exactsum_normalize(&right);
		for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
			const struct tile tile = {.x = some, .count = count, .nans = nans};
			const struct accum_class *class;
			struct exactsum sum;
			void *work;

			if (!simd_has(simd))
				continue;
			simd_use(simd);
			class = accum_class(ACCUM_EXACT_SUM, DOMAIN_F64);
			work = aligned_alloc(64, (class->work_size + 63u) / 64u * 64u);
			assert_non_null(work);
			class->work_init(work);
			class->init(&sum);
			class->tile(work, &tile, &args);
			class->work_end(work, &sum);
			exactsum_normalize(&sum);
			assert_true(equal(&sum, &right));
			free(work);
		}
	}
	simd_use(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lengths),
		cmocka_unit_test(lengths_around_tiles),
		cmocka_unit_test(changes_of_kind),
		cmocka_unit_test(one_sign_for_long),
		cmocka_unit_test(the_thread_keeps_its_mode),
		cmocka_unit_test(omitted_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
