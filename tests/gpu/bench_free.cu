/* bench_free.cu - what free accumulators and NaNs take on the device, against CUB
 * called directly, and against a kernel that only reads. */
#include "config.h"

#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include "gpu/kernels/launch.h"
#include "tests/gpu/numbers.cuh"
#include "tests/gpu/timing.cuh"

constexpr size_t SCRATCH = (size_t)256 << 20;
constexpr size_t LARGEST = (size_t)4 << 30; /* bytes of elements */

/* Random bits, for floats with exponents near 1 (no NaN). */
__global__ void fill_random(uint64_t *x, uint64_t count, uint64_t mask, uint64_t set)
{
	for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
	     i += (uint64_t)gridDim.x * blockDim.x) {
		x[i] = (random_bits(0, i) & mask) | set;
	}
}

class bench
{
      public:
	bench() : x_(LARGEST), values_((size_t)64 << 20), launch_(SCRATCH), cub_((size_t)64 << 20)
	{
	}
	void fill(enum dtype dtype)
	{
		uint64_t mask = ~(uint64_t)0, set = 0;

		if (dtype == DTYPE_FLOAT32)
			mask = 0xbfffffffbfffffffu & 0xb0ffffffb0ffffffu, set = 0x3000000030000000u;
		else if (dtype == DTYPE_FLOAT64)
			mask = 0x803fffffffffffffu, set = 0x3fc0000000000000u;
		else if (dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16)
			mask = 0x8fff8fff8fff8fffu, set = 0x3000300030003000u;
		fill_random<<<132 * 16, 256, 0, launch_.get()->stream>>>((uint64_t *)x_.get(),
									 LARGEST / 8, mask, set);
		launch_.wait();
	}
	double lines_us(enum accum accum, enum dtype dtype, const struct lines &lines)
	{
		const struct elements in = {x_.get(), x_.get() + LARGEST / 2, dtype, false, 0.0};
		const enum domain domain = domain_of(dtype);

		if (free_lines_scratch(accum, domain, &lines) > SCRATCH)
			exit(EXIT_FAILURE);
		return median_us(launch_.get()->stream, 15, [&](cudaStream_t) {
			CHECK_CUDA(free_lines(launch_.get(), accum, domain, &in, &lines, nullptr,
					      values_.get()));
		});
	}
	double grid_us(enum accum accum, enum dtype dtype, const struct grid &grid)
	{
		const struct elements in = {x_.get(), x_.get(), dtype, false, 0.0};
		const enum domain domain = domain_of(dtype);

		if (free_grid_scratch(accum, domain, &grid) > SCRATCH)
			exit(EXIT_FAILURE);
		return median_us(launch_.get()->stream, 15, [&](cudaStream_t) {
			CHECK_CUDA(
				free_grid(launch_.get(), accum, domain, &in, &grid, values_.get()));
		});
	}
	double nans_us(enum dtype dtype, uint64_t count)
	{
		const struct elements in = {x_.get(), nullptr, dtype, false, 0.0};
		const struct lines one = {1, count, nullptr, count};

		return median_us(launch_.get()->stream, 15, [&](cudaStream_t) {
			CHECK_CUDA(nan_lines(launch_.get(), &in, &one,
					     (struct nan_found *)values_.get()));
		});
	}
	double read_us(uint64_t bytes)
	{
		return median_us(launch_.get()->stream, 15, [&](cudaStream_t stream) {
			read_kernel<<<(unsigned)((bytes / 16 + 2047) / 2048), 256, 0, stream>>>(
				(const uint4 *)x_.get(), bytes / 16, (uint4 *)values_.get());
		});
	}
	template <class T> double cub_sum_us(uint64_t count)
	{
		size_t bytes = (size_t)64 << 20;

		return median_us(launch_.get()->stream, 15, [&](cudaStream_t stream) {
			CHECK_CUDA(cub::DeviceReduce::Sum(cub_.get(), bytes, (const T *)x_.get(),
							  (T *)values_.get(), (int64_t)count,
							  stream));
		});
	}
	template <class T> double cub_max_us(uint64_t count)
	{
		size_t bytes = (size_t)64 << 20;

		return median_us(launch_.get()->stream, 15, [&](cudaStream_t stream) {
			CHECK_CUDA(cub::DeviceReduce::Max(cub_.get(), bytes, (const T *)x_.get(),
							  (T *)values_.get(), (int64_t)count,
							  stream));
		});
	}
	template <class T> double cub_segments_us(uint64_t lines, const int64_t *offsets)
	{
		size_t bytes = (size_t)64 << 20;

		return median_us(launch_.get()->stream, 15, [&](cudaStream_t stream) {
			CHECK_CUDA(cub::DeviceSegmentedReduce::Sum(
				cub_.get(), bytes, (const T *)x_.get(), (T *)values_.get(),
				(int64_t)lines, offsets, offsets + 1, stream));
		});
	}

      private:
	static enum domain domain_of(enum dtype dtype)
	{
		return dtype >= DTYPE_FLOAT16                          ? DOMAIN_F64
		       : dtype >= DTYPE_UINT8 && dtype <= DTYPE_UINT64 ? DOMAIN_U64
								       : DOMAIN_I64;
	}
	device_array<char> x_, values_;
	test_launch launch_;
	device_array<char> cub_;
};

static void row(const char *what, enum dtype dtype, double us, double bytes, const char *peer,
		double peer_us)
{
	printf("%-30s %-8s %9.2f us %7.0f GB/s  %5.3f of %s\n", what, dtype_name((enum dtype)dtype),
	       us, bytes / us / 1000.0, peer_us / us, peer);
	fflush(stdout);
}

static void whole_arrays(bench *b)
{
	static const struct {
		enum accum accum;
		const char *name;
	} of_integers[] = {{ACCUM_INT_SUM, "sum"},
			   {ACCUM_INT_ABS, "abs"},
			   {ACCUM_INT_SQUARE, "square"},
			   {ACCUM_INT_DOT, "dot"},
			   {ACCUM_INT_MOMENTS, "moments"},
			   {ACCUM_INT_PROD, "prod"},
			   {ACCUM_MIN, "min"},
			   {ACCUM_MAX_ABS, "max_abs"},
			   {ACCUM_TALLY, "tally"}};
	static const enum dtype integers[] = {DTYPE_INT8, DTYPE_INT16, DTYPE_INT32, DTYPE_INT64,
					      DTYPE_BOOL};
	static const enum dtype floats[] = {DTYPE_FLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};

	b->fill(DTYPE_INT64);

	const double read = b->read_us((size_t)1 << 30);

	row("read 2^30 bytes", DTYPE_UINT8, read, 1 << 30, "itself", read);
	for (const enum dtype dtype : integers)
		for (const auto &o : of_integers) {
			const uint64_t count = ((uint64_t)1 << 30) / dtype_size(dtype);
			const bool pair = o.accum == ACCUM_INT_DOT;

			row(o.name, dtype, b->lines_us(o.accum, dtype, {1, count, nullptr, count}),
			    (pair ? 2.0 : 1.0) * (1 << 30), "a read", (pair ? 2.0 : 1.0) * read);
		}
	for (const enum dtype dtype : floats) {
		const uint64_t count = ((uint64_t)1 << 30) / dtype_size(dtype);

		b->fill(dtype);
		row("max 2^30 bytes", dtype,
		    b->lines_us(ACCUM_MAX, dtype, {1, count, nullptr, count}), 1 << 30, "a read",
		    read);
		row("tally 2^30 bytes", dtype,
		    b->lines_us(ACCUM_TALLY, dtype, {1, count, nullptr, count}), 1 << 30, "a read",
		    read);
		row("NaNs 2^30 bytes", dtype, b->nans_us(dtype, count), 1 << 30, "a read", read);
	}
}

template <class T> static void against_cub(bench *b, enum dtype dtype, enum accum accum)
{
	static const unsigned logs[] = {10, 16, 20, 24, 28, 30};

	b->fill(dtype);
	for (const unsigned log : logs) {
		const uint64_t count = (uint64_t)1 << log;
		char what[40];

		if (count * sizeof(T) > LARGEST)
			continue;
		snprintf(what, sizeof(what), "%s 2^%u", accum == ACCUM_MAX ? "max" : "sum", log);
		row(what, dtype, b->lines_us(accum, dtype, {1, count, nullptr, count}),
		    (double)count * sizeof(T), "CUB's sum", b->cub_sum_us<T>(count));
	}
}

static void many_lines(bench *b)
{
	static const struct {
		uint64_t lines, length;
	} shapes[] = {{1000000, 2}, {200000, 32}, {100000, 1000}, {8, 10000000}};

	b->fill(DTYPE_FLOAT32);
	for (const auto &s : shapes) {
		std::vector<int64_t> host(s.lines + 1);
		char what[40];

		for (uint64_t i = 0; i <= s.lines; i++)
			host[i] = (int64_t)(i * s.length);

		const device_array<int64_t> offsets(host);
		const double bytes = 4.0 * (double)(s.lines * s.length);
		const double cub = b->cub_segments_us<float>(s.lines, offsets.get());

		snprintf(what, sizeof(what), "max, %llu of %llu", (unsigned long long)s.lines,
			 (unsigned long long)s.length);
		row(what, DTYPE_FLOAT32,
		    b->lines_us(ACCUM_MAX, DTYPE_FLOAT32,
				{s.lines, s.length, nullptr, s.lines * s.length}),
		    bytes, "CUB's segments", cub);
		row("  with offsets", DTYPE_FLOAT32,
		    b->lines_us(ACCUM_MAX, DTYPE_FLOAT32,
				{s.lines, 0, offsets.get(), s.lines * s.length}),
		    bytes, "CUB's segments", cub);
		row("  int32 sum", DTYPE_INT32,
		    b->lines_us(ACCUM_INT_SUM, DTYPE_INT32,
				{s.lines, s.length, nullptr, s.lines * s.length}),
		    bytes, "CUB's segments", cub);
	}
}

static void grids(bench *b)
{
	static const struct {
		const char *name;
		unsigned ndim;
		uint64_t dim[3];
		bool last_reduced;
	} shapes[] = {{"axis 0 of (10,000, 1,000)", 2, {10000, 1000}, false},
		      {"axis 0 of (2^24, 4)", 2, {1 << 24, 4}, false},
		      {"axis 0 of (16,384, 16,384)", 2, {16384, 16384}, false},
		      {"axis 0 of (100, 10^6)", 2, {100, 1000000}, false},
		      {"axis 1 of (1,000, 300, 300)", 3, {1000, 300, 300}, false},
		      {"axes 0, 2 of (300, 1,000, 300)", 3, {300, 1000, 300}, true},
		      {"axes 0, 2 of (2, 10^6, 2)", 3, {2, 1000000, 2}, true}};
	static const enum dtype dtypes[] = {DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT32, DTYPE_INT8};

	for (const auto &s : shapes)
		for (const enum dtype dtype : dtypes) {
			struct grid grid = {};
			double bytes = dtype_size(dtype);

			grid.ndim = s.ndim;
			grid.lines = grid.length = 1;
			for (unsigned i = 0; i < s.ndim; i++) {
				const bool reduced = ((s.ndim - 1 - i) % 2 == 0) == s.last_reduced;

				grid.dim[i] = {s.dim[i], reduced};
				(reduced ? grid.length : grid.lines) *= s.dim[i];
				bytes *= (double)s.dim[i];
			}
			b->fill(dtype);
			row(s.name, dtype,
			    b->grid_us(dtype >= DTYPE_FLOAT16 ? ACCUM_MAX : ACCUM_INT_SUM, dtype,
				       grid),
			    bytes, "a read", b->read_us((uint64_t)bytes / 65536 * 65536));
		}
}

int main(void)
{
	int count = 0;

	if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
		fprintf(stderr, "skipped: no CUDA device\n");
		return 77;
	}

	bench b;

	whole_arrays(&b);
	many_lines(&b);
	grids(&b);
	against_cub<float>(&b, DTYPE_FLOAT32, ACCUM_MAX);
	against_cub<double>(&b, DTYPE_FLOAT64, ACCUM_MAX);
	against_cub<int32_t>(&b, DTYPE_INT32, ACCUM_INT_SUM);
	against_cub<int64_t>(&b, DTYPE_INT64, ACCUM_INT_SUM);
	return EXIT_SUCCESS;
}
