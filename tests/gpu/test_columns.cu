/* Columns and grids in the strided order, bit for bit against the oracle. */
#include "config.h"

#include <cmath>
#include <cstring>
#include "tests/gpu/device_array.cuh"
#include "tests/gpu/numbers.cuh"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "cpu/oracle.h"
#include "engine/round.h"
#include <cmocka.h> /* last: it defines fail() */
}

static uint64_t compared;

/* Elements of any float type, and what they are as doubles. */
struct numbers {
	std::vector<char> raw;
	std::vector<double> wide;
};

static struct numbers make(enum dtype dtype, size_t count, bool specials, uint64_t seed)
{
	const size_t size = dtype_size(dtype);
	struct numbers out = {std::vector<char>(count * size), std::vector<double>(count)};

	for (size_t i = 0; i < count; i++) {
		const uint64_t r = random_bits(seed, i);
		double x = (double)(int64_t)r * 0x1p-63 * ((r & 7) == 0 ? 300 : 1);

		if (specials && r % 11 == 0)
			x = NAN;
		else if (specials && r % 13 == 0)
			x = -0.0;
		else if (specials && r % 997 == 0)
			x = INFINITY;
		else if (specials && dtype == DTYPE_FLOAT64 && r % 17 == 0)
			x = ldexp(x, r % 2 ? -600 : 600);
		round_f64(x, dtype, out.raw.data() + i * size);
		out.wide[i] = float_at(dtype, out.raw.data() + i * size);
	}
	return out;
}

static bool same(double a, double b)
{
	return (a != a && b != b) || memcmp(&a, &b, sizeof(a)) == 0;
}

static size_t words_of(enum accum accum)
{
	return accum == ACCUM_SCALED || accum == ACCUM_MOMENTS ? 3 : accum == ACCUM_LOGSUM ? 2 : 1;
}

/* The line's value against the oracle's. */
static void compare(enum accum accum, const double *value, const std::vector<double> &x,
		    const std::vector<double> &y, bool omit, const char *what, uint64_t line)
{
	double wanted[4];

	assert_int_equal(oracle_reduce(accum, ORACLE_STRIDED, x.data(), y.data(), x.size(), 2.5,
				       omit, wanted, NULL),
			 STATUS_OK);
	for (size_t w = 0; w < words_of(accum); w++)
		if (!same(value[w], wanted[w]))
			fail_msg("%s: line %llu, word %zu: %a instead of %a", what,
				 (unsigned long long)line, w, value[w], wanted[w]);
	compared++;
}

/* Which lines are looked at: all, or about so many. */
#define LINES_LOOKED_AT 40u

static void check_columns(enum accum accum, enum dtype dtype, const struct columns *c,
			  bool specials, bool omit, size_t shift)
{
	const size_t count = c->outer * c->length * c->inner, size = dtype_size(dtype);
	const uint64_t lines = c->outer * c->inner;
	const struct numbers x = make(dtype, count, specials, 1),
			     y = make(dtype, count, specials, 2);
	const device_array<char> dx(x.raw, shift * size), dy(y.raw, shift * size);
	device_array<double> values(lines * words_of(accum));
	test_launch launch(ordered_columns_scratch(accum, c));
	const struct elements elements = {dx.get(), dy.get(), dtype, omit, 2.5};
	char what[120];

	snprintf(what, sizeof(what), "accum %d of %s, (%llu, %llu, %llu), specials %d omit %d",
		 accum, dtype_name(dtype), (unsigned long long)c->outer,
		 (unsigned long long)c->length, (unsigned long long)c->inner, specials, omit);
	values.fill(0xa5);
	CHECK_CUDA(ordered_columns(launch.get(), accum, &elements, c, values.get()));
	launch.wait();
	assert_true(launch.tickets_are_zero());

	const std::vector<double> got = values.host();
	const uint64_t step = lines / LINES_LOOKED_AT + 1;

	for (uint64_t line = 0; line < lines; line += step) {
		std::vector<double> lx, ly;

		for (uint64_t k = 0; k < c->length; k++) {
			uint64_t at =
				(line / c->inner * c->length + k) * c->inner + line % c->inner;

			lx.push_back(x.wide[at]);
			ly.push_back(y.wide[at]);
		}
		compare(accum, &got[line * words_of(accum)], lx, ly, omit, what, line);
	}
}

static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};

static void every_shape(void **state)
{
	static const struct columns shapes[] = {
		{1, 0, 5},      {1, 1, 1},      {3, 1, 7},      {1, 31, 40},    {1, 32, 40},
		{2, 33, 33},    {1, 1000, 3},   {1, 4097, 4},   {1, 100003, 2}, {1, 70001, 1},
		{5, 1023, 15},  {5, 257, 16},   {4, 8193, 31},  {3, 300, 100},  {1, 20000, 64},
		{400, 40, 3},   {300, 1024, 2}, {300, 1025, 2}, {1000, 2, 3},   {0, 5, 3},
		{1, 3000, 257}, {70, 5, 1000},  {1, 400000, 5}, {2, 66000, 33}};

	(void)state;
	for (const struct columns &shape : shapes)
		for (enum dtype dtype : types)
			for (int accum = ACCUM_SUM; accum <= ACCUM_LOGSUM; accum++) {
				const bool heavy = accum == ACCUM_POWER || accum == ACCUM_LOGSUM;

				if (heavy && shape.length * shape.inner > 300000)
					continue;
				check_columns((enum accum)accum, dtype, &shape, false, false, 0);
				if (dtype >= DTYPE_FLOAT32 || shape.inner == 3) {
					check_columns((enum accum)accum, dtype, &shape, true, true,
						      1);
					check_columns((enum accum)accum, dtype, &shape, true, false,
						      3);
				}
			}
}

static void check_grid(enum accum accum, enum dtype dtype, unsigned ndim, const uint64_t *lengths,
		       bool first_reduced, bool omit)
{
	const size_t size = dtype_size(dtype);
	struct grid grid = {};
	uint64_t count = 1;

	grid.ndim = ndim;
	grid.lines = grid.length = 1;
	for (unsigned i = 0; i < ndim; i++) {
		bool reduced = (i % 2 == 0) == first_reduced;

		grid.dim[i] = {lengths[i], reduced};
		*(reduced ? &grid.length : &grid.lines) *= lengths[i];
		count *= lengths[i];
	}

	const struct numbers x = make(dtype, count, omit, 3), y = make(dtype, count, omit, 4);
	const device_array<char> dx(x.raw, size), dy(y.raw, size);
	device_array<double> values(grid.lines * words_of(accum));
	test_launch launch(ordered_grid_scratch(accum, &grid));
	const struct elements elements = {dx.get(), dy.get(), dtype, omit, 2.5};
	std::vector<std::vector<double>> lx(grid.lines), ly(grid.lines);

	values.fill(0xa5);
	CHECK_CUDA(ordered_grid(launch.get(), accum, &elements, &grid, values.get()));
	launch.wait();
	for (uint64_t at = 0; at < count; at++) {
		uint64_t line = 0, rest = at, block = count;

		for (unsigned i = 0; i < ndim; i++) {
			block /= lengths[i];
			if (!grid.dim[i].reduced)
				line = line * lengths[i] + rest / block;
			rest %= block;
		}
		lx[line].push_back(x.wide[at]);
		ly[line].push_back(y.wide[at]);
	}

	const std::vector<double> got = values.host();

	for (uint64_t line = 0; line < grid.lines; line += grid.lines / LINES_LOOKED_AT + 1)
		compare(accum, &got[line * words_of(accum)], lx[line], ly[line], omit, "grid",
			line);
}

static void every_grid(void **state)
{
	static const uint64_t lengths[][6] = {{3, 5, 7, 2, 3, 2},
					      {40, 3, 33, 5, 1, 2},
					      {2, 100, 3, 70, 1, 1},
					      {1, 7, 300, 11, 2, 3},
					      {5, 2, 2, 2, 90, 3}};

	(void)state;
	for (const auto &shape : lengths)
		for (unsigned ndim = 3; ndim <= 6; ndim++)
			for (int accum = ACCUM_SUM; accum <= ACCUM_LOGSUM; accum++)
				for (int way = 0; way < 4; way++)
					check_grid((enum accum)accum, types[(accum + way) % 4],
						   ndim, shape, way & 1, way & 2);
}

/* A column of more than 2^32 elements, and as many columns. */
static void beyond_32_bits(void **state)
{
	const uint64_t length = ((uint64_t)1 << 32) + 3;
	const struct columns tall = {1, length / 2 + 1, 2}, flat = {1, 2, length / 2 + 1};
	device_array<uint16_t> ones(length + 3);
	device_array<double> sums(length / 2 + 1);
	test_launch launch(std::max(ordered_columns_scratch(ACCUM_SUM, &tall),
				    ordered_columns_scratch(ACCUM_SUM, &flat)));
	const struct elements elements = {ones.get(), NULL, DTYPE_BFLOAT16, false, 0.0};
	double got[2];

	(void)state;
	/* 0x3f3f, about 0.746 */
	ones.fill(0x3f);
	CHECK_CUDA(ordered_columns(launch.get(), ACCUM_SUM, &elements, &tall, sums.get()));
	launch.wait();
	CHECK_CUDA(cudaMemcpy(got, sums.get(), sizeof(got), cudaMemcpyDeviceToHost));
	/* Multiples of 2^-8 below 2^40: exact. */
	assert_true(got[0] == bfloat16_to_f64(0x3f3f) * (double)(length / 2 + 1));
	assert_true(got[1] == got[0]);
	CHECK_CUDA(ordered_columns(launch.get(), ACCUM_SUM, &elements, &flat, sums.get()));
	launch.wait();
	CHECK_CUDA(
		cudaMemcpy(got, sums.get() + length / 2 - 1, sizeof(got), cudaMemcpyDeviceToHost));
	assert_true(got[0] == 2 * bfloat16_to_f64(0x3f3f) && got[1] == got[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(every_grid),
		cmocka_unit_test(beyond_32_bits),
	};
	int failed = without_device();

	if (failed != 0)
		return failed;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%llu lines compared\n", (unsigned long long)compared);
	return failed;
}
