/* free_merge.cuh - merging the values of threads: across lanes and a block. */
#ifndef GPU_KERNELS_FREE_MERGE_CUH
#define GPU_KERNELS_FREE_MERGE_CUH

#include <cstring>
#include "gpu/kernels/free_value.cuh"

constexpr unsigned FREE_THREADS = 256; /* of every block of the family */
constexpr unsigned FREE_WARPS = FREE_THREADS / 32;

/* The value of the lane `distance` above, word by word. All lanes call it. */
template <class V> __device__ __forceinline__ V from_above(const V &v, unsigned distance)
{
	static_assert(sizeof(V) % sizeof(uint32_t) == 0, "values are made of words");
	constexpr unsigned WORDS = sizeof(V) / sizeof(uint32_t);
	uint32_t words[WORDS];
	V out;

	memcpy(words, &v, sizeof(v));
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = __shfl_down_sync(0xffffffffu, words[i], distance);
	memcpy(&out, words, sizeof(out));
	return out;
}

/* Each `lanes` (a power of two, at most 32) neighbouring lanes give their values
 * to the first of them. */
template <class E> __device__ __forceinline__ void merge_lanes(typename E::value *v, unsigned lanes)
{
	for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
		E::merge(v, from_above(*v, distance));
}

/* Thread 0 gets the block's value. Ends with the shared memory free again. */
template <class E> __device__ __forceinline__ void merge_block(typename E::value *v)
{
	__shared__ typename E::value of_warp[FREE_WARPS];
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	merge_lanes<E>(v, 32);
	if (lane == 0)
		of_warp[warp] = *v;
	__syncthreads();
	if (warp == 0) {
		*v = lane < FREE_WARPS ? of_warp[lane] : E::identity();
		merge_lanes<E>(v, FREE_WARPS);
	}
	__syncthreads();
}

/* Values of lines of nothing. */
template <class E>
__global__ void __launch_bounds__(FREE_THREADS) begin_values(E end, uint64_t lines, void *values)
{
	for (uint64_t i = (uint64_t)blockIdx.x * FREE_THREADS + threadIdx.x; i < lines;
	     i += (uint64_t)gridDim.x * FREE_THREADS)
		end.finish(E::identity(), values, i);
}

#endif
