/* Accumulators that share a tile's sums give the bits that they give alone,
 * whichever of them comes first; at every instruction set of the machine. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "cpu/simd.h"
#include "engine/order.h"
#include <cmocka.h> /* last: it defines fail() */

static const enum accum sharers[] = {ACCUM_SUM, ACCUM_SQUARE, ACCUM_MOMENTS};
#define SHARERS (sizeof(sharers) / sizeof(sharers[0]))

static double x64[ORDER_TILE];
static float x32[ORDER_TILE];

enum data { PLAIN, LARGE, SPECIAL, CONSTANT, DATA_COUNT };

/* Returns the NaNs among the first count. */
static uint64_t fill(enum data data, uint64_t count)
{
	uint64_t nans = 0, seed = count;

	for (uint64_t i = 0; i < count; i++) {
		double unit;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		unit = (double)(int64_t)seed * 0x1p-63;
		if (data == SPECIAL && seed % 7 == 0)
			unit = seed % 3 == 0 ? NAN : -0.0;
		if (data == SPECIAL && seed % 501 == 0)
			unit = INFINITY;
		x64[i] = data == CONSTANT ? 0.1 : data == LARGE ? unit * DBL_MAX : unit;
		x32[i] = (float)(data == LARGE ? unit * FLT_MAX : x64[i]);
		nans += isnan(x64[i]);
	}
	return nans;
}

static void value_of(enum accum accum, uint64_t count, uint64_t nans, bool narrow,
		     struct tile_shared *shared, double out[4])
{
	const struct accum_class *class = accum_class(accum, DOMAIN_F64);
	const struct accum_args args = {.domain = DOMAIN_F64, .omit = nans > 0};
	const struct tile tile = {.x = narrow ? (const void *)x32 : x64,
				  .count = count,
				  .nans = nans,
				  .shared = shared};

	memset(out, 0, 4 * sizeof(*out));
	class->init(out);
	(narrow ? class->tile_f32 : class->tile)(out, &tile, &args);
}

static bool same(const double *a, const double *b)
{
	for (unsigned i = 0; i < 4; i++)
		if (!(isnan(a[i]) && isnan(b[i])) && memcmp(&a[i], &b[i], sizeof(*a)) != 0)
			return false;
	return true;
}

static void compare(uint64_t count, uint64_t nans, bool narrow)
{
	for (unsigned first = 0; first < SHARERS; first++)
		for (unsigned squares = 0; squares < 2; squares++) {
			struct tile_shared shared = {.squares = squares != 0};

			for (unsigned k = 0; k < SHARERS; k++) {
				enum accum accum = sharers[(first + k) % SHARERS];
				double alone[4], together[4];

				if (accum == ACCUM_SQUARE && squares == 0)
					continue;
				value_of(accum, count, nans, narrow, NULL, alone);
				value_of(accum, count, nans, narrow, &shared, together);
				if (!same(alone, together))
					fail_msg("%s: accumulator %d of %llu elements, narrow %d",
						 simd_name(simd_current()), accum,
						 (unsigned long long)count, narrow);
			}
			assert_true(shared.known || (count == nans && squares == 0 && first == 2));
		}
}

static void shared_is_alone(void **state)
{
	const uint64_t lengths[] = {1, 2, 31, 127, 128, 129, 300, 1023, 4095, 4096};
	enum simd before = simd_current();

	(void)state;
	for (enum simd simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		simd_use(simd);
		for (enum data data = 0; data < DATA_COUNT; data++)
			for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
				for (unsigned narrow = 0; narrow < 2; narrow++) {
					uint64_t nans = fill(data, lengths[i]);

					compare(lengths[i], 0, narrow != 0);
					if (nans > 0)
						compare(lengths[i], nans, narrow != 0);
				}
	}
	simd_use(before);
}

/* Equal elements have no variance, whatever the rounding of their sum. */
static void constants_have_no_variance(void **state)
{
	const double constants[] = {0.1, 1.0 / 3.0, -6715266981.538051, 1e-90,
				    0x1.fffffffffffffp1023};

	(void)state;
	for (unsigned c = 0; c < sizeof(constants) / sizeof(constants[0]); c++)
		for (uint64_t count = 1; count <= ORDER_TILE; count += 1 + count / 3) {
			double moments[4];

			for (uint64_t i = 0; i < count; i++)
				x64[i] = constants[c];
			value_of(ACCUM_MOMENTS, count, 0, false, NULL, moments);
			assert_true(moments[0] == (double)count);
			assert_true(moments[1] == constants[c]);
			assert_true(moments[2] == 0.0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_is_alone),
		cmocka_unit_test(constants_have_no_variance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
