/* ordered_family_fold.cu - from the tile values of ordered_family.cu to those of
 * the line: all kinds by one kernel, a block for each kind and group of tiles. */
#include "config.h"

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_family.cuh"
#include "gpu/kernels/ordered_fold.cuh"

struct fold_job {
	struct family_values in, next;
	struct family_results results;
	bool last;
	const void *x;
	enum dtype dtype;
	uint64_t tiles, count;
};

struct fold_shared {
	struct lanes_shared lanes;
	struct best best[ORDER_LANES / WARP];
};

template <enum accum A, class V>
__device__ __forceinline__ void fold_kind(const V *in, uint64_t from, unsigned count, V *out,
					  struct fold_shared *shared)
{
	unsigned turn = 0;
	V v = fold_values<A, ORDER_LANES>(
		count, [=](unsigned k) { return load_value(in + from + k); }, &shared->lanes, turn);

	if (threadIdx.x == 0)
		*out = v;
}

/* The first place of a tile that has the extreme. */
template <class R>
__device__ __noinline__ unsigned place_of(R x, unsigned count, bool nan, double value,
					  struct lanes_shared *shared)
{
	tile_in_memory<R, ORDER_LANES, 16, false> tile = {x, x, count, false, shared, 0};

	return tile.lanes(
		ORDER_TILE,
		[=](unsigned &v, double a, double, unsigned e) {
			bool it = nan ? values::is_nan(a) : order_key(a) == order_key(value);

			if (it && e < v)
				v = e;
		},
		[](unsigned a, unsigned b) { return min(a, b); });
}

template <enum dtype D>
__device__ __forceinline__ unsigned place_in(const struct fold_job &job, const struct best &found,
					     bool nan, double value, struct lanes_shared *shared)
{
	const uint64_t from = found.tile * ORDER_TILE;
	const typed_reader<D> x = {(const typename stored<D>::type *)job.x + from};

	return place_of(x, (unsigned)min((uint64_t)ORDER_TILE, job.count - from), nan, value,
			shared);
}

template <bool MAX>
__device__ __forceinline__ void find_extreme(const struct fold_job &job, const struct best &found,
					     struct extreme *out, struct lanes_shared *shared)
{
	struct extreme result = {};

	if (found.key != NOTHING_KEY<MAX>) {
		const bool nan = found.key == NAN_KEY<MAX>;
		const double value = nan ? values::quiet_nan() : number_of_key(found.key);
		unsigned place;

		switch (job.dtype) {
		case DTYPE_FLOAT16:
			place = place_in<DTYPE_FLOAT16>(job, found, nan, value, shared);
			break;
		case DTYPE_BFLOAT16:
			place = place_in<DTYPE_BFLOAT16>(job, found, nan, value, shared);
			break;
		case DTYPE_FLOAT32:
			place = place_in<DTYPE_FLOAT32>(job, found, nan, value, shared);
			break;
		default:
			place = place_in<DTYPE_FLOAT64>(job, found, nan, value, shared);
			break;
		}
		result.any = true;
		result.nan = nan;
		result.value.f = value;
		result.index = found.tile * ORDER_TILE + place;
	}
	if (threadIdx.x == 0)
		*out = result;
}

template <bool MAX>
__device__ __forceinline__ void fold_extreme(const struct fold_job &job, const struct best *in,
					     uint64_t from, unsigned count, struct best *next,
					     struct extreme *out, struct fold_shared *shared)
{
	struct best v = {NOTHING_KEY<MAX>, UINT64_MAX};

#pragma unroll 1
	for (unsigned row = threadIdx.x; row < count; row += 8 * ORDER_LANES) {
		longlong2 other[8];

#pragma unroll
		for (unsigned r = 0; r < 8; r++)
			other[r] = __ldcg((const longlong2 *)in + from +
					  min(row + r * ORDER_LANES, count - 1));
#pragma unroll
		for (unsigned r = 0; r < 8; r++) /* one twice does no harm */
			v = better<MAX>()(v, best{other[r].x, (uint64_t)other[r].y});
	}
	v = halve_warp(v, better<MAX>());
	if (threadIdx.x % WARP == 0)
		shared->best[threadIdx.x / WARP] = v;
	__syncthreads();
	v = shared->best[0];
	for (unsigned i = 1; i < ORDER_LANES / WARP; i++)
		v = better<MAX>()(v, shared->best[i]);
	if (job.last)
		find_extreme<MAX>(job, v, out, &shared->lanes);
	else if (threadIdx.x == 0)
		*next = v;
}

__global__ void __launch_bounds__(ORDER_LANES) fold_family_kernel(struct fold_job job)
{
	__shared__ struct fold_shared shared;
	const uint64_t group = blockIdx.x, from = group * ORDER_TILE;
	const unsigned count = (unsigned)min((uint64_t)ORDER_TILE, job.tiles - from);
	const struct family_values &in = job.in, &out = job.last ? job.results.values : job.next;

	let_followers_start();
	wait_for_predecessor();
	switch (blockIdx.y) {
	case 0:
		if (in.sum != nullptr)
			fold_kind<ACCUM_SUM>(in.sum, from, count, out.sum + group, &shared);
		break;
	case 1:
		if (in.abs != nullptr)
			fold_kind<ACCUM_SUM>(in.abs, from, count, out.abs + group, &shared);
		break;
	case 2:
		if (in.square != nullptr)
			fold_kind<ACCUM_SUM>(in.square, from, count, out.square + group, &shared);
		break;
	case 3:
		if (in.scaled != nullptr)
			fold_kind<ACCUM_SCALED>(in.scaled, from, count, out.scaled + group,
						&shared);
		break;
	case 4:
		if (in.moments != nullptr)
			fold_kind<ACCUM_MOMENTS>(in.moments, from, count, out.moments + group,
						 &shared);
		break;
	case 5:
		if (in.min != nullptr)
			fold_extreme<false>(job, in.min, from, count, job.next.min + group,
					    job.results.min, &shared);
		break;
	default:
		if (in.max != nullptr)
			fold_extreme<true>(job, in.max, from, count, job.next.max + group,
					   job.results.max, &shared);
		break;
	}
}

cudaError_t fold_family(cudaStream_t stream, const struct family_values &in, uint64_t tiles,
			const struct family_values &next, const struct family_results *last,
			const void *x, enum dtype dtype, uint64_t count)
{
	struct fold_job job = {};
	const dim3 blocks((unsigned)((tiles + ORDER_TILE - 1) / ORDER_TILE), FAMILY_KINDS);

	job.in = in;
	job.next = next;
	if (last != nullptr)
		job.results = *last;
	job.last = last != nullptr;
	job.x = x;
	job.dtype = dtype;
	job.tiles = tiles;
	job.count = count;
	return launch_behind(stream, blocks, ORDER_LANES, fold_family_kernel, job);
}
