/* ordered_fold.cuh - tile values to the values of lines: values are terms of
 * tiles again, until one is left (docs/orders.md, 2.3). */
#ifndef GPU_KERNELS_ORDERED_FOLD_CUH
#define GPU_KERNELS_ORDERED_FOLD_CUH

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_lanes.cuh"
#include "gpu/kernels/ordered_pieces.cuh"

/* The kernels that fold serve all accumulators that combine alike. */
template <enum accum A>
constexpr enum accum FOLDED_AS =
	A == ACCUM_ABS || A == ACCUM_SQUARE || A == ACCUM_DOT || A == ACCUM_POWER ? ACCUM_SUM : A;

/* Lets a kernel that waits for this one (launch_behind) be set up already. Before
 * compute capability 9.0 one begins when the other has ended anyway. */
__device__ __forceinline__ void let_followers_start()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_predecessor()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Whether the machine code that runs here waits: it may be that of an older
 * capability than the device's. */
static inline bool waits(const void *kernel)
{
	struct cudaFuncAttributes found = {};

	return cudaFuncGetAttributes(&found, kernel) == cudaSuccess && found.ptxVersion >= 90;
}

/* Launches a kernel that begins with wait_for_predecessor(). */
template <class... P, class... Q>
cudaError_t launch_behind(cudaStream_t stream, dim3 blocks, unsigned threads, void (*kernel)(P...),
			  Q... arguments)
{
	static const bool may_start_early = waits((const void *)kernel);
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute early;

	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = blocks;
	config.blockDim = dim3(threads);
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = may_start_early;
	return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

/* A value that another block has written: not from this SM's own cache. */
template <class V> __device__ __forceinline__ V load_value(const V *from)
{
	static_assert(sizeof(V) % sizeof(double) == 0, "values are of doubles");
	double number[sizeof(V) / sizeof(double)];
	V out;

#pragma unroll
	for (unsigned i = 0; i < sizeof(V) / sizeof(double); i++)
		number[i] = __ldcg((const double *)from + i);
	memcpy(&out, number, sizeof(V));
	return out;
}

/* The lane combination of at(0) .. at(count - 1), count <= ORDER_TILE, by THREADS
 * threads: a warp, or a block of ORDER_LANES. All of them get it. */
template <enum accum A, unsigned THREADS, class F>
__device__ __forceinline__ typename ordered<A>::value
fold_values(unsigned count, const F &at, struct lanes_shared *shared, unsigned &turn)
{
	using kind = ordered<A>;
	using value = typename kind::value;
	constexpr unsigned MINE = ORDER_LANES / THREADS;
	/* Loads under way hide memory: up to 32 doubles. A logsum brings an exp
	 * each, whose copies are what counts there. */
	constexpr unsigned TERMS = A == ACCUM_LOGSUM ? 4 : sizeof(value) == sizeof(double) ? 32 : 8;
	constexpr unsigned ROWS = TERMS / MINE;
	const auto combine = [](const value &a, const value &b) { return kind::combine(a, b); };
	value lane[MINE];

#pragma unroll
	for (unsigned l = 0; l < MINE; l++)
		lane[l] = kind::identity();
#pragma unroll 1
	for (unsigned row = 0; row < count; row += ROWS * ORDER_LANES) {
		value term[ROWS][MINE];

#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll
			for (unsigned l = 0; l < MINE; l++) {
				unsigned k =
					row + r * ORDER_LANES + l * THREADS + threadIdx.x % THREADS;

				term[r][l] = at(min(k, count - 1));
			}
		}
		__syncwarp(); /* or the compiler puts each load where it is used */
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
#pragma unroll
			for (unsigned l = 0; l < MINE; l++)
				if (row + r * ORDER_LANES + l * THREADS + threadIdx.x % THREADS <
				    count)
					lane[l] = kind::combine(lane[l], term[r][l]);
		}
	}
	if constexpr (THREADS == ORDER_LANES)
		return halve_block(lane[0], shared, turn, combine);
	else
		return halve_warp(combine(combine(lane[0], lane[2 % MINE]),
					  combine(lane[1 % MINE], lane[3 % MINE])),
				  combine);
}

/* Equal lines: tiles values of each line, in order, to one value of each, by
 * way of `between` (of at least lines * tiles / ORDER_TILE + lines values). */
template <enum accum A>
cudaError_t fold_lines(const struct launch *launch, uint64_t lines, uint64_t tiles,
		       const typename ordered<A>::value *tile_values,
		       typename ordered<A>::value *between, typename ordered<A>::value *out);

/* Lines by offsets. levels: level[0] is that of tiles, its units filled; the
 * lines of the others hold NO_LINE. Only values of lines longer than a tile
 * become known; nothing is done if *any_long is 0. */
template <enum accum A>
cudaError_t fold_units(const struct launch *launch, const struct lines *lines, unsigned levels,
		       const struct units<typename ordered<A>::value> *level,
		       const uint32_t *any_long, typename ordered<A>::value *out);

#endif
