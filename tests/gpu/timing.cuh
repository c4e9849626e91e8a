/* timing.cuh - what the benchmarks of kernels compare with, and how calls that
 * follow one another are timed. */
#ifndef TESTS_GPU_TIMING_CUH
#define TESTS_GPU_TIMING_CUH

#include "tests/gpu/device_array.cuh"

/* What memory allows: 16-byte loads of everything, a block 2,048 of them. */
static __global__ void __launch_bounds__(256)
	read_kernel(const uint4 *x, uint64_t count, uint4 *out)
{
	uint4 all = {0, 0, 0, 0};
	uint64_t i = (uint64_t)blockIdx.x * 2048 + threadIdx.x;
	uint4 v[8];

#pragma unroll
	for (unsigned k = 0; k < 8; k++)
		v[k] = i + k * 256 < count ? __ldg(x + i + k * 256) : all;
#pragma unroll
	for (unsigned k = 0; k < 8; k++) {
		all.x ^= v[k].x ^ v[k].y;
		all.y ^= v[k].z ^ v[k].w;
	}
	if (all.x == 0x12345678 && all.y == 0x87654321)
		*out = all;
}

/* Microseconds of one call where calls follow one another: a graph of many. */
template <class F> static double chained_us(cudaStream_t stream, unsigned calls, F f)
{
	cudaGraph_t graph;
	cudaGraphExec_t runnable;
	double us;

	CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (unsigned i = 0; i < calls; i++)
		f(stream);
	CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
	CHECK_CUDA(cudaGraphInstantiate(&runnable, graph, 0));
	us = median_us(stream, 15,
		       [=](cudaStream_t s) { CHECK_CUDA(cudaGraphLaunch(runnable, s)); });
	CHECK_CUDA(cudaGraphExecDestroy(runnable));
	CHECK_CUDA(cudaGraphDestroy(graph));
	return us / calls;
}

#endif
