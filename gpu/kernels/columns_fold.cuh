/* columns_fold.cuh - the upper part of the strided order's tree: values by
 * position, an array outer x count x inner, become outer x inner ones. Absent ones
 * are the identity; combining with it changes no bit. */
#ifndef GPU_KERNELS_COLUMNS_FOLD_CUH
#define GPU_KERNELS_COLUMNS_FOLD_CUH

#include "engine/order.h"
#include "gpu/kernels/launch.h"
#include "gpu/kernels/values.cuh"

constexpr unsigned FOLD_THREADS = 256;
constexpr unsigned FOLD_EACH = 4;                         /* values of a thread */
constexpr unsigned FOLD_GROUP = FOLD_THREADS * FOLD_EACH; /* of a block */
constexpr uint64_t FOLD_GRID = 1u << 30;
constexpr uint64_t FOLD_LINES = 8192; /* so many fill the device, a thread each */
constexpr uint64_t FOLD_SHORT = 16;   /* so few values are not worth a block */

/* Rows narrower than this many bytes are not read well as they lie. */
constexpr uint64_t COLUMNS_SECTORS = 64;

/* Fewest runs that a chunk of columns has, whoever makes it (STAGED_BYTES). */
constexpr unsigned COLUMNS_LEAST_RUNS = 2;

struct columns_work {
	const struct launch *launch;
	const struct elements *elements;
	const struct columns *columns;
	void *values;
};

constexpr uint64_t columns_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

constexpr unsigned columns_blocks(uint64_t threads, uint64_t most)
{
	return (unsigned)columns_least((threads + FOLD_THREADS - 1) / FOLD_THREADS, most);
}

/* Chunks of a column, each of so many runs; one at least. */
constexpr uint64_t columns_chunks(uint64_t length, uint64_t runs)
{
	return length == 0 ? 1 : (length - 1) / (runs * ORDER_RUN) + 1;
}

/* Values in sequence: a binary counter, flushed smallest first, the earlier block
 * on the left (rule 3.2). */
template <class ACC> class binary_counter
{
      public:
	__device__ void push(typename ACC::value v)
	{
		unsigned level = 0;

		for (uint64_t k = count_; k & 1; k >>= 1)
			v = ACC::combine(level_[level++], v);
		level_[level] = v;
		count_++;
	}
	__device__ typename ACC::value end() const
	{
		typename ACC::value v = ACC::identity();

		for (unsigned level = 0; count_ >> level != 0; level++)
			if (count_ >> level & 1)
				v = ACC::combine(level_[level], v);
		return v;
	}

      private:
	uint64_t count_ = 0;
	typename ACC::value level_[40]; /* 2^40 values: of 2^45 elements */
};

template <class ACC, class V>
__global__ void columns_fold_wide(const V *from, uint64_t outer, uint64_t count, uint64_t inner,
				  V *to)
{
	for (uint64_t line = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; line < outer * inner;
	     line += (uint64_t)gridDim.x * blockDim.x) {
		const uint64_t o = line / inner, column = line - o * inner;
		binary_counter<ACC> counter;

		for (uint64_t k = 0; k < count; k++)
			counter.push(from[(o * count + k) * inner + column]);
		to[line] = counter.end();
	}
}

/* A block makes of FOLD_GROUP values of one column one. */
template <class ACC, class V>
__global__ void __launch_bounds__(FOLD_THREADS)
	columns_fold_deep(const V *from, uint64_t outer, uint64_t count, uint64_t inner, V *to)
{
	__shared__ V part[FOLD_THREADS];
	const uint64_t groups = (count + FOLD_GROUP - 1) / FOLD_GROUP;

	for (uint64_t block = blockIdx.x; block < outer * groups * inner; block += gridDim.x) {
		const uint64_t column = block % inner, group = block / inner % groups;
		const uint64_t o = block / inner / groups;
		const uint64_t first = group * FOLD_GROUP + threadIdx.x * FOLD_EACH;
		V v[FOLD_EACH];

#pragma unroll
		for (unsigned u = 0; u < FOLD_EACH; u++)
			v[u] = first + u < count ? from[(o * count + first + u) * inner + column]
						 : ACC::identity();
		part[threadIdx.x] =
			ACC::combine(ACC::combine(v[0], v[1]), ACC::combine(v[2], v[3]));
		for (unsigned half = 1; half < FOLD_THREADS; half *= 2) {
			__syncthreads();
			if (threadIdx.x % (2 * half) == 0)
				part[threadIdx.x] =
					ACC::combine(part[threadIdx.x], part[threadIdx.x + half]);
		}
		if (threadIdx.x == 0)
			to[(o * groups + group) * inner + column] = part[0];
		__syncthreads();
	}
}

/* Sums of one double are folded alike, whatever their terms. */
template <enum accum A>
using columns_folder = std::conditional_t<A == ACCUM_ABS || A == ACCUM_SQUARE || A == ACCUM_DOT ||
						  A == ACCUM_POWER,
					  ordered<ACCUM_SUM>, ordered<A>>;

/* from: in scratch, with room behind for as many again. */
template <enum accum A, class V>
cudaError_t columns_fold(const struct launch *launch, const struct columns *columns, uint64_t count,
			 V *from, V *to)
{
	using acc = columns_folder<A>;
	const uint64_t lines = columns->outer * columns->inner;
	V *other = from + lines * count;

	while (count > FOLD_SHORT && lines < FOLD_LINES) {
		const uint64_t groups = (count + FOLD_GROUP - 1) / FOLD_GROUP;
		V *next = groups == 1 ? to : other;

		columns_fold_deep<acc, V>
			<<<(unsigned)columns_least(lines * groups, FOLD_GRID), FOLD_THREADS, 0,
			   launch->stream>>>(from, columns->outer, count, columns->inner, next);
		if (groups == 1)
			return cudaGetLastError();
		other = from;
		from = next;
		count = groups;
	}
	columns_fold_wide<acc, V>
		<<<columns_blocks(lines, FOLD_GRID), FOLD_THREADS, 0, launch->stream>>>(
			from, columns->outer, count, columns->inner, to);
	return cudaGetLastError();
}

#endif
