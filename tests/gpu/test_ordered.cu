/* test_ordered.cu - ordered accumulators over lines whose elements are adjacent:
 * the bits of the device against those of cpu/oracle.c. */
#include "config.h"

extern "C" {
#include "cpu/oracle.h"
#include "engine/extreme.h"
}
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include "engine/order.h"
#include "gpu/kernels/load.cuh"
#include "tests/gpu/device_array.cuh"
#include "tests/gpu/numbers.cuh"
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}

static const enum accum accums[] = {ACCUM_SUM,     ACCUM_ABS,   ACCUM_SQUARE,
				    ACCUM_DOT,     ACCUM_PROD,  ACCUM_SCALED,
				    ACCUM_MOMENTS, ACCUM_POWER, ACCUM_LOGSUM};
static const enum dtype dtypes[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};

static unsigned numbers_of(enum accum accum)
{
	return accum == ACCUM_SCALED || accum == ACCUM_MOMENTS ? 3 : accum == ACCUM_LOGSUM ? 2 : 1;
}

enum content { UNIFORM, SPECIAL, BITS, HUGE_VALUES, NANS, MINUS_ZERO, ZEROS };

static double content_of(enum content content, enum accum accum, uint64_t seed, uint64_t i)
{
	static const double special[] = {INFINITY, -INFINITY, 0.0,   -0.0,    4.9e-324, -1e-310,
					 1e-40,    6e-8,      1e300, -1e-300, NAN,      65504.0};
	uint64_t w = random_bits(seed, i);
	double unit = (double)(w >> 11) * 0x1p-52 - 1.0;

	switch (content) {
	case SPECIAL:
		if (w % 64 == 0)
			return special[w / 64 % 12];
		break;
	case HUGE_VALUES: /* sums that pass the range */
		return accum == ACCUM_PROD ? 1.0 + unit / 64 : unit * 1.7e308;
	case NANS:
		if (w % 5 == 0)
			return NAN;
		break;
	case MINUS_ZERO:
		return -0.0;
	case ZEROS: /* of either sign, and few others: tiles of all kinds */
		return i / ORDER_TILE % 3 == 1 ? -0.0
		       : w % 512 == 0          ? (w % 1024 == 0 ? 1e-200 : 0.5) *
						(i / ORDER_TILE % 2 == 0 ? 1.0 : -1.0)
		       : w % 2 == 0 ? 0.0
				    : -0.0;
	default: /* BITS are no number to begin with */
		break;
	}
	return accum == ACCUM_PROD     ? 1.0 + unit / 256
	       : accum == ACCUM_LOGSUM ? 40.0 * unit
				       : unit + 0.125;
}

/* An array as stored, and as doubles. */
struct filled {
	std::vector<char> stored;
	std::vector<double> wide;
};

static struct filled fill(enum dtype dtype, enum content content, enum accum accum, uint64_t seed,
			  size_t count)
{
	struct filled out = {std::vector<char>(count * dtype_size(dtype)),
			     std::vector<double>(count)};

	for (size_t i = 0; i < count; i++) {
		const double x = content_of(content, accum, seed, i);
		const uint64_t bits = random_bits(seed, i);
		char *to = out.stored.data() + i * dtype_size(dtype);

		if (content == BITS) /* of any NaN, too */
			memcpy(to, &bits, dtype_size(dtype));
		else
			round_f64(x, dtype, to);
		out.wide[i] = float_at(dtype, to);
	}
	return out;
}

static bool same_bits(const double *a, const double *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (memcmp(a + i, b + i, sizeof(double)) != 0 && !(a[i] != a[i] && b[i] != b[i]))
			return false;
	return true;
}

static uint64_t compared;

/* The device's values of lines of x and y against the oracle's. offsets, or
 * lines of `length` each. shift: elements behind an aligned address. */
static void check(enum accum accum, enum dtype dtype, enum content content, bool omit,
		  uint64_t lines, uint64_t length, const std::vector<int64_t> *offsets,
		  size_t shift_x, size_t shift_y)
{
	const double p = 2.5;
	const unsigned size = dtype_size(dtype), numbers = numbers_of(accum);
	const uint64_t count = offsets != nullptr ? (uint64_t)offsets->back() : lines * length;
	const bool pair = accum == ACCUM_DOT;
	struct filled x = fill(dtype, content, accum, 1 + count, count),
		      y = fill(dtype, content, accum, 3 + count, pair ? count : 0);
	device_array<char> d_x(x.stored, shift_x * size), d_y(y.stored, shift_y * size);
	device_array<int64_t> d_offsets(offsets != nullptr ? *offsets : std::vector<int64_t>(1));
	device_array<double> d_values(lines * numbers);
	struct elements elements = {d_x.get(), pair ? d_y.get() : nullptr, dtype, omit, p};
	struct lines shape = {lines, length, offsets != nullptr ? d_offsets.get() : nullptr, count};
	test_launch launch(ordered_lines_scratch(accum, &shape));

	d_values.fill(0x5a);
	CHECK_CUDA(ordered_lines(launch.get(), accum, &elements, &shape, d_values.get()));
	launch.wait();
	assert_true(launch.tickets_are_zero());

	const std::vector<double> got = d_values.host();
	std::map<uint64_t, int> told;

	for (uint64_t i = 0; i < lines; i++) {
		uint64_t from = offsets != nullptr ? (uint64_t)(*offsets)[i] : i * length;
		uint64_t n = offsets != nullptr ? (uint64_t)(*offsets)[i + 1] - from : length;
		double want[3];
		struct error err;

		assert_int_equal(oracle_reduce(accum, ORACLE_CANONICAL, x.wide.data() + from,
					       pair ? y.wide.data() + from : nullptr, n, p, omit,
					       want, &err),
				 STATUS_OK);
		compared++;
		if (!same_bits(got.data() + i * numbers, want, numbers))
			fail_msg("accum %d dtype %d content %d omit %d, line %llu of %llu, "
				 "%llu elements, shifts %zu %zu: %a %a %a instead of %a %a %a",
				 accum, dtype, content, omit, (unsigned long long)i,
				 (unsigned long long)lines, (unsigned long long)n, shift_x, shift_y,
				 got[i * numbers], numbers > 1 ? got[i * numbers + 1] : 0.0,
				 numbers > 2 ? got[i * numbers + 2] : 0.0, want[0],
				 numbers > 1 ? want[1] : 0.0, numbers > 2 ? want[2] : 0.0);
	}
}

static void lengths_around_every_boundary(void **state)
{
	static const uint64_t lengths[] = {0,   1,   2,   3,    31,   32,   33,   127,   128,
					   129, 511, 513, 4095, 4096, 4097, 8193, 12289, 100003};
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (uint64_t length : lengths) {
				enum content content = (enum content)(turn % 5);
				size_t shift = turn / 5 % 5;

				turn++;
				check(accum, dtype, UNIFORM, false, 1, length, nullptr, 0, 0);
				check(accum, dtype, content, turn & 1, 1, length, nullptr, shift,
				      turn % 3);
			}
}

static void lines_of_equal_length(void **state)
{
	static const uint64_t shapes[][2] = {
		{1000, 1}, {777, 2},   {501, 3},  {333, 31},   {100, 32}, {64, 33}, {50, 127},
		{40, 129}, {37, 1000}, {9, 4097}, {3000, 129}, {40, 513}, {5, 0},   {2049, 300}};
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (const uint64_t *shape : shapes) {
				turn++;
				check(accum, dtype, (enum content)(turn % 5), turn / 2 % 2,
				      shape[0], shape[1], nullptr, turn % 4, turn / 4 % 4);
			}
}

/* Lines of wildly unequal lengths, in several mixtures. */
static void lines_by_offsets(void **state)
{
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (unsigned mixture = 0; mixture < 6; mixture++) {
				/* Some begin behind the first element: a part of a longer list. */
				std::vector<int64_t> offsets(1, turn % 3 * 1234);

				for (unsigned i = 0; i < (mixture == 4   ? 40
							  : mixture == 5 ? 5000
									 : 300);
				     i++) {
					uint64_t w = random_bits(mixture + 77, i);
					int64_t n = (int64_t)(w % 4 == 0   ? 0
							      : w % 4 == 1 ? w / 4 % 33
							      : w % 4 == 2 ? w / 4 % 200
									   : w / 4 % 3000);

					if (mixture == 0)
						n = (int64_t)(w % 32);
					if (mixture == 1)
						n = (int64_t)(w / 8 % 130);
					if (mixture == 4)
						n = (int64_t)(w % 8 == 0 ? 4096 * (w / 8 % 9)
									 : w / 8 % 9000);
					if (mixture == 5) /* most of them few elements */
						n = (int64_t)(w % 512 == 7  ? w / 512 % 5000
							      : i / 64 == 3 ? w / 512 % 128
									    : w / 512 % 20);
					if (mixture == 3 && i == 17)
						n = 200001;
					offsets.push_back(offsets.back() + n);
				}
				turn++;
				check(accum, dtype, (enum content)(turn % 5), turn & 1,
				      offsets.size() - 1, 0, &offsets, turn % 5, turn % 2);
			}
}

static void minus_zero_stays(void **state)
{
	(void)state;
	for (enum accum accum : accums)
		for (uint64_t length : {1, 2, 40, 4097, 20000})
			check(accum, DTYPE_FLOAT32, MINUS_ZERO, false, 1, length, nullptr, 1, 2);
}

/* Warp tiles of one long line: more tiles than blocks take, unaligned. */
static void long_lines(void **state)
{
	const uint64_t length = (1u << 23) + (1u << 20) + 77;

	(void)state;
	for (enum dtype dtype : dtypes)
		for (enum accum accum : {ACCUM_SUM, ACCUM_MOMENTS, ACCUM_DOT})
			check(accum, dtype, UNIFORM, false, 1, length, nullptr,
			      accum == ACCUM_SUM ? 0 : 3, 1);
	check(ACCUM_ABS, DTYPE_FLOAT32, SPECIAL, true, 1, length, nullptr, 1, 0);
	check(ACCUM_SQUARE, DTYPE_FLOAT64, SPECIAL, true, 1, length, nullptr, 1, 0);
	check(ACCUM_SQUARE, DTYPE_FLOAT16, UNIFORM, false, 1, length, nullptr, 3, 0);
	check(ACCUM_PROD, DTYPE_FLOAT32, UNIFORM, false, 1, length, nullptr, 2, 0);
	check(ACCUM_SCALED, DTYPE_FLOAT64, BITS, true, 1, length, nullptr, 1, 0);
	/* three levels */
	check(ACCUM_SUM, DTYPE_FLOAT32, UNIFORM, false, 1, (1u << 24) + 4099, nullptr, 3, 0);
	check(ACCUM_MOMENTS, DTYPE_FLOAT64, UNIFORM, false, 1, (1u << 24) + 1, nullptr, 0, 0);
	check(ACCUM_SUM, DTYPE_FLOAT64, UNIFORM, false, 3, (1u << 22) + 5, nullptr, 0, 0);

	const std::vector<int64_t> offsets = {0, 5, 5, 70005, (1 << 24) + 80000, (1 << 24) + 80007};

	check(ACCUM_SUM, DTYPE_FLOAT32, UNIFORM, false, offsets.size() - 1, 0, &offsets, 1, 0);
	check(ACCUM_MOMENTS, DTYPE_FLOAT16, NANS, true, offsets.size() - 1, 0, &offsets, 1, 0);
}

__global__ void repeat(uint16_t *x, uint64_t count, const uint16_t *pattern, uint64_t period)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
		x[i] = pattern[i % period];
}

/* More than 2^32 elements, of three tiles that take turns. */
static void beyond_32_bits(void **state)
{
	const uint64_t count = ((uint64_t)1 << 32) + 4097, period = 3 * ORDER_TILE;
	const uint64_t tiles = (count + ORDER_TILE - 1) / ORDER_TILE;
	size_t free_bytes = 0, all_bytes = 0;

	(void)state;
	CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
	if (free_bytes < 2 * count + ((size_t)1 << 30))
		skip();

	struct filled pattern = fill(DTYPE_FLOAT16, UNIFORM, ACCUM_SUM, 5, period);
	device_array<char> d_pattern(pattern.stored);
	device_array<uint16_t> d_x(count, 1);
	std::vector<double> values(tiles);
	double want;
	struct error err;

	repeat<<<2048, 256>>>(d_x.get(), count, (const uint16_t *)d_pattern.get(), period);
	CHECK_CUDA(cudaGetLastError());
	for (uint64_t t = 0; t < tiles; t++) {
		uint64_t n = std::min<uint64_t>(ORDER_TILE, count - t * ORDER_TILE);

		if (t >= 3 && n == ORDER_TILE)
			values[t] = values[t - 3];
		else
			oracle_reduce(ACCUM_SUM, ORACLE_CANONICAL,
				      pattern.wide.data() + t % 3 * ORDER_TILE, nullptr, n, 0.0,
				      false, &values[t], &err);
	}
	oracle_reduce(ACCUM_SUM, ORACLE_CANONICAL, values.data(), nullptr, tiles, 0.0, false, &want,
		      &err);
	for (unsigned way = 0; way < 2; way++) {
		const std::vector<int64_t> offsets = {0, (int64_t)count};
		device_array<int64_t> d_offsets(offsets);
		device_array<double> d_value(1);
		struct elements elements = {d_x.get(), nullptr, DTYPE_FLOAT16, false, 0.0};
		struct lines shape = {1, count, way == 0 ? nullptr : d_offsets.get(), count};
		test_launch launch(ordered_lines_scratch(ACCUM_SUM, &shape));
		double got;

		CHECK_CUDA(
			ordered_lines(launch.get(), ACCUM_SUM, &elements, &shape, d_value.get()));
		launch.wait();
		got = d_value.host()[0];
		if (!same_bits(&got, &want, 1))
			fail_msg("way %u: %a instead of %a", way, got, want);
		assert_true(launch.tickets_are_zero());
	}
}

/* Any order: within k u sum |x| (docs/orders.md, section 7), -0 only of -0. */
static void atomic_sums_are_near(void **state)
{
	(void)state;
	for (enum accum accum : {ACCUM_SUM, ACCUM_ABS, ACCUM_SQUARE, ACCUM_DOT})
		for (enum dtype dtype : dtypes)
			for (uint64_t count : {0, 1, 31, 4097, 1000003}) {
				struct filled x = fill(dtype, UNIFORM, accum, 1, count),
					      y = fill(dtype, UNIFORM, accum, 2, count);
				device_array<char> d_x(x.stored, dtype_size(dtype)), d_y(y.stored);
				device_array<double> d_value(1);
				struct elements elements = {d_x.get(), d_y.get(), dtype, false,
							    0.0};
				test_launch launch(0);
				double magnitudes = 0.0, want, got;
				struct error err;

				for (uint64_t i = 0; i < count; i++)
					magnitudes += std::fabs(x.wide[i] *
								(accum == ACCUM_DOT      ? y.wide[i]
								 : accum == ACCUM_SQUARE ? x.wide[i]
											 : 1.0));
				oracle_reduce(accum, ORACLE_CANONICAL, x.wide.data(), y.wide.data(),
					      count, 0.0, false, &want, &err);
				CHECK_CUDA(atomic_sum(launch.get(), accum, &elements, count,
						      d_value.get()));
				launch.wait();
				assert_true(launch.tickets_are_zero());
				got = d_value.host()[0];
				assert_true(std::fabs(got - want) <=
					    2.0 * (double)count * 0x1p-53 * magnitudes);
				assert_true(count != 0 || (got == 0.0 && std::signbit(got)));
			}

	struct filled x = fill(DTYPE_FLOAT32, MINUS_ZERO, ACCUM_SUM, 1, 100000);
	device_array<char> d_x(x.stored);
	device_array<double> d_value(1);
	struct elements elements = {d_x.get(), nullptr, DTYPE_FLOAT32, false, 0.0};
	test_launch launch(0);

	CHECK_CUDA(atomic_sum(launch.get(), ACCUM_SUM, &elements, 100000, d_value.get()));
	launch.wait();
	assert_true(std::signbit(d_value.host()[0]));
}

static struct extreme extreme_of(const std::vector<double> &x, bool max, bool omit)
{
	struct extreme found = {};

	for (uint64_t i = 0; i < x.size(); i++) {
		uint64_t bits;

		if (std::isnan(x[i]) && (omit || (found.any && found.nan)))
			continue;
		if (std::isnan(x[i])) {
			found = {};
			found.value.f = NAN;
			found.index = i;
			found.any = found.nan = true;
			continue;
		}
		memcpy(&bits, &x[i], sizeof(bits));
		extreme_offer(&found, bits, i, max, extreme_f64_less);
	}
	return found;
}

static void check_family(unsigned mask, enum dtype dtype, enum content content, bool omit,
			 uint64_t count, size_t shift)
{
	struct filled x = fill(dtype, content, ACCUM_SUM, 9 + count, count);
	device_array<char> d_x(x.stored, shift * dtype_size(dtype));
	device_array<struct ordered_family_values> d_values(1);
	const struct elements elements = {d_x.get(), nullptr, dtype, omit, 0.0};
	test_launch launch(ordered_family_scratch(mask, count));
	struct ordered_family_values got;

	CHECK_CUDA(ordered_family(launch.get(), mask, &elements, count, d_values.get()));
	launch.wait();
	assert_true(launch.tickets_are_zero());
	got = d_values.host()[0];

	const struct {
		enum accum accum;
		const void *value;
	} of[] = {{ACCUM_SUM, &got.sum},
		  {ACCUM_ABS, &got.abs},
		  {ACCUM_SQUARE, &got.square},
		  {ACCUM_SCALED, &got.scaled},
		  {ACCUM_MOMENTS, &got.moments}};
	struct error err;

	for (const auto &one : of) {
		double want[3];

		if ((mask >> one.accum & 1) == 0)
			continue;
		oracle_reduce(one.accum, ORACLE_CANONICAL, x.wide.data(), nullptr, count, 0.0, omit,
			      want, &err);
		compared++;
		if (!same_bits((const double *)one.value, want, numbers_of(one.accum)))
			fail_msg("family %x accum %d dtype %d content %d omit %d count %llu: "
				 "%a instead of %a",
				 mask, one.accum, dtype, content, omit, (unsigned long long)count,
				 *(const double *)one.value, want[0]);
	}
	for (enum accum accum : {ACCUM_MIN, ACCUM_MAX}) {
		const struct extreme want = extreme_of(x.wide, accum == ACCUM_MAX, omit);
		const struct extreme &found = accum == ACCUM_MAX ? got.max : got.min;

		if ((mask >> accum & 1) == 0)
			continue;
		compared++;
		if (found.any != want.any || found.nan != want.nan ||
		    (want.any &&
		     (found.index != want.index || !same_bits(&found.value.f, &want.value.f, 1))))
			fail_msg("family %x accum %d dtype %d content %d omit %d count %llu: "
				 "%a at %llu instead of %a at %llu",
				 mask, accum, dtype, content, omit, (unsigned long long)count,
				 found.value.f, (unsigned long long)found.index, want.value.f,
				 (unsigned long long)want.index);
	}
}

/* All at once, and some. */
static void families_have_the_bits_of_their_members(void **state)
{
	static const uint64_t lengths[] = {0,    1,     100,   4095,    4096,
					   4097, 12288, 50000, 1000003, (1u << 24) + 5000};
	unsigned turn = 0;

	(void)state;
	for (enum dtype dtype : dtypes)
		for (uint64_t length : lengths)
			for (unsigned content = UNIFORM; content <= ZEROS; content++) {
				unsigned mask = turn % 3 == 0 ? ORDERED_FAMILY
							      : (unsigned)random_bits(3, turn) &
									ORDERED_FAMILY;

				turn++;
				if (length > 1000003 && (content > 0 || dtype < DTYPE_FLOAT32))
					continue;
				check_family(length > 1000003 ? ORDERED_FAMILY : mask, dtype,
					     (enum content)content, turn & 1, length, turn % 3);
			}
}

static int tell_how_many(void **state)
{
	(void)state;
	print_message("%llu values compared\n", (unsigned long long)compared);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_around_every_boundary),
		cmocka_unit_test(lines_of_equal_length),
		cmocka_unit_test(lines_by_offsets),
		cmocka_unit_test(minus_zero_stays),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(beyond_32_bits),
		cmocka_unit_test(atomic_sums_are_near),
		cmocka_unit_test(families_have_the_bits_of_their_members),
	};
	const int skipped = without_device();

	if (skipped != 0)
		return skipped;
	return cmocka_run_group_tests(tests, NULL, tell_how_many);
}
