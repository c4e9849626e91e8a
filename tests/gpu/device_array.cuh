/* device_array.cuh - what every test of a kernel needs: arrays on the device, a
 * launch, medians of times by events, and whether there is a device. Ends the
 * program where CUDA fails: then nothing later means anything. */
#ifndef TESTS_GPU_DEVICE_ARRAY_CUH
#define TESTS_GPU_DEVICE_ARRAY_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#include "gpu/kernels/launch.h"

#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static inline void check_cuda(cudaError_t code, const char *what, const char *file, int line)
{
	if (code == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(code));
	exit(EXIT_FAILURE);
}

#define EXIT_SKIPPED 77 /* Automake's word for a test that could not run */

/* With what a program ends that has no device; 0: it has one. */
static inline int without_device()
{
	int count = 0;

	if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
		return 0;
	fprintf(stderr, "skipped: no CUDA device\n");
	return getenv("FOLDD_REQUIRE_GPU") != NULL ? EXIT_FAILURE : EXIT_SKIPPED;
}

/* Elements on the device, `shift` elements behind an address aligned to 256. */
template <class T> class device_array
{
      public:
	explicit device_array(size_t count, size_t shift = 0) : count_(count), shift_(shift)
	{
		CHECK_CUDA(cudaMalloc(&base_, (count + shift + 1) * sizeof(T)));
	}
	device_array(const std::vector<T> &from, size_t shift = 0)
	    : device_array(from.size(), shift)
	{
		CHECK_CUDA(
			cudaMemcpy(get(), from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
	}
	~device_array()
	{
		cudaFree(base_);
	}
	device_array(const device_array &) = delete;
	device_array &operator=(const device_array &) = delete;

	T *get() const
	{
		return base_ + shift_;
	}
	void fill(int byte)
	{
		CHECK_CUDA(cudaMemset(get(), byte, count_ * sizeof(T)));
	}
	std::vector<T> host() const
	{
		std::vector<T> out(count_);

		CHECK_CUDA(
			cudaMemcpy(out.data(), get(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
		return out;
	}

      private:
	T *base_ = nullptr;
	size_t count_, shift_;
};

/* A launch on a stream of its own; check() says that its tickets are 0 again. */
class test_launch
{
      public:
	explicit test_launch(size_t scratch) : scratch_(scratch + 256), tickets_(LAUNCH_TICKETS)
	{
		cudaDeviceProp found;

		CHECK_CUDA(cudaGetDeviceProperties(&found, 0));
		CHECK_CUDA(cudaStreamCreate(&launch_.stream));
		tickets_.fill(0);
		scratch_.fill(0xa5);
		launch_.multiprocessors = (unsigned)found.multiProcessorCount;
		launch_.tickets = tickets_.get();
		launch_.scratch = scratch_.get();
	}
	~test_launch()
	{
		cudaStreamDestroy(launch_.stream);
	}
	const struct launch *get() const
	{
		return &launch_;
	}
	void wait() const
	{
		CHECK_CUDA(cudaStreamSynchronize(launch_.stream));
	}
	bool tickets_are_zero() const
	{
		const std::vector<uint32_t> all = tickets_.host();

		return std::all_of(all.begin(), all.end(), [](uint32_t t) { return t == 0; });
	}

      private:
	device_array<char> scratch_;
	device_array<uint32_t> tickets_;
	struct launch launch_ = {};
};

/* Median microseconds of f(stream) on the device, after one that does not count. */
template <class F> double median_us(cudaStream_t stream, unsigned runs, F f)
{
	std::vector<float> times(runs);
	cudaEvent_t begin, end;

	CHECK_CUDA(cudaEventCreate(&begin));
	CHECK_CUDA(cudaEventCreate(&end));
	f(stream);
	for (float &time : times) {
		CHECK_CUDA(cudaEventRecord(begin, stream));
		f(stream);
		CHECK_CUDA(cudaEventRecord(end, stream));
		CHECK_CUDA(cudaEventSynchronize(end));
		CHECK_CUDA(cudaEventElapsedTime(&time, begin, end));
	}
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaEventDestroy(begin));
	CHECK_CUDA(cudaEventDestroy(end));
	std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
	return 1000.0 * times[runs / 2];
}

#endif
