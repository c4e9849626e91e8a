/* The integer accumulators at every instruction set that the processor has. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static void add_product(struct int192 *sum, enum domain domain, uint64_t a, uint64_t b)
{
	if (domain == DOMAIN_U64)
		int192_add_u128(sum, (unsigned __int128)a * b);
	else
		int192_add_i128(sum, (__int128)(int64_t)a * (int64_t)b);
}

/* Each sum of a tile, added to something that is there. */
static void check_sums(enum domain domain, const uint64_t *x, const uint64_t *y, uint64_t count)
{
	const struct accum_args args = {.domain = domain};
	const struct tile tile = {.x = x, .y = y, .count = count};
	struct int192 want[4] = {{{5, 0, 0}}, {{5, 0, 0}}, {{5, 0, 0}}, {{5, 0, 0}}};
	struct int_moments moments = {{{5, 0, 0}}, {{5, 0, 0}}};

	for (uint64_t i = 0; i < count; i++) {
		bool negative = domain == DOMAIN_I64 && (int64_t)x[i] < 0;

		add_product(&want[0], domain, x[i], 1);
		add_product(&want[1], domain, x[i], negative ? UINT64_MAX : 1);
		add_product(&want[2], domain, x[i], x[i]);
		add_product(&want[3], domain, x[i], y[i]);
	}
	for (unsigned k = 0; k < 4; k++) {
		const struct accum_class *class = accum_class(ACCUM_INT_SUM + k, domain);
		struct int192 got = {{5, 0, 0}};

		class->tile(&got, &tile, &args);
		if (int192_compare(&got, &want[k]) != 0)
			fail_msg("%s at %s, %llu elements", class->name, simd_name(simd_current()),
				 (unsigned long long)count);
	}
	accum_class(ACCUM_INT_MOMENTS, domain)->tile(&moments, &tile, &args);
	assert_int_equal(int192_compare(&moments.sum, &want[0]), 0);
	assert_int_equal(int192_compare(&moments.squares, &want[2]), 0);
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

/* Any length, elements of every width: against 128-bit products added one by
 * one to 192 bits. */
static void sums_of_any_length(void **state)
{
	static uint64_t x[ORDER_TILE + 1], y[ORDER_TILE + 1];
	uint64_t seed = 37;

	(void)state;
	for (uint64_t n = 0; n <= ORDER_TILE; n = n < 150 ? n + 1 : n < 2000 ? 2 * n : n + 773)
		for (unsigned bits = 1; bits <= 64; bits += bits == 30 ? 1 : bits < 33 ? 29 : 31) {
			/* Elements of so many bits, and now and then the ends of
			 * their range. */
			for (uint64_t i = 0; i <= n; i++) {
				x[i] = random_bits(&seed) >> (64 - bits);
				y[i] = random_bits(&seed) % 9 == 0
					       ? UINT64_MAX >> (64 - bits)
					       : random_bits(&seed) >> (64 - bits);
			}
			check_sums(DOMAIN_U64, x + 1, y + 1, n);
			for (uint64_t i = 0; i <= n; i++) {
				x[i] -= (uint64_t)1 << (bits - 1);
				y[i] -= (uint64_t)1 << (bits - 1);
			}
			check_sums(DOMAIN_I64, x + 1, y + 1, n);
		}
}

/* Just within, and just beyond, what is added as vectors. */
static void limits_of_narrow_products(void **state)
{
	static uint64_t x[ORDER_TILE];
	static const uint64_t limits[] = {INT32_MAX,         (uint64_t)INT32_MIN,
					  (uint64_t)1 << 31, UINT32_MAX,
					  (uint64_t)1 << 32, (uint64_t)((int64_t)INT32_MIN - 1)};

	(void)state;
	for (unsigned l = 0; l < 6; l++)
		for (uint64_t fill = 0; fill < 2; fill++)
			for (uint64_t at = 0; at < 40; at += 13) {
				for (uint64_t i = 0; i < ORDER_TILE; i++)
					x[i] = fill ? limits[l] : 3;
				x[at] = limits[l];
				check_sums(DOMAIN_U64, x, x, ORDER_TILE - at);
				check_sums(DOMAIN_I64, x, x, ORDER_TILE - at);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(sums_of_any_length),
		cmocka_unit_test(limits_of_narrow_products),
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
