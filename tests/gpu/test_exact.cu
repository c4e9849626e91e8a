/* test_exact.cu - exact sums on the device against exactsum_add() and
 * exactsum_add_product() of the engine, element by element. */
#include "config.h"

extern "C" {
#include "engine/exactsum.h"
}
#include <cmath>
#include <cstring>
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

static const enum accum accums[] = {ACCUM_EXACT_SUM, ACCUM_EXACT_ABS, ACCUM_EXACT_SQUARE,
				    ACCUM_EXACT_DOT, ACCUM_EXACT_MOMENTS};
static const enum dtype dtypes[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};

enum content {
	UNIFORM,
	BITS,        /* any finite pattern */
	ALTERNATING, /* huge and tiny */
	CANCELLING,  /* pairs of opposite numbers, little else */
	LARGEST,     /* of either sign, but more of one */
	SUBNORMAL,
	WIDE,    /* exp(10 normal), about */
	SPECIAL, /* some not finite */
	NANS,
	ZEROS,
	MINUS_ZERO,
	ONE_SIGN, /* the largest number, always */
	CONTENTS
};

/* The bits of an element, its type's exponent field moved into place. */
static uint64_t pattern(enum dtype dtype, bool negative, uint64_t exponent, uint64_t mantissa)
{
	const unsigned bits = 8 * dtype_size(dtype);
	const unsigned kept = dtype == DTYPE_FLOAT64   ? 52
			      : dtype == DTYPE_FLOAT32 ? 23
			      : dtype == DTYPE_FLOAT16 ? 10
						       : 7;

	return (uint64_t)negative << (bits - 1) | exponent << kept |
	       (mantissa & (((uint64_t)1 << kept) - 1));
}

static uint64_t element_bits(enum dtype dtype, enum content content, uint64_t seed, uint64_t i)
{
	const uint64_t most = dtype == DTYPE_FLOAT64 ? 0x7ff : dtype == DTYPE_FLOAT16 ? 0x1f : 0xff;
	const uint64_t w = random_bits(seed, i), half = most / 2;
	const bool sign = w >> 63;

	switch (content) {
	case BITS:
		return pattern(dtype, sign, w % most, w >> 12);
	case ALTERNATING:
		return pattern(dtype, sign, i % 2 == 0 ? most - 1 - w % 2 : w % 3, w >> 12);
	case CANCELLING:
		if (w % 97 == 0)
			return pattern(dtype, sign, half / 2, w >> 12);
		return element_bits(dtype, BITS, seed + 5, i / 2) ^ pattern(dtype, i & 1, 0, 0);
	case LARGEST:
		return pattern(dtype, w % 3 == 0, most - 1, ~(uint64_t)0);
	case SUBNORMAL:
		return pattern(dtype, sign, w % 8 == 0, w >> 12);
	case WIDE:
		return pattern(dtype, sign, half - half / 4 + w % (half / 2), w >> 12);
	case SPECIAL:
		if (w % 1024 < 2)
			return pattern(dtype, sign, most, seed % 3 == 0 ? w : 0);
		return pattern(dtype, sign, half - w % 4, w >> 12);
	case NANS:
		if (w % 5 == 0)
			return pattern(dtype, sign, most, w >> 12 | 1);
		return pattern(dtype, sign, half - w % 4, w >> 12);
	case ZEROS:
		return pattern(dtype, sign, w % 256 == 0 ? half : 0, 0);
	case MINUS_ZERO:
		return pattern(dtype, true, 0, 0);
	case ONE_SIGN:
		return pattern(dtype, seed & 1, most - 1, ~(uint64_t)0);
	default:
		return pattern(dtype, sign, half - 1 - (w % 32 == 0 ? w / 32 % 12 : w / 32 % 3),
			       w >> 12);
	}
}

struct filled {
	std::vector<char> stored;
	std::vector<double> wide;
};

static struct filled fill(enum dtype dtype, enum content content, uint64_t seed, size_t count)
{
	const unsigned size = dtype_size(dtype);
	struct filled out = {std::vector<char>(count * size), std::vector<double>(count)};

	for (size_t i = 0; i < count; i++) {
		uint64_t bits = element_bits(dtype, content, seed, i);

		memcpy(out.stored.data() + i * size, &bits, size);
		out.wide[i] = float_at(dtype, &bits);
	}
	return out;
}

static void add_term(struct exactsum *sum, enum accum accum, double x, double y)
{
	if (accum == ACCUM_EXACT_DOT || accum == ACCUM_EXACT_SQUARE)
		exactsum_add_product(sum, x, y);
	else
		exactsum_add(sum, accum == ACCUM_EXACT_ABS ? fabs(x) : x);
}

static bool same_sum(struct exactsum a, struct exactsum b)
{
	exactsum_normalize(&a);
	exactsum_normalize(&b);
	return a.nan == b.nan && a.pos_inf == b.pos_inf && a.neg_inf == b.neg_inf &&
	       a.neg_zero == b.neg_zero && a.other == b.other && a.lo == b.lo && a.hi == b.hi &&
	       (a.lo > a.hi || memcmp(a.digit + a.lo, b.digit + a.lo,
				      (size_t)(a.hi - a.lo + 1) * sizeof(a.digit[0])) == 0);
}

static uint64_t compared;

/* What elements at `at` sum up to against the device's value. */
static bool agrees(enum accum accum, const struct filled &x, const struct filled &y, bool omit,
		   const std::vector<uint64_t> &at, const struct exactsum *got,
		   struct exactsum *want)
{
	struct exactsum squares;

	exactsum_init(want);
	exactsum_init(&squares);
	for (uint64_t i : at) {
		double a = x.wide[i], b = accum == ACCUM_EXACT_DOT ? y.wide[i] : a;

		if (omit && (a != a || b != b))
			continue;
		add_term(want, accum, a, b);
		if (accum == ACCUM_EXACT_MOMENTS)
			exactsum_add_product(&squares, a, a);
	}
	compared++;
	return same_sum(got[0], *want) &&
	       (accum != ACCUM_EXACT_MOMENTS || same_sum(got[1], squares));
}

static void tell(const char *what, enum accum accum, enum dtype dtype, enum content content,
		 bool omit, uint64_t line, uint64_t lines, uint64_t n, const struct exactsum *got,
		 struct exactsum want)
{
	struct exactsum g = *got;

	exactsum_normalize(&g);
	exactsum_normalize(&want);
	fail_msg("%s: accum %d dtype %d content %d omit %d, line %llu of %llu, %llu elements: "
		 "%d..%d flags %d%d%d%d%d instead of %d..%d flags %d%d%d%d%d",
		 what, accum, dtype, content, omit, (unsigned long long)line,
		 (unsigned long long)lines, (unsigned long long)n, g.lo, g.hi, g.nan, g.pos_inf,
		 g.neg_inf, g.neg_zero, g.other, want.lo, want.hi, want.nan, want.pos_inf,
		 want.neg_inf, want.neg_zero, want.other);
}

/* Lines of x and y: offsets, or lines of `length` each. shift: elements behind an
 * aligned address. */
static void check(enum accum accum, enum dtype dtype, enum content content, bool omit,
		  uint64_t lines, uint64_t length, const std::vector<int64_t> *offsets,
		  size_t shift_x, size_t shift_y)
{
	const unsigned size = dtype_size(dtype), sums = accum == ACCUM_EXACT_MOMENTS ? 2 : 1;
	const uint64_t count = offsets != nullptr ? (uint64_t)offsets->back() : lines * length;
	const bool pair = accum == ACCUM_EXACT_DOT;
	struct filled x = fill(dtype, content, 1 + count, count),
		      y = fill(dtype, content, 3 + count, pair ? count : 0);
	device_array<char> d_x(x.stored, shift_x * size), d_y(y.stored, shift_y * size);
	device_array<int64_t> d_offsets(offsets != nullptr ? *offsets : std::vector<int64_t>(1));
	device_array<struct exactsum> d_values(lines * sums);
	device_array<uint64_t> d_rounded(lines);
	struct elements elements = {d_x.get(), pair ? d_y.get() : nullptr, dtype, omit, 0.0};
	struct lines shape = {lines, length, offsets != nullptr ? d_offsets.get() : nullptr, count};
	test_launch launch(exact_lines_scratch(accum, &shape));

	d_values.fill(0x5a);
	CHECK_CUDA(exact_lines(launch.get(), accum, &elements, &shape, d_values.get()));
	launch.wait();
	assert_true(launch.tickets_are_zero());

	const std::vector<struct exactsum> got = d_values.host();
	std::vector<struct exactsum> wanted(lines);

	for (uint64_t i = 0; i < lines; i++) {
		uint64_t from = offsets != nullptr ? (uint64_t)(*offsets)[i] : i * length;
		uint64_t n = offsets != nullptr ? (uint64_t)(*offsets)[i + 1] - from : length;
		std::vector<uint64_t> at(n);

		for (uint64_t k = 0; k < n; k++)
			at[k] = from + k;
		if (!agrees(accum, x, y, omit, at, &got[i * sums], &wanted[i]))
			tell("lines", accum, dtype, content, omit, i, lines, n, &got[i * sums],
			     wanted[i]);
	}
	if (accum == ACCUM_EXACT_MOMENTS)
		return;
	for (enum dtype to : dtypes) {
		CHECK_CUDA(exact_lines_round(launch.get(), accum, &elements, &shape, to,
					     d_rounded.get()));
		launch.wait();
		assert_true(launch.tickets_are_zero());

		const std::vector<uint64_t> rounded = d_rounded.host();

		for (uint64_t i = 0; i < lines; i++) {
			struct exactsum sum = wanted[i];
			uint64_t want = 0, have = 0;

			exactsum_round(&sum, to, &want);
			memcpy(&have, (const char *)rounded.data() + i * dtype_size(to),
			       dtype_size(to));
			if (want != have)
				fail_msg("round to %d: accum %d dtype %d content %d omit %d line "
					 "%llu of %llu, length %llu: %llx instead of %llx",
					 to, accum, dtype, content, omit, (unsigned long long)i,
					 (unsigned long long)lines, (unsigned long long)length,
					 (unsigned long long)have, (unsigned long long)want);
			compared++;
		}
	}
}

static void lengths_around_every_boundary(void **state)
{
	static const uint64_t lengths[] = {0,    1,    2,    3,    4,    5,     31,    32,   33,
					   127,  128,  129,  511,  512,  513,   514,   1025, 4095,
					   4096, 4097, 8191, 8192, 8193, 12289, 16385, 65537};
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (uint64_t length : lengths) {
				enum content content = (enum content)(turn % CONTENTS);
				size_t shift = turn / 5 % 9;

				turn++;
				check(accum, dtype, UNIFORM, false, 1, length, nullptr, 0, 0);
				check(accum, dtype, content, turn / 2 & 1, 1, length, nullptr,
				      shift, turn % 3);
			}
}

static void every_content(void **state)
{
	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (unsigned content = 0; content < CONTENTS; content++)
				for (unsigned omit = 0; omit < 2; omit++) {
					check(accum, dtype, (enum content)content, omit, 1, 20011,
					      nullptr, content % 4, omit);
					check(accum, dtype, (enum content)content, omit, 5, 77,
					      nullptr, 0, 0);
					check(accum, dtype, (enum content)content, omit, 70, 13,
					      nullptr, 1, 0);
					check(accum, dtype, (enum content)content, omit, 300, 2,
					      nullptr, 0, 1);
				}
}

static void lines_of_equal_length(void **state)
{
	static const uint64_t shapes[][2] = {{1000, 1}, {777, 2},   {501, 3},    {333, 4},
					     {301, 5},  {303, 31},  {100, 32},   {64, 33},
					     {70, 127}, {80, 129},  {37, 1000},  {9, 4097},
					     {5, 0},    {2000, 40}, {67, 20001}, {3, 100003}};
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (const uint64_t *shape : shapes) {
				turn++;
				check(accum, dtype, (enum content)(turn % CONTENTS), turn / 2 % 2,
				      shape[0], shape[1], nullptr, turn % 4, turn / 4 % 4);
			}
}

static void lines_by_offsets(void **state)
{
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (unsigned mixture = 0; mixture < 5; mixture++) {
				std::vector<int64_t> offsets(1, mixture % 2 == 0 ? 0 : 5);

				for (unsigned i = 0; i < (mixture == 4 ? 12 : 400); i++) {
					uint64_t w = random_bits(mixture + 77, i);
					int64_t n = (int64_t)(w / 8 % 6);

					if (mixture == 1)
						n = (int64_t)(w / 8 % 60);
					if (mixture == 2)
						n = (int64_t)(w % 8 == 0 ? w / 8 % 3000
									 : w / 8 % 70);
					if (mixture == 3 && i % 100 == 17)
						n = 32768 + (int64_t)(w % 3) - 1;
					if (mixture == 4)
						n = (int64_t)(w % 2 == 0 ? w / 8 % 100000
									 : 32768 * (w / 8 % 4));
					offsets.push_back(offsets.back() + n);
				}
				turn++;
				check(accum, dtype, (enum content)(turn % CONTENTS), turn & 1,
				      offsets.size() - 1, 0, &offsets, turn % 5, turn % 2);
			}
}

/* Many merges of every block; one block's elements are more than a cell takes. */
static void long_lines(void **state)
{
	const uint64_t length = (1u << 23) + (1u << 21) + 77;

	(void)state;
	for (enum dtype dtype : dtypes)
		for (enum accum accum : accums)
			check(accum, dtype, accum == ACCUM_EXACT_ABS ? BITS : ONE_SIGN, false, 1,
			      length, nullptr, accum == ACCUM_EXACT_SUM ? 0 : 3, 1);
	for (enum content content : {UNIFORM, BITS, ALTERNATING, CANCELLING, WIDE, SPECIAL, ZEROS})
		check(ACCUM_EXACT_MOMENTS, DTYPE_FLOAT64, content, content == SPECIAL, 1,
		      (1u << 21) + 3, nullptr, content % 2, 0);
	check(ACCUM_EXACT_SUM, DTYPE_FLOAT64, CANCELLING, false, 1, (1u << 24) + 5, nullptr, 1, 0);
	check(ACCUM_EXACT_SUM, DTYPE_FLOAT32, BITS, false, 1, (1u << 24) + 5, nullptr, 1, 0);
}

/* Elements of lines of a grid, in stored order. */
static std::vector<std::vector<uint64_t>> grid_lines(const struct grid &grid)
{
	std::vector<std::vector<uint64_t>> out(grid.lines);
	uint64_t count = grid.lines * grid.length;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t rest = i, line = 0, scale = 1;

		for (unsigned d = grid.ndim; d-- > 0;) {
			uint64_t index = rest % grid.dim[d].length;

			rest /= grid.dim[d].length;
			if (grid.dim[d].reduced)
				continue;
			line += index * scale;
			scale *= grid.dim[d].length;
		}
		out[line].push_back(i);
	}
	return out;
}

static void grids(void **state)
{
	/* Lengths, reduced ones negative. */
	static const int shapes[][5] = {
		{-100, 37, 0},     {-5000, 3, 0},        {7, -33, 5, 0},
		{-3, 4, -5, 6, 0}, {3, -4, 5, -6, 0},    {-2, 3, -257, 2, 0},
		{-20011, 2, 0},    {2, -3001, 2, -7, 0}, {-129, 301, 0}};
	unsigned turn = 0;

	(void)state;
	for (enum accum accum : accums)
		for (enum dtype dtype : dtypes)
			for (const int *shape : shapes) {
				const unsigned sums = accum == ACCUM_EXACT_MOMENTS ? 2 : 1;
				const enum content content = (enum content)(turn++ % CONTENTS);
				const bool omit = turn & 1, pair = accum == ACCUM_EXACT_DOT;
				struct grid grid = {};

				grid.lines = grid.length = 1;
				for (; grid.ndim < 5 && shape[grid.ndim] != 0; grid.ndim++) {
					int n = shape[grid.ndim];

					grid.dim[grid.ndim] = {(uint64_t)abs(n), n < 0};
					*(n < 0 ? &grid.length : &grid.lines) *= (uint64_t)abs(n);
				}

				const uint64_t count = grid.lines * grid.length;
				struct filled x = fill(dtype, content, 9, count),
					      y = fill(dtype, content, 10, count);
				device_array<char> d_x(x.stored, 6), d_y(y.stored, 2 * 8);
				device_array<struct exactsum> d_values(grid.lines * sums);
				struct elements elements = {d_y.get(), nullptr, dtype, omit, 0.0};
				test_launch launch(exact_grid_scratch(accum, &grid));

				/* 6 bytes are no float32's alignment: y is. */
				elements.x = dtype_size(dtype) == 2 ? d_x.get() : d_y.get();
				if (pair)
					elements.y = d_y.get();
				d_values.fill(0x5a);
				CHECK_CUDA(exact_grid(launch.get(), accum, &elements, &grid,
						      d_values.get()));
				launch.wait();
				assert_true(launch.tickets_are_zero());

				const std::vector<struct exactsum> got = d_values.host();
				const std::vector<std::vector<uint64_t>> lines = grid_lines(grid);

				for (uint64_t i = 0; i < grid.lines; i++) {
					struct exactsum want;

					if (!agrees(accum, dtype_size(dtype) == 2 ? x : y, y, omit,
						    lines[i], &got[i * sums], &want))
						tell("grid", accum, dtype, content, omit, i,
						     grid.lines, grid.length, &got[i * sums], want);
				}
			}
}

__global__ void repeat(uint16_t *x, uint64_t count, const uint16_t *pattern, uint64_t period)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
		x[i] = pattern[i % period];
}

/* More than 2^32 elements, which repeat themselves. */
static void beyond_32_bits(void **state)
{
	const uint64_t count = ((uint64_t)1 << 32) + 4097, period = 12289;
	size_t free_bytes = 0, all_bytes = 0;

	(void)state;
	CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
	if (free_bytes < 2 * count + ((size_t)1 << 30))
		skip();

	device_array<uint16_t> d_x(count, 1);
	device_array<struct exactsum> d_values(1);

	for (enum dtype dtype : {DTYPE_FLOAT16, DTYPE_BFLOAT16}) {
		struct filled pattern = fill(dtype, UNIFORM, 5, period);
		device_array<char> d_pattern(pattern.stored);
		struct elements elements = {d_x.get(), nullptr, dtype, false, 0.0};
		struct lines shape = {1, count, nullptr, count};
		test_launch launch(exact_lines_scratch(ACCUM_EXACT_SUM, &shape));
		struct exactsum want, doubled;

		repeat<<<1024, 256>>>(d_x.get(), count, (const uint16_t *)d_pattern.get(), period);
		CHECK_CUDA(cudaDeviceSynchronize());
		exactsum_init(&want);
		exactsum_init(&doubled);
		for (double x : pattern.wide)
			exactsum_add(&doubled, x);
		for (uint64_t times = count / period; times > 0; times /= 2) {
			struct exactsum same = doubled;

			if (times % 2 == 1)
				exactsum_merge(&want, &doubled);
			exactsum_merge(&doubled, &same);
			exactsum_normalize(&doubled);
		}
		for (uint64_t i = 0; i < count % period; i++)
			exactsum_add(&want, pattern.wide[i]);
		CHECK_CUDA(exact_lines(launch.get(), ACCUM_EXACT_SUM, &elements, &shape,
				       d_values.get()));
		launch.wait();
		assert_true(launch.tickets_are_zero());
		assert_true(same_sum(d_values.host()[0], want));
		compared++;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_around_every_boundary),
		cmocka_unit_test(every_content),
		cmocka_unit_test(lines_of_equal_length),
		cmocka_unit_test(lines_by_offsets),
		cmocka_unit_test(grids),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(beyond_32_bits),
	};
	int failed = without_device();

	if (failed != 0)
		return failed;
	failed = cmocka_run_group_tests(tests, nullptr, nullptr);
	printf("%llu sums compared\n", (unsigned long long)compared);
	return failed;
}
