/* warp.cuh - one value of 32 bits out of those of all lanes of a warp: an
 * instruction since compute capability 8.0, five exchanges before. */
#ifndef GPU_KERNELS_WARP_CUH
#define GPU_KERNELS_WARP_CUH

constexpr unsigned WARP_ALL = 0xffffffffu;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define WARP_REDUCE(NAME, BUILTIN, T, COMBINE)                                          \
	static __device__ __forceinline__ T NAME(T a)                                   \
	{                                                                               \
		for (unsigned by = 16; by > 0; by /= 2) {                               \
			const T b = (T)__shfl_xor_sync(WARP_ALL, (unsigned)a, (int)by); \
                                                                                        \
			a = (COMBINE);                                                  \
		}                                                                       \
		return a;                                                               \
	}
#else
#define WARP_REDUCE(NAME, BUILTIN, T, COMBINE)        \
	static __device__ __forceinline__ T NAME(T a) \
	{                                             \
		return BUILTIN(WARP_ALL, a);          \
	}
#endif

WARP_REDUCE(warp_least, __reduce_min_sync, int, a < b ? a : b)
WARP_REDUCE(warp_least, __reduce_min_sync, unsigned, a < b ? a : b)
WARP_REDUCE(warp_greatest, __reduce_max_sync, int, a > b ? a : b)
WARP_REDUCE(warp_greatest, __reduce_max_sync, unsigned, a > b ? a : b)
WARP_REDUCE(warp_union, __reduce_or_sync, unsigned, a | b)
WARP_REDUCE(warp_total, __reduce_add_sync, int, a + b)
WARP_REDUCE(warp_total, __reduce_add_sync, unsigned, a + b)

#undef WARP_REDUCE

#endif
