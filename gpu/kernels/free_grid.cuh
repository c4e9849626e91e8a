/* free_grid.cuh - lines of any layout, for any policy (free_job.cuh).
 *
 * A block takes some consecutive lines, and as many threads for each as fit:
 * where an innermost dimension is kept, neighbouring threads read neighbouring
 * lines; where it is short, or reduced, the rows that follow lie behind it and
 * are read by the next threads. Few lines are split, by ranges of their elements,
 * over blocks; a second kernel merges the splits. Where the innermost dimension and the
 * address allow it, a thread reads packs of up to 16 bytes. */
#ifndef GPU_KERNELS_FREE_GRID_CUH
#define GPU_KERNELS_FREE_GRID_CUH

#include "gpu/kernels/free_job.cuh"
#include "gpu/kernels/free_span.cuh"

constexpr uint64_t SPLIT_BLOCKS = 1056; /* 8 blocks on each of 132 multiprocessors */
constexpr uint64_t SPLIT_LEAST = 64;    /* elements of a line: a part costs up to 24 bytes */
constexpr uint64_t ROW_LEAST = 8;       /* reads of a thread, before a line gets more threads */
constexpr uint64_t WIDE_LINES = 64;     /* neighbouring reads that use memory well */
constexpr unsigned GRID_SIDES = ARRAY_MAX_NDIM / 2 + 1;

/* A mixed radix number and what its digits are worth, the lowest digit first.
 * multiplier and shift: division by a length, of numbers below 2^32 (Granlund and
 * Montgomery 1994). */
struct radix {
	unsigned ndim;
	bool narrow; /* all numbers are below 2^32 */
	uint64_t length[GRID_SIDES], stride[GRID_SIDES];
	uint32_t multiplier[GRID_SIDES], shift[GRID_SIDES];
};

/* A pack is `pack` neighbouring elements that are read at once: elements of as many
 * neighbouring lines, or, if `along`, of one line. Lines and lengths count packs. */
struct grid_plan {
	struct radix kept, reduced;
	uint64_t lines, length;
	unsigned pack;
	bool along;
	unsigned tile_lines, tile_rows;     /* a block's threads: lines by rows */
	uint64_t line_blocks, splits, rows; /* rows: packs of a line in a split */
};

static inline void divide_fast(struct radix *radix, uint64_t numbers)
{
	radix->narrow = numbers >> 32 == 0;
	for (unsigned i = 0; radix->narrow && i < radix->ndim; i++) {
		const uint64_t length = radix->length[i];
		unsigned log = 0;

		while ((uint64_t)1 << log < length)
			log++;
		radix->shift[i] = log;
		radix->multiplier[i] =
			length == 0
				? 0
				: (uint32_t)((((((uint64_t)1 << log) - length) << 32) / length) +
					     1);
	}
}

/* How many lines and threads a block gets, and how lines are split. */
static inline void tile_grid(struct grid_plan *plan, uint64_t inner)
{
	const bool many = plan->lines >= SPLIT_BLOCKS / 2 * FREE_THREADS;
	const uint64_t wide = many ? FREE_THREADS : WIDE_LINES;
	uint64_t rows = 1;

	while (rows < FREE_THREADS && 2 * rows * ROW_LEAST <= plan->length)
		rows *= 2;
	uint64_t across = many ? FREE_THREADS : FREE_THREADS / rows;

	if (across < inner)
		across = inner < wide ? inner : wide;
	if (across > plan->lines)
		across = plan->lines > 0 ? plan->lines : 1;
	plan->tile_lines = (unsigned)across;
	plan->tile_rows = FREE_THREADS / plan->tile_lines;
	plan->line_blocks = plan->lines == 0 ? 0 : (plan->lines - 1) / across + 1;

	const uint64_t reads = plan->tile_rows * ROW_LEAST;
	const uint64_t least = reads > SPLIT_LEAST ? reads : SPLIT_LEAST;

	plan->splits = plan->line_blocks < SPLIT_BLOCKS && plan->line_blocks > 0
			       ? SPLIT_BLOCKS / plan->line_blocks
			       : 1;
	if (plan->splits > plan->length / least)
		plan->splits = plan->length / least;
	if (plan->splits == 0)
		plan->splits = 1;
	plan->rows = plan->length == 0 ? 0 : (plan->length - 1) / plan->splits + 1;
}

/* With packs of `pack` elements if the innermost dimension can be cut so. */
static inline struct grid_plan plan_grid(const struct grid *grid, unsigned pack)
{
	const struct layout_dim *last = grid->ndim > 0 ? &grid->dim[grid->ndim - 1] : nullptr;
	struct grid_plan out = {};
	uint64_t stride = 1;

	for (unsigned i = grid->ndim; i-- > 0;) {
		struct radix *side = grid->dim[i].reduced ? &out.reduced : &out.kept;

		side->length[side->ndim] = grid->dim[i].length;
		side->stride[side->ndim++] = stride;
		stride *= grid->dim[i].length;
	}
	out.lines = grid->lines;
	out.length = grid->length;
	out.pack = last != nullptr && last->length % pack == 0 ? pack : 1;
	out.along = last != nullptr && last->reduced;
	if (out.pack > 1) {
		struct radix *side = out.along ? &out.reduced : &out.kept;

		side->length[0] /= pack;
		side->stride[0] = pack;
		*(out.along ? &out.length : &out.lines) /= pack;
	}
	divide_fast(&out.kept, out.lines);
	divide_fast(&out.reduced, out.length);
	tile_grid(&out, last == nullptr || out.along ? 1 : last->length / out.pack);
	return out;
}

/* A bound for every element type: which packs there are depends on it. */
static inline size_t grid_parts_bytes(const struct grid *grid, size_t value)
{
	uint64_t most = 0;

	for (unsigned pack = 1; pack <= 4; pack *= 2) {
		const uint64_t splits = plan_grid(grid, pack).splits;

		if (splits > most)
			most = splits;
	}
	return most > 1 ? most * grid->lines * value : 0;
}

__device__ __forceinline__ uint64_t place_of(const struct radix &radix, uint64_t number)
{
	uint64_t place = 0;

	for (unsigned i = 0; i + 1 < radix.ndim; i++) {
		uint64_t quotient;

		if (radix.narrow) {
			const uint32_t n = (uint32_t)number, shift = radix.shift[i];
			const uint32_t t = __umulhi(radix.multiplier[i], n);

			quotient = shift == 0 ? n : (t + ((n - t) >> 1)) >> (shift - 1);
		} else {
			quotient = number / radix.length[i];
		}
		place += (number - quotient * radix.length[i]) * radix.stride[i];
		number = quotient;
	}
	return radix.ndim > 0 ? place + number * radix.stride[radix.ndim - 1] : 0;
}

/* BYTES (1 to 16) from an address aligned to them. */
template <unsigned BYTES> __device__ __forceinline__ uint4 load_pack(const void *from)
{
	uint4 out = {0, 0, 0, 0};

	if constexpr (BYTES == 1) {
		out.x = __ldg((const uint8_t *)from);
	} else if constexpr (BYTES == 2) {
		out.x = __ldg((const uint16_t *)from);
	} else if constexpr (BYTES == 4) {
		out.x = __ldg((const uint32_t *)from);
	} else if constexpr (BYTES == 8) {
		const uint2 two = __ldg((const uint2 *)from);

		out.x = two.x;
		out.y = two.y;
	} else {
		out = __ldg((const uint4 *)from);
	}
	return out;
}

/* Thread (line, 0) of a tile gets the line's value. */
template <class E>
__device__ __forceinline__ void merge_rows(typename E::value *v, unsigned lines, unsigned rows)
{
	__shared__ typename E::value of_thread[FREE_THREADS];
	const unsigned row = threadIdx.x / lines;

	if (rows == 1)
		return;
	of_thread[threadIdx.x] = *v;
	__syncthreads();
	while (rows > 1) {
		const unsigned half = (rows + 1) / 2;

		if (row < rows - half) {
			E::merge(v, of_thread[threadIdx.x + half * lines]);
			of_thread[threadIdx.x] = *v;
		}
		rows = half;
		__syncthreads();
	}
}

/* Elements of the pack at `place`; along the line the first is element k. */
template <class P, unsigned PACK>
__device__ __forceinline__ void fold_pack(const P &p, typename P::state (&state)[PACK],
					  const uint4 &x, const uint4 &y, bool along,
					  uint64_t place, uint64_t k)
{
	using raw = typename P::raw;

	if (along) {
#pragma unroll
		for (unsigned v = 0; v < PACK; v++)
			p.element(&state[0], part_of<raw>(x, v), part_of<raw>(y, v),
				  (P::absolute ? place : k * PACK) + v);
	} else {
#pragma unroll
		for (unsigned v = 0; v < PACK; v++)
			p.element(&state[v], part_of<raw>(x, v), part_of<raw>(y, v),
				  P::absolute ? place + v : k);
	}
}

template <class P, unsigned PACK>
__global__ void __launch_bounds__(FREE_THREADS)
	fold_grid(P p, struct grid_plan in, typename P::ending::value *parts, void *values)
{
	using ending = typename P::ending;
	constexpr unsigned BYTES = PACK * sizeof(typename P::raw);
	constexpr unsigned READS = BYTES == 16 ? 4 : 8; /* in flight */
	const uint64_t block = blockIdx.x % in.line_blocks, split = blockIdx.x / in.line_blocks;
	const unsigned row = threadIdx.x / in.tile_lines;
	const uint64_t line = block * in.tile_lines + threadIdx.x % in.tile_lines;
	const bool here = row < in.tile_rows && line < in.lines;
	const uint64_t from = split * in.rows;
	const uint64_t to = from + in.rows < in.length ? from + in.rows : in.length;
	const uint64_t step = in.tile_rows;
	typename P::state state[PACK];

#pragma unroll
	for (unsigned v = 0; v < PACK; v++)
		p.begin(&state[v]);
	if (here) {
		const uint64_t base = place_of(in.kept, line);
		uint64_t k = from + row;

		for (; k + (READS - 1) * step < to; k += READS * step) {
			uint4 x[READS], y[READS];

#pragma unroll
			for (unsigned n = 0; n < READS; n++) {
				const uint64_t place = base + place_of(in.reduced, k + n * step);

				x[n] = load_pack<BYTES>(p.x + place);
				y[n] = P::pair ? load_pack<BYTES>(p.y + place) : x[n];
			}
#pragma unroll
			for (unsigned n = 0; n < READS; n++)
				fold_pack(p, state, x[n], y[n], in.along,
					  P::absolute ? base + place_of(in.reduced, k + n * step)
						      : 0,
					  k + n * step);
		}
		for (; k < to; k += step) {
			const uint64_t place = base + place_of(in.reduced, k);
			const uint4 x = load_pack<BYTES>(p.x + place);

			fold_pack(p, state, x, P::pair ? load_pack<BYTES>(p.y + place) : x,
				  in.along, place, k);
		}
	}

	const unsigned each = in.along ? 1 : PACK;

#pragma unroll
	for (unsigned v = 0; v < PACK; v++) {
		const uint64_t number = line * each + v;

		if (v >= each)
			break;
		typename ending::value value = p.close(state[v]);

		merge_rows<ending>(&value, in.tile_lines, in.tile_rows);
		if (!here || row != 0)
			continue;
		if constexpr (ending::atomic)
			p.end.add(value, values, number);
		else if (in.splits > 1)
			parts[split * in.lines * each + number] = value;
		else
			p.end.finish(value, values, number);
	}
}

/* Parts [split][line] to values. */
template <class E>
__global__ void __launch_bounds__(FREE_THREADS)
	merge_splits(E end, const typename E::value *parts, uint64_t lines, uint64_t splits,
		     unsigned tile_lines, unsigned tile_rows, void *values)
{
	const unsigned row = threadIdx.x / tile_lines;
	const uint64_t line = (uint64_t)blockIdx.x * tile_lines + threadIdx.x % tile_lines;
	const bool here = row < tile_rows && line < lines;
	typename E::value value = E::identity();

	if (here)
#pragma unroll 4
		for (uint64_t i = row; i < splits; i += tile_rows)
			E::merge(&value, parts[i * lines + line]);
	merge_rows<E>(&value, tile_lines, tile_rows);
	if (here && row == 0)
		end.finish(value, values, line);
}

template <class P, unsigned PACK>
cudaError_t fold_grid_packs(const struct launch *launch, const P &p, const struct grid *grid,
			    const struct grid_plan &plan, void *values)
{
	using ending = typename P::ending;
	using value = typename ending::value;
	const uint64_t blocks = plan.line_blocks * plan.splits;
	value *parts = (value *)launch->scratch;

	if (blocks > INT32_MAX)
		return cudaErrorInvalidValue; /* 2^37 lines: no device has the memory */
	if constexpr (ending::atomic)
		begin_values<<<launch->multiprocessors * 8, FREE_THREADS, 0, launch->stream>>>(
			p.end, grid->lines, values);
	fold_grid<P, PACK>
		<<<(unsigned)blocks, FREE_THREADS, 0, launch->stream>>>(p, plan, parts, values);
	if constexpr (!ending::atomic)
		if (plan.splits > 1) {
			const unsigned across = grid->lines < 8 ? (unsigned)grid->lines : 8;

			merge_splits<<<(unsigned)((grid->lines - 1) / across + 1), FREE_THREADS, 0,
				       launch->stream>>>(p.end, (const value *)parts, grid->lines,
							 plan.splits, across, FREE_THREADS / across,
							 values);
		}
	return cudaGetLastError();
}

template <class P>
cudaError_t fold_grid_lines(const struct launch *launch, const P &p, const struct grid *grid,
			    void *values)
{
	constexpr unsigned size = sizeof(typename P::raw);
	/* Large states of several lines would not fit registers. */
	constexpr unsigned PACK = sizeof(typename P::state) > 96 ? 1 : size == 8 ? 2 : 4;
	const uintptr_t address = (uintptr_t)p.x | (P::pair ? (uintptr_t)p.y : 0);

	if (grid->lines == 0)
		return cudaSuccess;
	if constexpr (PACK > 1)
		if (address % (PACK * size) == 0) {
			const struct grid_plan plan = plan_grid(grid, PACK);

			if (plan.pack == PACK)
				return fold_grid_packs<P, PACK>(launch, p, grid, plan, values);
		}
	return fold_grid_packs<P, 1>(launch, p, grid, plan_grid(grid, 1), values);
}

#endif
