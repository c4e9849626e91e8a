/* exact_long.cuh - long lines: blocks walk over tiles of 16-byte vectors, keep what
 * they read in cells (exact_cells.cuh), and add that to the line's state.
 *
 * A line or a part of one is whole tiles from the first aligned vector on, then
 * the tile of the vectors that are left, then the few elements beside them. */
#ifndef GPU_KERNELS_EXACT_LONG_CUH
#define GPU_KERNELS_EXACT_LONG_CUH

#include <algorithm>
#include "gpu/kernels/exact_cells.cuh"
#include "gpu/kernels/exact_lines.cuh"
#include "gpu/kernels/load.cuh"
#include "gpu/kernels/ordered_pieces.cuh"
#include "gpu/kernels/warp.cuh"

constexpr uint64_t EXACT_NO_LINE = UINT64_MAX;
constexpr unsigned EXACT_COPIES = 8; /* of a state at most */

/* Cells of nothing: what an accumulator has in place of a second kind. */
struct exact_no_cells {
	static constexpr unsigned SHARED = 0, CAPACITY = UINT32_MAX;
	static constexpr int FIRST = 0, DIGITS = 0;

	__device__ __forceinline__ void init(char *)
	{
	}
	template <unsigned N, class T>
	__device__ __forceinline__ void add(const T (&)[N], const T (&)[N], unsigned &)
	{
	}
	__device__ __forceinline__ void merge(unsigned long long *, unsigned &)
	{
	}
};

/* What a kernel is made of. VECTORS: 16-byte loads of a thread and a tile, of each
 * array. DYNAMIC: blocks that are faster take more tiles of a line. */
template <enum accum A, enum dtype D, class FIRST_CELLS, class SECOND_CELLS, unsigned VECTORS_,
	  bool DYNAMIC_>
struct exact_plan {
	using first = FIRST_CELLS; using second = SECOND_CELLS;
	using type = typename stored<D>::type;
	using term = typename FIRST_CELLS::term;
	static constexpr enum accum ACCUM = A;
	static constexpr enum dtype DTYPE = D;
	static constexpr bool PAIR = A == ACCUM_EXACT_DOT, DYNAMIC = DYNAMIC_;
	static constexpr unsigned VECTORS = VECTORS_, PER = 16 / sizeof(type);
	static constexpr unsigned TILE = EXACT_THREADS * VECTORS; /* vectors */
	static constexpr unsigned SHARED = first::SHARED + second::SHARED;
	static constexpr unsigned DIGITS = first::DIGITS + second::DIGITS;
	static constexpr unsigned CAPACITY =
		first::CAPACITY < second::CAPACITY ? first::CAPACITY : second::CAPACITY;
	static constexpr unsigned EPOCH = CAPACITY / (VECTORS * PER); /* tiles */

	static_assert(EPOCH >= 2, "too few tiles between merges");
};

struct exact_job {
	const void *x, *y;
	bool omit, absolute;
	struct lines lines;
	uint64_t parts, part; /* of each line, and elements of one; one line: parts
			       * is 0, and blocks share its tiles */
	char *states;
	unsigned copies; /* in each state */
	size_t stride;   /* bytes from a state to the next */
	unsigned pending;
	struct exact_results results;
};

/* Bits of an element that leaves sums as they are: -0; with omit, NaN. Of its
 * partner: +0. */
template <class type> __device__ __forceinline__ type exact_absent(enum dtype dtype, bool omit)
{
	if (sizeof(type) == 8)
		return (type)(omit ? 0x7fffffffffffffffu : 0x8000000000000000u);
	if (sizeof(type) == 4)
		return (type)(omit ? 0x7fffffffu : 0x80000000u);
	return (type)(omit ? 0x7fffu : 0x8000u);
}

template <unsigned SIZE> struct exact_word;
template <> struct exact_word<2> {
	using type = uint16_t;
};
template <> struct exact_word<4> {
	using type = uint32_t;
};
template <> struct exact_word<8> {
	using type = uint64_t;
};

/* A range of elements of one line, cut into tiles. */
template <class PLAN> class exact_span
{
      public:
	using type = typename PLAN::type;
	using word = typename exact_word<sizeof(type)>::type;
	static constexpr unsigned PER = PLAN::PER, VECTORS = PLAN::VECTORS;

	__device__ __forceinline__ exact_span(const struct exact_job &job, uint64_t begin,
					      uint64_t count)
	    : x_((const word *)job.x + begin), y_((const word *)job.y + begin), count_(count),
	      omit_(job.omit)
	{
		head_ = (unsigned)((0 - (uintptr_t)x_) % 16 / sizeof(word));
		if (head_ > count)
			head_ = (unsigned)count;
		vectors_ = (count - head_) / PER;
		whole_ = vectors_ / PLAN::TILE;
		beside_ = (unsigned)(count - vectors_ * PER);
		level_ = (uintptr_t)(y_ + head_) % 16 == 0;
	}

	__device__ __forceinline__ uint64_t tiles() const
	{
		return whole_ + (vectors_ % PLAN::TILE != 0) + (beside_ != 0);
	}

	__device__ __forceinline__ void load(uint64_t tile, uint4 (&x)[VECTORS],
					     uint4 (&y)[VECTORS]) const
	{
		const uint4 *from = (const uint4 *)(x_ + head_) + tile * PLAN::TILE + threadIdx.x;

		if (tile < whole_) {
#pragma unroll
			for (unsigned v = 0; v < VECTORS; v++)
				x[v] = __ldcs(from + v * EXACT_THREADS);
			if (PLAN::PAIR) {
#pragma unroll
				for (unsigned v = 0; v < VECTORS; v++)
					y[v] = partner(tile * PLAN::TILE + threadIdx.x +
						       v * EXACT_THREADS);
			}
			return;
		}
#pragma unroll
		for (unsigned v = 0; v < VECTORS; v++) {
			x[v] = fill(exact_absent<word>(PLAN::DTYPE, omit_));
			y[v] = {0, 0, 0, 0};
		}
		if (tile == whole_ && vectors_ % PLAN::TILE != 0) {
#pragma unroll
			for (unsigned v = 0; v < VECTORS; v++) {
				uint64_t i = tile * PLAN::TILE + threadIdx.x + v * EXACT_THREADS;

				if (i >= vectors_)
					continue;
				x[v] = __ldcs((const uint4 *)(x_ + head_) + i);
				if (PLAN::PAIR)
					y[v] = partner(i);
			}
		} else if (threadIdx.x < beside_) {
			uint64_t i =
				threadIdx.x < head_ ? threadIdx.x : threadIdx.x + vectors_ * PER;

			put(x[0], x_[i]);
			if (PLAN::PAIR)
				put(y[0], y_[i]);
		}
	}

      private:
	/* Vector i of y: it need not be aligned when x is. */
	__device__ __forceinline__ uint4 partner(uint64_t i) const
	{
		uint4 out;

		if (level_)
			return __ldcs((const uint4 *)(y_ + head_) + i);
		word *to = (word *)&out;
#pragma unroll
		for (unsigned k = 0; k < PER; k++)
			to[k] = __ldg(y_ + head_ + i * PER + k);
		return out;
	}
	static __device__ __forceinline__ uint4 fill(word w)
	{
		uint4 out;

#pragma unroll
		for (unsigned k = 0; k < PER; k++)
			((word *)&out)[k] = w;
		return out;
	}
	static __device__ __forceinline__ void put(uint4 &v, word w)
	{
		((word *)&v)[0] = w;
	}

	const word *x_, *y_;
	uint64_t count_, vectors_, whole_;
	unsigned head_, beside_; /* elements before the vectors; before and after */
	bool omit_, level_;      /* level: y is aligned where x is */
};

/* Digits to *to, by one warp. */
__device__ __forceinline__ void exact_store(struct exactsum *to, const unsigned long long *digit,
					    int first, unsigned count, unsigned pending,
					    unsigned flags)
{
	const unsigned thread = threadIdx.x % EXACT_WARP;
	unsigned lo = UINT32_MAX;
	int hi = -1;

	for (unsigned i = thread; i < count; i += EXACT_WARP)
		if (digit[i] != 0) {
			lo = min(lo, i);
			hi = (int)i;
		}
	lo = warp_least(lo);
	hi = warp_greatest(hi);
	if (thread == 0)
		exact_store_head(to, hi < 0 ? 0 : (int)lo + first, hi < 0 ? -1 : hi + first,
				 pending, flags);
	for (int i = (int)thread; i <= hi; i += EXACT_WARP)
		if (i >= (int)lo)
			to->digit[first + i] = (int64_t)digit[i];
}

/* A line's digits, in shared memory, to its result; by the block. Out of line: it is
 * done once, and would take registers from what is done always. */
template <class PLAN>
__device__ __noinline__ void exact_publish(const struct exact_job &job,
					   const unsigned long long *digit, uint64_t line,
					   unsigned found)
{
	const bool magnitude = PLAN::ACCUM == ACCUM_EXACT_SQUARE ||
			       (PLAN::ACCUM == ACCUM_EXACT_SUM && job.absolute);
	const unsigned flags = magnitude ? exact_magnitude_flags(found) : found;
	struct exactsum *value =
		(struct exactsum *)(job.results.values + line * job.results.stride);

	if (job.results.values == nullptr) {
		if (threadIdx.x == 0) {
			exact_rounder rounder(PLAN::first::FIRST);

			for (unsigned i = 0; i < PLAN::first::DIGITS; i++)
				rounder.push((int64_t)digit[i]);
			rounder.store(flags, job.results.to, job.results.out, line);
		}
	} else if (threadIdx.x < EXACT_WARP) {
		exact_store(value, digit, PLAN::first::FIRST, PLAN::first::DIGITS, job.pending,
			    flags);
	} else if (PLAN::second::DIGITS > 0 && threadIdx.x < 2 * EXACT_WARP) {
		exact_store(value + 1, digit + PLAN::first::DIGITS, PLAN::second::FIRST,
			    PLAN::second::DIGITS, job.pending, exact_magnitude_flags(found));
	}
	__syncthreads();
}

/* One block's cells and flags, and how they get to a state. */
template <class PLAN> class exact_block
{
      public:
	using term = typename PLAN::term;
	static constexpr unsigned VECTORS = PLAN::VECTORS, PER = PLAN::PER;
	/* A narrow sum reports +inf and -inf of one thread as NaN, which their squares
	 * are not: with squares, elements are looked at instead. */
	static constexpr bool FLAGS_APART =
		PLAN::ACCUM == ACCUM_EXACT_MOMENTS && sizeof(term) == sizeof(float);

	__device__ __forceinline__ exact_block(const struct exact_job &job, char *memory,
					       unsigned long long *total)
	    : job_(job), total_(total)
	{
		first_.init(memory);
		second_.init(memory + PLAN::first::SHARED);
		__syncthreads();
	}

	/* Further terms are of the line with this state; `alone`: of a line that no
	 * other block adds to, so that memory is not needed. */
	__device__ __forceinline__ void open(uint64_t slot, bool alone)
	{
		unsigned copy = job_.copies > 1 ? blockIdx.x % job_.copies : 0;

		head_ = (struct exact_head *)(job_.states + slot * job_.stride);
		digits_ = (unsigned long long *)(head_ + 1);
		alone_ = alone;
		mine_ = alone ? total_ : digits_ + copy * PLAN::DIGITS;
		flags_ = 0;
		tiles_ = 0;
		if (alone)
			for (unsigned i = threadIdx.x; i < PLAN::DIGITS; i += EXACT_THREADS)
				total_[i] = 0;
	}

	__device__ __forceinline__ struct exact_head *head() const
	{
		return head_;
	}

	__device__ __forceinline__ void add(const uint4 (&x)[VECTORS], const uint4 (&y)[VECTORS])
	{
		/* Some at a time: what a product needs takes many registers. */
		constexpr unsigned ALL = VECTORS * PER, MOST = PLAN::SHARED > 65536 ? 8 : 16;
		constexpr unsigned N = ALL % MOST == 0 ? MOST : ALL;

		if (tiles_ == PLAN::EPOCH) {
			merge();
			tiles_ = 0;
		}
		tiles_++;
#pragma unroll
		for (unsigned from = 0; from < ALL; from += N) {
			term a[N], b[N];

#pragma unroll
			for (unsigned i = 0; i < N; i++) {
				const unsigned v = (from + i) / PER, k = (from + i) % PER;

				a[i] = element(x[v], k);
				b[i] = PLAN::PAIR ? element(y[v], k) : a[i];
			}
			if (job_.omit) {
#pragma unroll
				for (unsigned i = 0; i < N; i++) {
					if (a[i] != a[i] || b[i] != b[i]) {
						a[i] = (term)-0.0;
						b[i] = PLAN::PAIR ? (term)0.0 : a[i];
					} else {
						flags_ |= EXACT_SEEN;
					}
				}
			}
			if (PLAN::ACCUM == ACCUM_EXACT_SUM && job_.absolute) {
#pragma unroll
				for (unsigned i = 0; i < N; i++)
					a[i] = fabs(a[i]);
			}
			first_.add(a, b, flags_);
			second_.add(a, b, flags_);
			if (FLAGS_APART) {
				uint32_t highest = 0;

#pragma unroll
				for (unsigned i = 0; i < N; i++)
					highest = max(highest,
						      __float_as_uint((float)a[i]) & 0x7fffffffu);
				if (highest >= 0x7f800000u) {
#pragma unroll
					for (unsigned i = 0; i < N; i++)
						flags_ |= exact_flags_of((double)a[i]);
				}
			}
		}
	}

	/* All that this block has of the line: `parts` of `all`. With the last part,
	 * the line is published. */
	__device__ __forceinline__ void close(uint64_t line, uint32_t parts, uint32_t all,
					      bool seen)
	{
		__shared__ unsigned found;
		__shared__ bool last;

		if (threadIdx.x == 0)
			found = 0;
		merge();
		flags_ = warp_union(flags_ | (seen ? EXACT_SEEN : 0));
		if (alone_) {
			if (threadIdx.x % EXACT_WARP == 0)
				atomicOr(&found, flags_);
			__syncthreads();
			exact_publish<PLAN>(job_, total_, line, found);
			return;
		}
		if (threadIdx.x % EXACT_WARP == 0 && flags_ != 0)
			atomicOr(&head_->flags, flags_);
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			last = atomicAdd(&head_->done, parts) + parts == all;
		__syncthreads();
		if (last) {
			__threadfence();
			collect(&found);
			exact_publish<PLAN>(job_, total_, line, found);
		}
	}

      private:
	static __device__ __forceinline__ term element(const uint4 &v, unsigned k)
	{
		return (term)stored<PLAN::DTYPE>::widen(((const typename PLAN::type *)&v)[k]);
	}

	__device__ __forceinline__ void merge()
	{
		unsigned none = 0;

		__syncthreads();
		first_.merge(mine_, FLAGS_APART ? none : flags_);
		second_.merge(mine_ + PLAN::first::DIGITS, flags_);
		__syncthreads();
	}

	/* The state's digits and flags; the state is 0 again. */
	__device__ __forceinline__ void collect(unsigned *found)
	{
		for (unsigned i = threadIdx.x; i < PLAN::DIGITS; i += EXACT_THREADS) {
			unsigned long long part[EXACT_COPIES], sum = 0;

#pragma unroll
			for (unsigned c = 0; c < EXACT_COPIES; c++)
				part[c] = c < job_.copies ? __ldcg(digits_ + c * PLAN::DIGITS + i)
							  : 0;
#pragma unroll
			for (unsigned c = 0; c < EXACT_COPIES; c++) {
				if (c < job_.copies)
					digits_[c * PLAN::DIGITS + i] = 0;
				sum += part[c];
			}
			total_[i] = sum;
		}
		if (threadIdx.x == EXACT_THREADS - 1) {
			*found = __ldcg(&head_->flags);
			*head_ = {};
		}
		__syncthreads();
	}

	const struct exact_job &job_;
	typename PLAN::first first_;
	typename PLAN::second second_;
	struct exact_head *head_;
	unsigned long long *digits_, *mine_, *const total_; /* total_: in shared memory */
	unsigned flags_, tiles_;
	bool alone_;
};

/* Tiles tile, tile + step, ... of a span; the next one's loads are under way while
 * one is added. */
template <class PLAN>
__device__ __forceinline__ void exact_walk(exact_block<PLAN> &block, const exact_span<PLAN> &span,
					   uint64_t tile, uint64_t step)
{
	const uint64_t tiles = span.tiles();
	uint4 x[PLAN::VECTORS], y[PLAN::VECTORS];

	if (tile < tiles)
		span.load(tile, x, y);
	while (tile < tiles) {
		uint4 now_x[PLAN::VECTORS], now_y[PLAN::VECTORS];

#pragma unroll
		for (unsigned v = 0; v < PLAN::VECTORS; v++) {
			now_x[v] = x[v];
			now_y[v] = y[v];
		}
		tile += step;
		if (tile < tiles)
			span.load(tile, x, y);
		block.add(now_x, now_y);
	}
}

/* The same, tiles taken from the state's counter: thread 0 asks for one ahead. Where
 * each block has one at most, or one block has all, there is nothing to ask for. */
template <class PLAN>
__device__ __forceinline__ void exact_walk_dynamic(exact_block<PLAN> &block,
						   const exact_span<PLAN> &span)
{
	__shared__ uint32_t next[2];
	const uint64_t tiles = span.tiles();
	const bool alone = gridDim.x == 1;
	const bool asks = threadIdx.x == 0 && tiles > gridDim.x && !alone;
	uint64_t tile = blockIdx.x;
	uint4 x[PLAN::VECTORS], y[PLAN::VECTORS];

	if (tile < tiles)
		span.load(tile, x, y);
	if (threadIdx.x == 0)
		next[0] = next[1] = UINT32_MAX;
	if (asks)
		next[0] = gridDim.x + atomicAdd(&block.head()->next, 1u);
	__syncthreads();
	for (unsigned turn = 0; tile < tiles; turn ^= 1) {
		uint4 now_x[PLAN::VECTORS], now_y[PLAN::VECTORS];
		uint32_t after = UINT32_MAX;

#pragma unroll
		for (unsigned v = 0; v < PLAN::VECTORS; v++) {
			now_x[v] = x[v];
			now_y[v] = y[v];
		}
		tile = alone ? tile + 1 : next[turn];
		if (asks)
			after = gridDim.x + atomicAdd(&block.head()->next, 1u);
		if (tile < tiles)
			span.load(tile, x, y);
		block.add(now_x, now_y);
		if (asks)
			next[turn ^ 1] = after;
		__syncthreads();
	}
}

/* One line, all blocks. */
template <class PLAN>
__global__ void __launch_bounds__(EXACT_THREADS, EXACT_BLOCKS)
	exact_line_kernel(const __grid_constant__ struct exact_job job)
{
	extern __shared__ __align__(16) char memory[];
	const exact_span<PLAN> span(job, 0, job.lines.length);
	__shared__ unsigned long long total[PLAN::DIGITS];
	exact_block<PLAN> block(job, memory, total);

	block.open(0, gridDim.x == 1);
	if (PLAN::DYNAMIC)
		exact_walk_dynamic(block, span);
	else
		exact_walk(block, span, blockIdx.x, gridDim.x);
	block.close(0, 1, gridDim.x, job.lines.length > 0 && !job.omit);
}

/* Part `index` of the lines by offsets, cut at every EXACT_LONG elements: of the
 * long line that has begun before the cut, or of the one that begins behind it. */
struct exact_part {
	uint64_t line, slot, begin, count;
	uint32_t all; /* parts of the line */
};

__device__ __forceinline__ struct exact_part exact_part_of(const struct exact_job &job,
							   uint64_t index)
{
	struct exact_part out = {EXACT_NO_LINE, 0, 0, 0, 0};

	if (job.lines.offsets == nullptr) {
		uint64_t at = index % job.parts * job.part;

		out.line = out.slot = index / job.parts;
		out.begin = out.line * job.lines.length + at;
		out.count = min(job.part, job.lines.length - at);
		out.all = (uint32_t)job.parts;
		return out;
	}

	const int64_t base = job.lines.offsets[0];
	const uint64_t from = index / 2 * EXACT_LONG, to = from + EXACT_LONG;
	const bool begins = index % 2 == 1;
	const uint64_t line =
		offsets_up_to(job.lines.offsets, job.lines.lines + 1, begins ? to - 1 : from) - 1;

	if (line == job.lines.lines)
		return out;

	const uint64_t begin = (uint64_t)(job.lines.offsets[line] - base);
	const uint64_t end = (uint64_t)(job.lines.offsets[line + 1] - base);

	if (end - begin < EXACT_LONG || (begin >= from) != begins)
		/* A line that begins at the cut itself is one that begins. */
		return out;

	const uint64_t first = max(begin, from);

	out.line = line;
	out.slot = begin / EXACT_LONG;
	out.begin = first + (uint64_t)base;
	out.count = min(end, to) - first;
	out.all = (uint32_t)((end - 1) / EXACT_LONG - begin / EXACT_LONG + 1);
	return out;
}

/* Many lines: a block takes parts that follow one another. */
template <class PLAN>
__global__ void __launch_bounds__(EXACT_THREADS, EXACT_BLOCKS)
	exact_parts_kernel(const __grid_constant__ struct exact_job job, uint64_t parts,
			   uint64_t each)
{
	extern __shared__ __align__(16) char memory[];
	__shared__ unsigned long long total[PLAN::DIGITS];
	exact_block<PLAN> block(job, memory, total);
	struct exact_part open = {EXACT_NO_LINE, 0, 0, 0, 0};
	uint32_t done = 0;
	const uint64_t begin = blockIdx.x * each, end = min(parts, begin + each);

	for (uint64_t index = begin; index <= end; index++) {
		struct exact_part part = {EXACT_NO_LINE, 0, 0, 0, 0};

		if (index < end) {
			part = exact_part_of(job, index);
			if (part.line == EXACT_NO_LINE)
				continue;
		}
		if (part.line != open.line) {
			if (done > 0)
				block.close(open.line, done, open.all,
					    !job.omit && job.lines.elements > 0);
			if (part.line == EXACT_NO_LINE)
				return;
			block.open(part.slot, part.all == 1);
			open = part;
			done = 0;
		}
		exact_walk(block, exact_span<PLAN>(job, part.begin, part.count), 0, 1);
		done++;
	}
}

/* What all long lines need to be asked for. */
template <class PLAN> struct exact_job exact_make_job(const struct exact_work *work)
{
	const struct lines *lines = work->lines;
	const uint64_t most = (uint64_t)EXACT_BLOCKS * work->launch->multiprocessors;
	struct exact_job job = {};

	job.x = work->elements->x;
	job.y = PLAN::PAIR ? work->elements->y : work->elements->x;
	job.omit = work->elements->omit;
	job.absolute = work->accum == ACCUM_EXACT_ABS;
	job.lines = *lines;
	job.results = work->results;
	/* Digits grow by less than 2^32 for each row and merge. */
	job.pending = (unsigned)std::min<uint64_t>(
		1u << 29, 64 * (2 + most + lines->elements / (PLAN::TILE * PLAN::PER)));
	return job;
}

/* One line, `each` tiles or more a block. */
template <class PLAN> cudaError_t exact_launch_line(const struct exact_work *work, uint64_t each)
{
	const struct launch *launch = work->launch;
	const uint64_t most = (uint64_t)EXACT_BLOCKS * launch->multiprocessors;
	const uint64_t tile = PLAN::TILE * PLAN::PER;
	const uint64_t tiles = (work->lines->length + tile - 1) / tile;
	const uint64_t blocks = tiles <= each ? 1 : std::min(most, (tiles + each - 1) / each);
	const size_t room = LAUNCH_TICKETS * sizeof(uint32_t) - sizeof(struct exact_head);
	struct exact_job job = exact_make_job<PLAN>(work);
	cudaError_t code;

	job.states = (char *)launch->tickets;
	job.copies = (unsigned)std::min({(uint64_t)EXACT_COPIES, blocks,
					 (uint64_t)(room / (PLAN::DIGITS * sizeof(uint64_t)))});
	code = cudaFuncSetAttribute(exact_line_kernel<PLAN>,
				    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)PLAN::SHARED);
	if (code != cudaSuccess)
		return code;
	exact_line_kernel<PLAN>
		<<<(unsigned)blocks, EXACT_THREADS, PLAN::SHARED, launch->stream>>>(job);
	return cudaGetLastError();
}

template <class PLAN> cudaError_t exact_launch_long(const struct exact_work *work)
{
	const struct launch *launch = work->launch;
	const struct lines *lines = work->lines;
	const uint64_t most = (uint64_t)EXACT_BLOCKS * launch->multiprocessors;
	const uint64_t tile = PLAN::TILE * PLAN::PER;
	struct exact_job job = exact_make_job<PLAN>(work);
	cudaError_t code;

	/* Two tiles or more each: cells cost as much to begin and end with as a tile
	 * takes. */
	if (lines->offsets == nullptr && lines->lines == 1)
		return exact_launch_line<PLAN>(work, 2);

	uint64_t parts, each;

	if (lines->offsets != nullptr) {
		parts = 2 * (lines->elements / EXACT_LONG + 1);
	} else {
		/* Enough for all blocks, none less than two tiles. */
		uint64_t wanted = (4 * most + lines->lines - 1) / lines->lines;

		job.part = std::max(2 * tile, (lines->length + wanted - 1) / wanted);
		job.part = (job.part + tile - 1) / tile * tile;
		job.parts = std::max<uint64_t>(1, (lines->length + job.part - 1) / job.part);
		parts = lines->lines * job.parts;
	}
	each = (parts + most - 1) / most;
	each += lines->offsets != nullptr ? each % 2 : 0;
	job.states = (char *)launch->scratch;
	job.copies = 1;
	job.stride = sizeof(struct exact_head) + PLAN::DIGITS * sizeof(uint64_t);
	code = cudaMemsetAsync(
		job.states, 0,
		(lines->offsets != nullptr ? lines->elements / EXACT_LONG + 2 : lines->lines) *
			job.stride,
		launch->stream);
	if (code == cudaSuccess)
		code = cudaFuncSetAttribute(exact_parts_kernel<PLAN>,
					    cudaFuncAttributeMaxDynamicSharedMemorySize,
					    (int)PLAN::SHARED);
	if (code != cudaSuccess)
		return code;
	exact_parts_kernel<PLAN><<<(unsigned)((parts + each - 1) / each), EXACT_THREADS,
				   PLAN::SHARED, launch->stream>>>(job, parts, each);
	return cudaGetLastError();
}

/* The same; of one line so short that there is less than a tile of PLAN for each
 * block, SMALL's tiles are of less: latency is all then. */
template <class PLAN, class SMALL> cudaError_t exact_launch_sum(const struct exact_work *work)
{
	const struct lines *lines = work->lines;

	if (lines->offsets == nullptr && lines->lines == 1 &&
	    lines->length <= (uint64_t)work->launch->multiprocessors * PLAN::TILE * PLAN::PER / 2)
		return exact_launch_line<SMALL>(work, 1);
	return exact_launch_long<PLAN>(work);
}

#endif
