/* bench_ordered.cu - how long ordered accumulators over adjacent elements take,
 * beside CUB called directly and a plain read of the same bytes in the same run.
 * Device events, medians. Arguments: parts to run (long families bfloat16 short lines), all
 * without. */
#include "config.h"

#include <cstring>
#include <cub/cub.cuh>
#include "gpu/kernels/load.cuh"
#include "tests/gpu/numbers.cuh"
#include "tests/gpu/timing.cuh"

constexpr size_t SECOND = (size_t)4 << 30; /* where the other array of a dot is */

static cudaStream_t stream;
static bool only_families;
static device_array<char> *data, *temporary, *output;
static test_launch *ours;

template <class T> __global__ void fill_kernel(T *x, uint64_t count)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
		x[i] = (T)((float)(random_bits(0, i) >> 40) * 0x1p-24f - 0.5f);
	}
}

template <class T> static void fill(uint64_t count)
{
	fill_kernel<<<4096, 256, 0, stream>>>((T *)data->get(), count);
	CHECK_CUDA(cudaGetLastError());
}

static auto ordered(enum accum accum, enum dtype dtype, struct lines lines)
{
	if (ordered_lines_scratch(accum, &lines) > (size_t)256 << 20)
		exit(EXIT_FAILURE);
	return [=](cudaStream_t s) {
		struct launch launch = *ours->get();
		const struct elements elements = {data->get(), data->get() + SECOND, dtype, false,
						  2.5};

		launch.stream = s;
		CHECK_CUDA(ordered_lines(&launch, accum, &elements, &lines, output->get()));
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
	return median_us(stream, 15, [=](cudaStream_t s) {
		read_kernel<<<(unsigned)((bytes / 16 + 2047) / 2048), 256, 0, s>>>(
			(const uint4 *)data->get(), bytes / 16, (uint4 *)output->get());
	});
}

static const char *const names[] = {"sum",    "abs",     "square", "dot",   "prod",
				    "scaled", "moments", "power",  "logsum"};

template <class T> static void long_lines(enum dtype dtype, const char *type)
{
	for (unsigned bits = 28; bits <= 30; bits += 2) {
		const uint64_t count = (uint64_t)1 << bits, bytes = count * sizeof(T);
		double cub, read;

		fill<T>(count);
		cub = median_us(stream, 15, cub_sum<T>(count));
		read = read_us(bytes);
		printf("%-8s 2^%u  cub %9.1f us %6.0f GB/s   read %9.1f us\n", type, bits, cub,
		       bytes / cub * 1e-3, read);
		for (unsigned a = 0; a < sizeof(names) / sizeof(*names) && !only_families; a++) {
			enum accum accum = (enum accum)a;
			uint64_t moved = accum == ACCUM_DOT ? 2 * bytes : bytes;
			double us;

			if (bits == 30 && a != ACCUM_SUM)
				continue;
			if ((accum == ACCUM_SCALED || accum == ACCUM_POWER ||
			     accum == ACCUM_LOGSUM) &&
			    dtype != DTYPE_FLOAT64)
				continue;
			us = median_us(stream, accum >= ACCUM_POWER ? 3 : 15,
				       ordered(accum, dtype, {1, count, nullptr, count}));
			printf("  %-8s %9.1f us %6.0f GB/s  cub/ours %.3f  read/ours %.3f\n",
			       names[a], us, moved / us * 1e-3, cub * moved / bytes / us,
			       read * moved / bytes / us);
		}
		for (unsigned mask :
		     {1u << ACCUM_SUM, 1u << ACCUM_SUM | 1u << ACCUM_MOMENTS,
		      1u << ACCUM_SUM | 1u << ACCUM_MIN | 1u << ACCUM_MAX,
		      1u << ACCUM_SUM | 1u << ACCUM_MOMENTS | 1u << ACCUM_MIN | 1u << ACCUM_MAX |
			      1u << (dtype == DTYPE_FLOAT64 ? ACCUM_SCALED : ACCUM_SQUARE)}) {
			const struct elements elements = {data->get(), nullptr, dtype, false, 0.0};
			double us = median_us(stream, 15, [&](cudaStream_t s) {
				struct launch launch = *ours->get();

				launch.stream = s;
				CHECK_CUDA(ordered_family(
					&launch, mask, &elements, count,
					(struct ordered_family_values *)output->get()));
			});

			printf("  family %06x %9.1f us  cub/ours %.3f\n", mask, us, cub / us);
		}
		if (bits == 28 && !only_families) {
			const struct elements elements = {data->get() + sizeof(T), nullptr, dtype,
							  false, 0.0};
			double us = median_us(stream, 15, [&](cudaStream_t s) {
				struct launch launch = *ours->get();
				const struct lines lines = {1, count - 8, nullptr, count - 8};

				launch.stream = s;
				CHECK_CUDA(ordered_lines(&launch, ACCUM_SUM, &elements, &lines,
							 output->get()));
			});
			double atomic = median_us(stream, 15, [&](cudaStream_t s) {
				struct launch launch = *ours->get();
				const struct elements all = {data->get(), nullptr, dtype, false,
							     0.0};

				launch.stream = s;
				CHECK_CUDA(
					atomic_sum(&launch, ACCUM_SUM, &all, count, output->get()));
			});
			printf("  unaligned sum: cub/ours %.3f; atomic sum: cub/ours %.3f\n",
			       cub / us, cub / atomic);
		}
	}
}

template <class T> static void short_arrays(enum dtype dtype, const char *type)
{
	fill<T>((uint64_t)1 << 25);
	printf("%-8s bits: ours us, cub us, ours/cub\n", type);
	for (unsigned bits = 10; bits <= 24; bits++) {
		const uint64_t count = (uint64_t)1 << bits;
		double us = chained_us(stream, 30,
				       ordered(ACCUM_SUM, dtype, {1, count, nullptr, count}));
		double cub = chained_us(stream, 30, cub_sum<T>(count));

		printf("  %2u: %7.2f %7.2f %5.2f%s", bits, us, cub, us / cub,
		       bits % 2 == 0 ? "" : "\n");
	}
	printf("\n");
}

template <class T>
static void many_lines(enum dtype dtype, const char *type, uint64_t lines, uint64_t length)
{
	std::vector<int64_t> offsets(lines + 1);
	double us, by_offsets, moments, cub;

	for (uint64_t i = 0; i <= lines; i++)
		offsets[i] = (int64_t)(i * length);
	fill<T>(lines * length);

	device_array<int64_t> d_offsets(offsets);
	const int64_t *at = d_offsets.get();

	us = median_us(stream, 15,
		       ordered(ACCUM_SUM, dtype, {lines, length, nullptr, lines * length}));
	by_offsets =
		median_us(stream, 15, ordered(ACCUM_SUM, dtype, {lines, 0, at, lines * length}));
	moments =
		median_us(stream, 15,
			  ordered(ACCUM_MOMENTS, dtype, {lines, length, nullptr, lines * length}));
	cub = median_us(stream, 5, [=](cudaStream_t s) {
		size_t size = (size_t)256 << 20;

		CHECK_CUDA(cub::DeviceSegmentedReduce::Sum(
			temporary->get(), size, (const T *)data->get(), (T *)output->get(),
			(int)lines, at, at + 1, s));
	});
	printf("%-8s %8llu lines of %8llu: %8.1f us (%5.0f GB/s) by offsets %8.1f, moments %8.1f, "
	       "cub %8.1f: %5.2f and %5.2f times\n",
	       type, (unsigned long long)lines, (unsigned long long)length, us,
	       lines * length * sizeof(T) / us * 1e-3, by_offsets, moments, cub, cub / us,
	       cub / by_offsets);
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
	output = new device_array<char>((size_t)64 << 20);
	ours = new test_launch((size_t)256 << 20);

	if (wanted(argc, argv, "long")) {
		long_lines<float>(DTYPE_FLOAT32, "float32");
		long_lines<double>(DTYPE_FLOAT64, "float64");
		long_lines<__half>(DTYPE_FLOAT16, "float16");
		long_lines<__nv_bfloat16>(DTYPE_BFLOAT16, "bfloat16");
	}
	if (argc > 1 && wanted(argc, argv, "families")) {
		only_families = true;
		long_lines<float>(DTYPE_FLOAT32, "float32");
		only_families = false;
	}
	if (argc > 1 && wanted(argc, argv, "bfloat16"))
		long_lines<__nv_bfloat16>(DTYPE_BFLOAT16, "bfloat16");
	if (wanted(argc, argv, "short")) {
		short_arrays<float>(DTYPE_FLOAT32, "float32");
		short_arrays<double>(DTYPE_FLOAT64, "float64");
		short_arrays<__half>(DTYPE_FLOAT16, "float16");
	}
	if (wanted(argc, argv, "lines")) {
		many_lines<float>(DTYPE_FLOAT32, "float32", 200000, 32);
		many_lines<double>(DTYPE_FLOAT64, "float64", 200000, 32);
		many_lines<float>(DTYPE_FLOAT32, "float32", 100000, 1000);
		many_lines<double>(DTYPE_FLOAT64, "float64", 100000, 1000);
		many_lines<float>(DTYPE_FLOAT32, "float32", 8, 10000000);
		many_lines<double>(DTYPE_FLOAT64, "float64", 8, 10000000);
		many_lines<float>(DTYPE_FLOAT32, "float32", 1000000, 2);
		many_lines<double>(DTYPE_FLOAT64, "float64", 1000000, 2);
		many_lines<float>(DTYPE_FLOAT32, "float32", 1000000, 64);
		many_lines<float>(DTYPE_FLOAT32, "float32", 10000, 10000);
	}
	printf("tickets %s\n", ours->tickets_are_zero() ? "are 0" : "ARE NOT 0");
	return 0;
}
