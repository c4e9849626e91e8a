/* bench_exact.cu - how long exact sums take, beside CUB's sum called directly and a
 * plain read of the same bytes in the same run. Device events, medians. Arguments:
 * parts to run (long short lines grid), all without. */
#include "config.h"

#include <cstring>
#include <cub/cub.cuh>
#include "gpu/kernels/load.cuh"
#include "tests/gpu/numbers.cuh"
#include "tests/gpu/timing.cuh"

static cudaStream_t stream;
static device_array<char> *data, *temporary, *output;
static test_launch *ours;

enum kind { UNIFORM, NORMAL, EXP10, BITS, ALTERNATING, KINDS };
static const char *const kind_names[] = {"uniform", "normal", "exp10n", "bits", "huge/tiny"};

template <class T> __device__ T number_of(enum kind kind, uint64_t i)
{
	const bool narrow = sizeof(T) < 8;
	const uint64_t w = random_bits(0, 2 * i), v = random_bits(0, 2 * i + 1);
	const double unit = (double)(w >> 11) * 0x1p-53, sign = v & 1 ? 1.0 : -1.0;
	const double normal =
		sqrt(-2.0 * log(1.0 - unit)) * cospi(2.0 * (double)(v >> 11) * 0x1p-53);

	switch (kind) {
	case NORMAL:
		return (T)(narrow ? (double)(float)normal : normal);
	case EXP10:
		return (T)(sign * exp(10.0 * normal));
	case BITS:
		if (narrow)
			return (T)__uint_as_float((uint32_t)w ^
						  ((w >> 23 & 0xff) == 0xff ? 0x40000000u : 0));
		return (T)__longlong_as_double(
			(long long)(w ^ ((w >> 52 & 0x7ff) == 0x7ff ? (uint64_t)1 << 62 : 0)));
	case ALTERNATING:
		if (narrow)
			return (T)(sign * (1.0 + unit) * (i & 1 ? 0x1p100 : 0x1p-100));
		return (T)(sign * (1.0 + unit) * (i & 1 ? 0x1p1000 : 0x1p-1000));
	default:
		return narrow ? (T)((float)(w >> 40) * 0x1p-24f) : (T)unit;
	}
}

template <class T> __global__ void fill_kernel(T *x, uint64_t count, enum kind kind)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
		x[i] = number_of<T>(kind, i);
}

template <class T> static void fill(uint64_t count, enum kind kind)
{
	fill_kernel<<<4096, 256, 0, stream>>>((T *)data->get(), count, kind);
	CHECK_CUDA(cudaGetLastError());
}

/* y of a dot is the second half of x's bytes: lines are half as long then. */
static auto exact(enum accum accum, enum dtype dtype, struct lines lines, uint64_t bytes,
		  bool round)
{
	if (exact_lines_scratch(accum, &lines) > (size_t)256 << 20)
		exit(EXIT_FAILURE);
	return [=](cudaStream_t s) {
		struct launch launch = *ours->get();
		const struct elements elements = {data->get(), data->get() + bytes, dtype, false,
						  0.0};

		launch.stream = s;
		if (round)
			CHECK_CUDA(exact_lines_round(&launch, accum, &elements, &lines, dtype,
						     output->get()));
		else
			CHECK_CUDA(exact_lines(&launch, accum, &elements, &lines, output->get()));
	};
}

template <class T> static auto cub_sum(uint64_t count)
{
	return [=](cudaStream_t s) {
		size_t size = (size_t)256 << 20;

		CHECK_CUDA(cub::DeviceReduce::Sum(temporary->get(), size, (const T *)data->get(),
						  (T *)output->get(), count, s));
	};
}

static double read_us(uint64_t bytes)
{
	return median_us(stream, 11, [=](cudaStream_t s) {
		read_kernel<<<(unsigned)((bytes / 16 + 2047) / 2048), 256, 0, s>>>(
			(const uint4 *)data->get(), bytes / 16, (uint4 *)output->get());
	});
}

static const enum accum accums[] = {ACCUM_EXACT_SUM, ACCUM_EXACT_ABS, ACCUM_EXACT_SQUARE,
				    ACCUM_EXACT_DOT, ACCUM_EXACT_MOMENTS};
static const char *const names[] = {"sum", "abs", "square", "dot", "moments"};

template <class T> static void long_lines(enum dtype dtype, const char *type)
{
	const bool half = sizeof(T) == 2;

	for (unsigned bits = 28; bits <= 30; bits += 2)
		for (unsigned kind = 0; kind < (half ? 2 : KINDS); kind++) {
			const uint64_t count = (uint64_t)1 << bits, bytes = count * sizeof(T);
			double cub, read;

			if (bits == 30 && (kind == EXP10 || half))
				continue;
			fill<T>(count, (enum kind)kind);
			cub = median_us(stream, 11, cub_sum<T>(count));
			read = read_us(bytes);
			printf("%-8s 2^%u %-9s cub %8.1f us, read %8.1f us; cub/ours:", type, bits,
			       kind_names[kind], cub, read);
			for (unsigned a = 0; a < 5; a++) {
				uint64_t n = accums[a] == ACCUM_EXACT_DOT ? count / 2 : count;
				double us = median_us(stream, 11,
						      exact(accums[a], dtype, {1, n, nullptr, n},
							    bytes / 2, false));

				printf(" %s %.3f", names[a], cub / us);
			}
			printf("\n");
		}
}

template <class T> static void short_arrays(enum dtype dtype, const char *type, enum kind kind)
{
	fill<T>((uint64_t)1 << 25, kind);
	printf("%-8s %s, 2^n: ours, rounded, cub us, ours/cub\n", type, kind_names[kind]);
	for (unsigned bits = 10; bits <= 24; bits++) {
		const uint64_t count = (uint64_t)1 << bits;
		const struct lines lines = {1, count, nullptr, count};
		double us = chained_us(stream, 30, exact(ACCUM_EXACT_SUM, dtype, lines, 0, false));
		double rounded =
			chained_us(stream, 30, exact(ACCUM_EXACT_SUM, dtype, lines, 0, true));
		double cub = chained_us(stream, 30, cub_sum<T>(count));

		printf("  %2u: %6.2f %6.2f %6.2f %5.2f%s", bits, us, rounded, cub, us / cub,
		       bits % 3 == 0 ? "\n" : "");
	}
}

template <class T>
static void many_lines(enum dtype dtype, const char *type, uint64_t lines, uint64_t length)
{
	const uint64_t count = lines * length;
	std::vector<int64_t> offsets(lines + 1);

	for (uint64_t i = 0; i <= lines; i++)
		offsets[i] = (int64_t)(i * length);
	fill<T>(count, NORMAL);

	device_array<int64_t> d_offsets(offsets);
	const int64_t *at = d_offsets.get();
	double us =
		median_us(stream, 7,
			  exact(ACCUM_EXACT_SUM, dtype, {lines, length, nullptr, count}, 0, false));
	double rounded = median_us(
		stream, 7, exact(ACCUM_EXACT_SUM, dtype, {lines, length, nullptr, count}, 0, true));
	double by_offsets =
		median_us(stream, 7, exact(ACCUM_EXACT_SUM, dtype, {lines, 0, at, count}, 0, true));
	double squares = median_us(
		stream, 7,
		exact(ACCUM_EXACT_SQUARE, dtype, {lines, length, nullptr, count}, 0, true));
	double moments = median_us(
		stream, 7,
		exact(ACCUM_EXACT_MOMENTS, dtype, {lines, length, nullptr, count}, 0, false));
	double cub = median_us(stream, 3, [=](cudaStream_t s) {
		size_t size = (size_t)256 << 20;

		CHECK_CUDA(cub::DeviceSegmentedReduce::Sum(
			temporary->get(), size, (const T *)data->get(), (T *)output->get(),
			(int)lines, at, at + 1, s));
	});

	printf("%-8s %8llu x %8llu: %8.1f us, rounded %8.1f (%5.0f GB/s), by offsets %8.1f, "
	       "squares %8.1f, moments %8.1f, cub %8.1f: %5.2f and %5.2f times\n",
	       type, (unsigned long long)lines, (unsigned long long)length, us, rounded,
	       count * sizeof(T) / rounded * 1e-3, by_offsets, squares, moments, cub, cub / rounded,
	       cub / by_offsets);
}

template <class T>
static void columns(enum dtype dtype, const char *type, uint64_t rows, uint64_t inner)
{
	const struct elements elements = {data->get(), nullptr, dtype, false, 0.0};
	struct grid grid = {};
	double us, read = read_us(rows * inner * sizeof(T));

	grid.ndim = 2;
	grid.dim[0] = {rows, true};
	grid.dim[1] = {inner, false};
	grid.length = rows;
	grid.lines = inner;
	fill<T>(rows * inner, NORMAL);
	us = median_us(stream, 5, [&](cudaStream_t s) {
		struct launch launch = *ours->get();

		launch.stream = s;
		CHECK_CUDA(exact_grid(&launch, ACCUM_EXACT_SUM, &elements, &grid, output->get()));
	});
	printf("%-8s axis 0 of (%llu, %llu): %8.1f us, %5.0f GB/s, read/ours %.3f\n", type,
	       (unsigned long long)rows, (unsigned long long)inner, us,
	       rows * inner * sizeof(T) / us * 1e-3, read / us);
}

static bool wanted(int argc, char **argv, const char *part)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], part) == 0)
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	CHECK_CUDA(cudaStreamCreate(&stream));
	data = new device_array<char>((size_t)8 << 30);
	temporary = new device_array<char>((size_t)256 << 20);
	output = new device_array<char>((size_t)2500 << 20);
	ours = new test_launch((size_t)256 << 20);

	if (wanted(argc, argv, "lines")) {
		many_lines<float>(DTYPE_FLOAT32, "float32", 200000, 32);
		many_lines<double>(DTYPE_FLOAT64, "float64", 200000, 32);
		many_lines<float>(DTYPE_FLOAT32, "float32", 100000, 1000);
		many_lines<double>(DTYPE_FLOAT64, "float64", 100000, 1000);
		many_lines<float>(DTYPE_FLOAT32, "float32", 8, 10000000);
		many_lines<double>(DTYPE_FLOAT64, "float64", 8, 10000000);
		many_lines<float>(DTYPE_FLOAT32, "float32", 1000000, 2);
		many_lines<double>(DTYPE_FLOAT64, "float64", 1000000, 2);
		many_lines<float>(DTYPE_FLOAT32, "float32", 10000, 20000);
		many_lines<float>(DTYPE_FLOAT32, "float32", 30000, 10000);
	}
	if (wanted(argc, argv, "grid")) {
		columns<float>(DTYPE_FLOAT32, "float32", 10000, 1000);
		columns<float>(DTYPE_FLOAT32, "float32", 1u << 24, 4);
		columns<double>(DTYPE_FLOAT64, "float64", 10000, 1000);
		columns<double>(DTYPE_FLOAT64, "float64", 1000, 100000);
	}
	if (wanted(argc, argv, "short")) {
		short_arrays<float>(DTYPE_FLOAT32, "float32", NORMAL);
		short_arrays<double>(DTYPE_FLOAT64, "float64", NORMAL);
		short_arrays<double>(DTYPE_FLOAT64, "float64", BITS);
		short_arrays<__half>(DTYPE_FLOAT16, "float16", NORMAL);
	}
	if (wanted(argc, argv, "long")) {
		long_lines<__half>(DTYPE_FLOAT16, "float16");
		long_lines<__nv_bfloat16>(DTYPE_BFLOAT16, "bfloat16");
		long_lines<float>(DTYPE_FLOAT32, "float32");
		long_lines<double>(DTYPE_FLOAT64, "float64");
	}
	printf("tickets %s\n", ours->tickets_are_zero() ? "are 0" : "ARE NOT 0");
	return 0;
}
