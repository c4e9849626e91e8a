/* Sums over an axis that is not the last, beside reading as many bytes in order. */
#include "config.h"

#include "tests/gpu/device_array.cuh"

static void fill(device_array<float> &x, size_t count)
{
	std::vector<float> some(1 << 20);

	for (size_t i = 0; i < some.size(); i++)
		some[i] = (float)((i * 2654435761u) % 1000) * 0.001f - 0.5f;
	for (size_t at = 0; at < count; at += some.size())
		CHECK_CUDA(cudaMemcpy(x.get() + at, some.data(),
				      std::min(some.size(), count - at) * sizeof(float),
				      cudaMemcpyHostToDevice));
}

int main(void)
{
	static const struct columns shapes[] = {
		{1, 10000, 1000}, {1, 16384, 16384}, {1, (uint64_t)1 << 24, 4}, {1, 100, 10000000},
		{1, 2000000, 2},  {1, 1000000, 15},  {100, 1000, 1000},         {1, 1 << 20, 64},
		{100000, 100, 7}, {1000, 1000, 16}};

	for (const struct columns &shape : shapes) {
		const uint64_t count = shape.outer * shape.length * shape.inner;
		const struct lines flat = {1, count, nullptr, count};
		device_array<float> x(count);
		device_array<double> values(3 * shape.outer * shape.inner);
		test_launch launch(std::max(ordered_columns_scratch(ACCUM_MOMENTS, &shape),
					    ordered_lines_scratch(ACCUM_SUM, &flat)));
		const struct elements elements = {x.get(), x.get(), DTYPE_FLOAT32, false, 0.0};
		double us[3], read;

		fill(x, count);
		read = median_us(launch.get()->stream, 21, [&](cudaStream_t) {
			ordered_lines(launch.get(), ACCUM_SUM, &elements, &flat, values.get());
		});
		for (int i = 0; i < 3; i++)
			us[i] = median_us(launch.get()->stream, 21, [&](cudaStream_t) {
				static const enum accum accums[] = {ACCUM_SUM, ACCUM_MOMENTS,
								    ACCUM_SQUARE};

				ordered_columns(launch.get(), accums[i], &elements, &shape,
						values.get());
			});
		printf("float32 (%llu, %llu, %llu): sum %8.1f us %5.0f GB/s, %4.2f of the sum of "
		       "all; "
		       "moments %8.1f us, square %8.1f us\n",
		       (unsigned long long)shape.outer, (unsigned long long)shape.length,
		       (unsigned long long)shape.inner, us[0], count * 4e-3 / us[0], read / us[0],
		       us[1], us[2]);
	}
	return 0;
}
