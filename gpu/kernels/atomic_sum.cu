/* atomic_sum.cu - sums in any order, for determinism `none`: one kernel, whose
 * blocks add their sums to one number in memory. Its bits may differ from run to
 * run; its error is within k u sum |x| (docs/orders.md, section 7). */
#include "config.h"

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_fold.cuh"
#include "gpu/kernels/ordered_warp.cuh"

constexpr unsigned THREADS = 256;
constexpr unsigned WARPS = THREADS / WARP;
constexpr unsigned BLOCKS = 2; /* an SM */

/* In the launch's tickets, which are 0 before and after. */
struct atomic_state {
	double sum;     /* begins at +0 */
	uint32_t other; /* a block's sum was not -0: only if all are is the sum -0 */
	uint32_t done;  /* blocks */
};

template <enum accum A, enum dtype D>
__global__ void __launch_bounds__(THREADS, BLOCKS)
	atomic_sum_kernel(const typename stored<D>::type *x, const typename stored<D>::type *y,
			  uint64_t count, bool omit, struct atomic_state *state, double *value)
{
	__shared__ double warp_sum[WARPS];
	const uint64_t tiles = (count + ORDER_TILE - 1) / ORDER_TILE;
	double sum = -0.0;

	for (uint64_t t = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP; t < tiles;
	     t += (uint64_t)gridDim.x * WARPS) {
		uint64_t from = t * ORDER_TILE;

		sum = sum + warp_tile<A, typed_reader<D>>::of(
				    x + from, A == ACCUM_DOT ? y + from : nullptr,
				    (unsigned)min((uint64_t)ORDER_TILE, count - from), omit, 0.0)
				    .whole();
	}
	if (threadIdx.x % WARP == 0)
		warp_sum[threadIdx.x / WARP] = sum;
	__syncthreads();
	if (threadIdx.x != 0)
		return;
	for (unsigned i = 1; i < WARPS; i++)
		sum = sum + warp_sum[i];
	if (sum != 0.0 || !signbit(sum)) {
		atomicAdd(&state->sum, sum);
		atomicOr(&state->other, 1u);
	}
	__threadfence();
	if (atomicAdd(&state->done, 1u) != gridDim.x - 1)
		return;
	__threadfence();
	*value = atomicOr(&state->other, 0u) == 0 ? -0.0 : atomicAdd(&state->sum, 0.0);
	state->sum = 0.0;
	state->other = state->done = 0;
}

template <enum accum A, enum dtype D>
static cudaError_t launch_typed(const struct launch *launch, const struct elements *elements,
				uint64_t count, double *value, struct stored<D>)
{
	using type = typename stored<D>::type;
	const uint64_t tiles = (count + ORDER_TILE - 1) / ORDER_TILE;
	const uint64_t enough = (tiles + WARPS - 1) / WARPS;
	const uint64_t most = BLOCKS * launch->multiprocessors;
	const unsigned blocks = (unsigned)(enough == 0 ? 1 : enough < most ? enough : most);

	atomic_sum_kernel<A, D><<<blocks, THREADS, 0, launch->stream>>>(
		(const type *)elements->x, (const type *)elements->y, count, elements->omit,
		(struct atomic_state *)launch->tickets, value);
	return cudaGetLastError();
}

template <enum accum A>
static cudaError_t launch_atomic(const struct launch *launch, const struct elements *elements,
				 uint64_t count, double *value)
{
	return with_float(elements->dtype, [=](auto tag) {
		return launch_typed<A>(launch, elements, count, value, tag);
	});
}

cudaError_t atomic_sum(const struct launch *launch, enum accum accum,
		       const struct elements *elements, uint64_t count, void *value)
{
	switch (accum) {
	case ACCUM_SUM:
		return launch_atomic<ACCUM_SUM>(launch, elements, count, (double *)value);
	case ACCUM_ABS:
		return launch_atomic<ACCUM_ABS>(launch, elements, count, (double *)value);
	case ACCUM_SQUARE:
		return launch_atomic<ACCUM_SQUARE>(launch, elements, count, (double *)value);
	case ACCUM_DOT:
		return launch_atomic<ACCUM_DOT>(launch, elements, count, (double *)value);
	default:
		return cudaErrorInvalidValue;
	}
}
