/* Scans of every kind that the kernels serve, bit for bit against the CPU's, which
 * tests/unit/cpu/test_scan.c compares with the oracle; and sums against the oracle
 * itself. */
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
#include "cpu/scan.h"
#include "engine/round.h"
#include <cmocka.h> /* last: it defines fail() */
}

static uint64_t compared;

/* Elements as they are stored, and in their domain's type. */
struct numbers {
	std::vector<char> raw;
	std::vector<uint64_t> wide;
};

static double some_float(uint64_t r, bool specials, bool near_one)
{
	const double x = (double)(int64_t)r * 0x1p-63;

	if (specials && r % 5 == 0)
		return NAN;
	if (specials && r % 7 == 0)
		return -0.0;
	if (specials && r % 1009 == 0)
		return INFINITY;
	return near_one ? 1.0 + x * 0x1p-7 : x * 30.0;
}

static struct numbers make(enum dtype dtype, size_t count, bool specials, bool near_one,
			   uint64_t seed)
{
	const size_t size = dtype_size(dtype);
	struct numbers out = {std::vector<char>(count * size), std::vector<uint64_t>(count)};

	for (size_t i = 0; i < count; i++) {
		uint64_t r = random_bits(seed, i), bits;
		char *at = out.raw.data() + i * size;
		double x;

		if (dtype_is_float(dtype)) {
			round_f64(some_float(r, specials, near_one), dtype, at);
			x = float_at(dtype, at);
			memcpy(&out.wide[i], &x, sizeof(x));
			continue;
		}
		if (!specials && size == 8)
			r = (uint64_t)((int64_t)r >> 20); /* sums stay in range */
		if (dtype == DTYPE_UINT64 && !specials)
			r >>= 20;
		bits = dtype == DTYPE_BOOL ? r & 1 : r;
		memcpy(at, &bits, size);
		bits <<= 64 - 8 * size;
		if (dtype_class(dtype) == DTYPE_CLASS_INT)
			out.wide[i] = (uint64_t)((int64_t)bits >> (64 - 8 * size));
		else
			out.wide[i] = bits >> (64 - 8 * size);
	}
	return out;
}

/* What the CPU makes of one line; the first element out of range, or -1. */
static int64_t reference(const struct scan_job *job, const std::vector<uint64_t> &x,
			 std::vector<char> &out)
{
	const struct scan_args args = {job->op,   job->domain,    job->result,  job->exact,
				       job->omit, job->exclusive, job->overflow};
	std::vector<char> state(scan_state_size(&args) + 64);
	struct error err = {};
	enum status status;
	void *aligned = (void *)(((uintptr_t)state.data() + 63) / 64 * 64);

	scan_init(aligned, &args);
	status = scan_feed(aligned, &args, x.data(), x.size(), out.data(), 1, &err);
	return status == STATUS_OK ? -1 : (int64_t)err.index;
}

/* The prefixes of one line up to the first that is out of range. */
static void compare_line(const struct scan_job *job, const std::vector<char> &wanted, size_t count,
			 const std::vector<char> &got, const char *what)
{
	const size_t size = dtype_size(job->result);

	for (size_t i = 0; i < count; i++)
		if (memcmp(&wanted[i * size], &got[i * size], size) != 0)
			fail_msg("%s: prefix %zu differs", what, i);
	compared += count;
}

static void describe(char *out, size_t size, const struct scan_job *job, const char *lines,
		     uint64_t a, uint64_t b)
{
	snprintf(out, size, "%s of %s to %s, omit %d exclusive %d rule %d, %s %llu x %llu",
		 op_name(job->op), dtype_name(job->input), dtype_name(job->result), job->omit,
		 job->exclusive, job->overflow, lines, (unsigned long long)a,
		 (unsigned long long)b);
}

/* columns: NULL, or of what the lines are. */
static void check(const struct scan_job *job, const struct numbers *x, const struct lines *lines,
		  const std::vector<int64_t> &offsets, const struct columns *columns, size_t shift)
{
	const size_t in = dtype_size(job->input), size = dtype_size(job->result);
	const uint64_t count = lines->elements;
	const device_array<char> dx(x->raw, shift * in);
	const device_array<int64_t> doffsets(offsets);
	device_array<char> out(count * size + 1, shift * size);
	device_array<uint64_t> overflow(1);
	struct lines on_device = *lines;
	char what[160];

	if (!offsets.empty())
		on_device.offsets = doffsets.get();
	test_launch launch(columns != NULL ? scan_columns_scratch(job, columns)
					   : scan_lines_scratch(job, &on_device));

	describe(what, sizeof(what), job, columns != NULL ? "columns" : "lines", lines->lines,
		 lines->length);
	out.fill(0xa5);
	overflow.fill(0);
	CHECK_CUDA(columns != NULL ? scan_columns(launch.get(), job, dx.get(), columns, out.get(),
						  overflow.get())
				   : scan_lines(launch.get(), job, dx.get(), &on_device, out.get(),
						overflow.get()));
	launch.wait();
	assert_true(launch.tickets_are_zero());

	const std::vector<char> got = out.host();
	const uint64_t lowest = overflow.host()[0];
	uint64_t first_found = UINT64_MAX;

	for (uint64_t line = 0; line < lines->lines; line++) {
		const uint64_t first = offsets.empty() ? line * lines->length : offsets[line];
		const uint64_t length =
			offsets.empty() ? lines->length : offsets[line + 1] - offsets[line];
		std::vector<uint64_t> wide;
		std::vector<char> mine;
		int64_t found = -1;

		for (uint64_t k = 0; k < length; k++) {
			uint64_t at = first + k;

			if (columns != NULL)
				at = (line / columns->inner * columns->length + k) *
					     columns->inner +
				     line % columns->inner;
			wide.push_back(x->wide[at]);
			mine.insert(mine.end(), got.begin() + at * size,
				    got.begin() + (at + 1) * size);
		}
		std::vector<char> wanted(mine.size() + 1);

		found = reference(job, wide, wanted);
		if (found >= 0) {
			uint64_t at = first + found;

			if (columns != NULL)
				at = (line / columns->inner * columns->length + found) *
					     columns->inner +
				     line % columns->inner;
			first_found = std::min(first_found, at);
		}
		compare_line(job, wanted, found >= 0 ? (size_t)found : wide.size(), mine, what);
	}
	/* Of several lines out of range the kernel names one: the lowest position. */
	if (first_found != lowest)
		fail_msg("%s: overflow at %lld instead of %lld", what, (long long)lowest,
			 (long long)first_found);
}

static const enum op ops[] = {OP_SUM, OP_PROD, OP_MIN, OP_MAX, OP_LOGSUMEXP};

template <class F> static void each_job(enum dtype input, uint64_t seed, F f)
{
	static const enum dtype floats[] = {DTYPE_FLOAT64, DTYPE_FLOAT32, DTYPE_FLOAT16,
					    DTYPE_BFLOAT16};
	static const enum dtype integers[] = {DTYPE_INT64, DTYPE_UINT64, DTYPE_INT8, DTYPE_UINT16,
					      DTYPE_INT32};

	for (enum op op : ops)
		for (int way = 0; way < 4; way++) {
			struct scan_job job = {};
			const uint64_t r = random_bits(seed, (uint64_t)op * 4 + way);

			job.op = op;
			job.domain = dtype_domain(input);
			job.input = input;
			job.result = job.domain == DOMAIN_F64 ? floats[r % 4] : integers[r % 5];
			job.omit = job.domain == DOMAIN_F64 && way & 1;
			job.exclusive = way & 2;
			job.overflow = (enum overflow_rule)(r / 64 % 3);
			if ((op == OP_LOGSUMEXP && job.domain != DOMAIN_F64) || !scan_served(&job))
				continue;
			f(&job);
		}
}

static void one_line(void **state)
{
	static const uint64_t lengths[] = {0,    1,    2,    3,    31,     127,    128,    129,
					   4095, 4096, 4097, 8193, 131071, 131072, 131073, 300001};

	(void)state;
	for (uint64_t length : lengths)
		for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
			each_job((enum dtype)dtype, length, [&](const struct scan_job *job) {
				const struct numbers x = make(job->input, length, job->omit,
							      job->op == OP_PROD, length + 1);
				const struct lines lines = {1, length, nullptr, length};

				if (job->op == OP_LOGSUMEXP && length > 10000 && length % 2)
					return;
				check(job, &x, &lines, {}, NULL, length % 3);
			});
}

/* Of whole tiles and not, aligned and not: these go through the ring where the device
 * has it (scan_ring.cuh). */
static void one_long_line(void **state)
{
	static const uint64_t lengths[] = {2200000, 3000 * 4096, 3000 * 4096 + 1, 4999999};
	static const enum op folds[] = {OP_SUM, OP_PROD, OP_MIN, OP_MAX};

	(void)state;
	for (enum dtype dtype : {DTYPE_FLOAT32, DTYPE_FLOAT64})
		for (unsigned way = 0; way < 16; way++) {
			const enum op op = folds[way / 4];
			const uint64_t length = lengths[(way + (dtype == DTYPE_FLOAT32)) % 4];
			struct scan_job job = {};

			job.op = op;
			job.domain = DOMAIN_F64;
			job.input = job.result = dtype;
			job.exclusive = way & 1;

			/* NaN in the middle of every other one. */
			const bool specials = way & 2;
			struct numbers x = make(dtype, length, false, op == OP_PROD, way);
			const struct lines lines = {1, length, nullptr, length};

			if (specials) {
				const double odd[] = {-0.0, INFINITY, NAN};

				for (unsigned i = 0; i < 3; i++) {
					const uint64_t at = i == 0 ? 0 : length / 4 * i + 17;

					round_f64(odd[i], dtype, &x.raw[at * dtype_size(dtype)]);
					memcpy(&x.wide[at], &odd[i], sizeof(double));
				}
			}
			check(&job, &x, &lines, {}, NULL, way == 15 ? 1 : 0);
		}
}

static void many_lines(void **state)
{
	static const uint64_t shapes[][2] = {{300, 1}, {100, 7}, {33, 200}, {5, 5000}, {3, 140000}};

	(void)state;
	for (const auto &shape : shapes)
		for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
			each_job((enum dtype)dtype, shape[0], [&](const struct scan_job *job) {
				const struct lines lines = {shape[0], shape[1], nullptr,
							    shape[0] * shape[1]};
				const struct numbers x = make(job->input, lines.elements, true,
							      job->op == OP_PROD, 5);

				if (job->op == OP_LOGSUMEXP && shape[1] > 10000)
					return;
				check(job, &x, &lines, {}, NULL, 1);
			});
}

static void lines_by_offsets(void **state)
{
	const std::vector<int64_t> offsets = {0,  0,    1,     3,     3,      40,
					      41, 4137, 12500, 12500, 150000, 290001};

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		each_job((enum dtype)dtype, 7, [&](const struct scan_job *job) {
			const struct lines lines = {offsets.size() - 1, 0, nullptr,
						    (uint64_t)offsets.back()};
			const struct numbers x =
				make(job->input, lines.elements, job->omit, job->op == OP_PROD, 6);

			if (job->op != OP_LOGSUMEXP)
				check(job, &x, &lines, offsets, NULL, 3);
		});
}

static void columns(void **state)
{
	static const struct columns shapes[] = {{1, 5, 3},  {2, 100, 33}, {1, 5000, 7},
						{70, 3, 2}, {3, 4097, 5}, {1, 2, 1000}};

	(void)state;
	for (const struct columns &shape : shapes)
		for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
			each_job((enum dtype)dtype, shape.length, [&](const struct scan_job *job) {
				const uint64_t count = shape.outer * shape.length * shape.inner;
				const struct lines lines = {shape.outer * shape.inner, shape.length,
							    nullptr, count};
				const struct numbers x =
					make(job->input, count, job->omit, job->op == OP_PROD, 8);

				check(job, &x, &lines, {}, &shape, 1);
			});
}

/* In binary64, unrounded, against the oracle itself. */
static void the_oracle_agrees(void **state)
{
	const uint64_t length = 2000003;
	const struct numbers x = make(DTYPE_FLOAT64, length, false, false, 9);
	const struct lines lines = {1, length, nullptr, length};
	const device_array<char> dx(x.raw);
	device_array<double> out(length);
	device_array<uint64_t> overflow(1);
	struct scan_job job = {};
	std::vector<double> wanted(length);

	(void)state;
	job.domain = DOMAIN_F64;
	job.input = job.result = DTYPE_FLOAT64;
	test_launch launch(scan_lines_scratch(&job, &lines));
	assert_int_equal(oracle_scan(OP_SUM, (const double *)x.raw.data(), length, false, false,
				     wanted.data(), NULL),
			 STATUS_OK);
	for (int run = 0; run < 20; run++) {
		out.fill(0xa5);
		CHECK_CUDA(scan_lines(launch.get(), &job, dx.get(), &lines, out.get(),
				      overflow.get()));
		launch.wait();
		assert_memory_equal(out.host().data(), wanted.data(), length * sizeof(double));
	}
	compared += length;
}

/* More than 2^32 elements: ones, whose prefixes are their places. */
static void beyond_32_bits(void **state)
{
	const uint64_t count = ((uint64_t)1 << 32) + 5;
	const struct lines lines = {1, count, nullptr, count};
	device_array<int8_t> ones(count);
	device_array<int64_t> out(count);
	device_array<uint64_t> overflow(1);
	struct scan_job job = {};
	int64_t last[3];

	(void)state;
	job.domain = DOMAIN_I64;
	job.input = DTYPE_INT8;
	job.result = DTYPE_INT64;
	ones.fill(1);
	test_launch launch(scan_lines_scratch(&job, &lines));
	CHECK_CUDA(scan_lines(launch.get(), &job, ones.get(), &lines, out.get(), overflow.get()));
	launch.wait();
	CHECK_CUDA(cudaMemcpy(last, out.get() + count - 3, sizeof(last), cudaMemcpyDeviceToHost));
	assert_true(last[0] == (int64_t)count - 2 && last[1] == last[0] + 1 &&
		    last[2] == last[0] + 2);
	assert_true(overflow.host()[0] == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),       cmocka_unit_test(one_long_line),
		cmocka_unit_test(many_lines),     cmocka_unit_test(lines_by_offsets),
		cmocka_unit_test(columns),        cmocka_unit_test(the_oracle_agrees),
		cmocka_unit_test(beyond_32_bits),
	};
	int failed = without_device();

	if (failed != 0)
		return failed;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%llu prefixes compared\n", (unsigned long long)compared);
	return failed;
}
