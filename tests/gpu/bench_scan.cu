/* Scans of float32 and float64, and of int64, beside CUB's and a copy. */
#include "config.h"

#include <cub/device/device_scan.cuh>
#include "tests/gpu/device_array.cuh"

template <class T> static void measure(enum dtype dtype, uint64_t count)
{
	const struct lines lines = {1, count, nullptr, count};
	device_array<T> x(count), out(count);
	device_array<uint64_t> overflow(1);
	struct scan_job job = {};
	size_t room = 0;
	double ours, cub, copy;

	job.domain = DOMAIN_F64;
	job.input = job.result = dtype;
	x.fill(0x31);
	test_launch launch(scan_lines_scratch(&job, &lines));
	cub::DeviceScan::InclusiveSum(nullptr, room, x.get(), out.get(), count);
	device_array<char> scratch(room);
	ours = median_us(launch.get()->stream, 15, [&](cudaStream_t) {
		scan_lines(launch.get(), &job, x.get(), &lines, out.get(), overflow.get());
	});
	cub = median_us(launch.get()->stream, 15, [&](cudaStream_t stream) {
		cub::DeviceScan::InclusiveSum(scratch.get(), room, x.get(), out.get(), count,
					      stream);
	});
	copy = median_us(launch.get()->stream, 15, [&](cudaStream_t stream) {
		cudaMemcpyAsync(out.get(), x.get(), count * sizeof(T), cudaMemcpyDeviceToDevice,
				stream);
	});
	printf("%s %11llu: %9.1f us, %5.0f GB/s read and written; CUB %9.1f us, cub/ours %.2f; "
	       "copy "
	       "%9.1f us\n",
	       dtype_name(dtype), (unsigned long long)count, ours, 2e-3 * count * sizeof(T) / ours,
	       cub, cub / ours, copy);
}

/* Others of 2^28, beside CUB's inclusive sum of the same type. */
template <class T>
static void measure_other(enum dtype dtype, enum domain domain, enum op op, bool exclusive)
{
	const uint64_t count = (uint64_t)1 << 28;
	const struct lines lines = {1, count, nullptr, count};
	device_array<T> x(count), out(count);
	device_array<uint64_t> overflow(1);
	struct scan_job job = {};
	size_t room = 0;
	double ours, cub;

	job.domain = domain;
	job.input = job.result = dtype;
	job.op = op;
	job.exclusive = exclusive;
	x.fill(0);
	test_launch launch(scan_lines_scratch(&job, &lines));
	cub::DeviceScan::InclusiveSum(nullptr, room, x.get(), out.get(), count);
	device_array<char> scratch(room);
	ours = median_us(launch.get()->stream, 9, [&](cudaStream_t) {
		scan_lines(launch.get(), &job, x.get(), &lines, out.get(), overflow.get());
	});
	cub = median_us(launch.get()->stream, 9, [&](cudaStream_t stream) {
		cub::DeviceScan::InclusiveSum(scratch.get(), room, x.get(), out.get(), count,
					      stream);
	});
	printf("%s %s%s 2^28: %9.1f us; CUB's sum %9.1f us, cub/ours %.2f\n", dtype_name(dtype),
	       exclusive ? "exclusive " : "", op_name(op), ours, cub, cub / ours);
}

int main(void)
{
	measure_other<float>(DTYPE_FLOAT32, DOMAIN_F64, OP_MAX, false);
	measure_other<float>(DTYPE_FLOAT32, DOMAIN_F64, OP_PROD, false);
	measure_other<float>(DTYPE_FLOAT32, DOMAIN_F64, OP_SUM, true);
	measure_other<double>(DTYPE_FLOAT64, DOMAIN_F64, OP_MIN, false);
	measure_other<int64_t>(DTYPE_INT64, DOMAIN_I64, OP_SUM, false);
	measure_other<int64_t>(DTYPE_INT64, DOMAIN_I64, OP_MAX, false);
	for (unsigned bits = 10; bits <= 30; bits += bits < 24 ? 2 : bits < 28 ? 4 : 2) {
		measure<float>(DTYPE_FLOAT32, (uint64_t)1 << bits);
		measure<double>(DTYPE_FLOAT64, (uint64_t)1 << bits);
	}
	return 0;
}
