/* free_lines.cuh - lines whose elements are adjacent, for any policy
 * (free_job.cuh).
 *
 * Short lines: a group of 1 to 32 lanes each. Lines longer than a chunk: all
 * elements of the array are cut into chunks, a block each, wherever lines begin.
 * A chunk is no longer than any such line, so that at most two of them have
 * elements in it: one that began before (its part's value goes to `carried`), and
 * one that begins there (to `begun`, and its number to `line`). Then the block of the
 * chunk in which a line begins merges its parts. So one line of 10^9 elements,
 * eight of 10^7 and a million of two with a long one among them all fill the
 * machine. A line alone is merged by the block that is last. */
#ifndef GPU_KERNELS_FREE_LINES_CUH
#define GPU_KERNELS_FREE_LINES_CUH

#include "gpu/kernels/free_job.cuh"
#include "gpu/kernels/free_span.cuh"

constexpr uint64_t CHUNKS = 8192;      /* at most; measured: enough to even out */
constexpr uint64_t CHUNK_LEAST = 4096; /* elements */
constexpr uint64_t CHUNK_BYTES = 16384;
constexpr unsigned GRID_MOST = 1u << 30; /* blocks */

struct chunked_lines {
	struct lines lines;
	uint64_t chunk; /* elements */
	uint64_t chunks;
	uint64_t longest_short; /* the chunk's length; 0: all lines are long */
	bool maybe_long;        /* whether there is a long line shows when short ones are done */
};

/* Tickets: of the groups of 32 chunks, of all groups, and a mark that there is a long
 * line. */
constexpr unsigned TICKET_LONG = 0, TICKET_ALL = 1, TICKET_GROUPS = 2;
static_assert(TICKET_GROUPS + CHUNKS / 32 <= LAUNCH_TICKETS, "too few tickets");
static_assert(CHUNKS / 32 <= FREE_THREADS, "a block merges the groups");
constexpr uint64_t MERGE_BLOCKS = 1056;

/* A bound for every element type. */
static inline uint64_t chunks_at_most(const struct lines *lines)
{
	const uint64_t least = lines->elements / CHUNK_LEAST + 1;

	return least < CHUNKS ? least : CHUNKS;
}

static inline struct chunked_lines chunk_lines(const struct lines *lines, unsigned size)
{
	struct chunked_lines out = {};
	uint64_t chunk = CHUNK_BYTES / size > CHUNK_LEAST ? CHUNK_BYTES / size : CHUNK_LEAST;

	if (lines->elements / chunk >= CHUNKS)
		chunk = ((lines->elements - 1) / CHUNKS / CHUNK_LEAST + 1) * CHUNK_LEAST;
	out.lines = *lines;
	out.chunk = out.longest_short = chunk;
	out.chunks = lines->elements == 0 ? 0 : (lines->elements - 1) / chunk + 1;
	return out;
}

/* Parts of long lines, in scratch. */
template <class V> struct line_parts {
	V *carried, *begun;
	uint64_t *line; /* NO_INDEX: none begins in the chunk */
};

static inline size_t line_parts_bytes(const struct lines *lines, size_t value)
{
	return chunks_at_most(lines) * (2 * value + sizeof(uint64_t));
}

__device__ __forceinline__ uint64_t line_begin(const struct lines &lines, uint64_t line)
{
	return lines.offsets != nullptr ? (uint64_t)lines.offsets[line] : line * lines.length;
}

/* The line that has element e: of those that begin at or before e the last. All
 * lanes of a warp search together, 32 ways. */
__device__ __forceinline__ uint64_t line_with(const struct lines &lines, uint64_t e)
{
	const unsigned lane = threadIdx.x % 32;
	uint64_t low = 0, count = lines.lines;

	if (lines.offsets == nullptr)
		return e / lines.length;
	while (count > 1) {
		const uint64_t step = (count + 31) / 32, mine = low + lane * step;
		const bool before =
			lane * step < count && (uint64_t)__ldg(lines.offsets + mine) <= e;
		const unsigned last = 31 - __clz(__ballot_sync(0xffffffffu, before) | 1);
		const uint64_t left = count - last * step;

		low += last * step;
		count = left < step ? left : step;
	}
	return low;
}

template <class P>
__global__ void __launch_bounds__(FREE_THREADS)
	fold_short_lines(P p, struct chunked_lines in, unsigned group, uint32_t *tickets,
			 void *values)
{
	using ending = typename P::ending;
	const unsigned lane = threadIdx.x & (group - 1);
	const uint64_t own = threadIdx.x / group, at_once = FREE_THREADS / group;

	for (uint64_t base = blockIdx.x * at_once; base < in.lines.lines;
	     base += (uint64_t)gridDim.x * at_once) {
		const uint64_t line = base + own;
		uint64_t begin = 0, end = 0;
		typename P::state state;

		if (line < in.lines.lines) {
			begin = line_begin(in.lines, line);
			end = line_begin(in.lines, line + 1);
		}
		const bool here = end - begin <= in.longest_short;

		p.begin(&state);
		if (here)
			fold_span(p, &state, begin, end - begin, P::absolute ? begin : 0, lane,
				  group);
		else if (in.maybe_long)
			tickets[TICKET_LONG] = 1;
		__syncwarp();
		p.settle(&state, P::absolute ? 0 : begin, group, group);
		typename ending::value value = p.close(state);
		merge_lanes<ending>(&value, group);
		if (lane != 0 || line >= in.lines.lines)
			continue;
		if (here || ending::atomic)
			p.end.finish(value, values, line);
	}
}

/* The block's share of a line that begins at `begin`. */
template <class P>
__device__ __forceinline__ typename P::ending::value fold_part(const P &p, uint64_t begin,
							       uint64_t from, uint64_t to)
{
	const uint64_t position = P::absolute ? from : from - begin;
	typename P::state state;

	p.begin(&state);
	fold_span(p, &state, from, to - from, position, threadIdx.x, FREE_THREADS);
	p.settle(&state, from - position, FREE_THREADS, 32);
	typename P::ending::value value = p.close(state);
	merge_block<typename P::ending>(&value);
	return value;
}

/* Counts a block in; says to all threads of the one that is the last of `count`,
 * which sees what the others wrote before. The ticket is 0 again then. */
__device__ __forceinline__ bool is_last(uint32_t *ticket, uint32_t count)
{
	__shared__ bool last;

	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		last = atomicAdd(ticket, 1) == count - 1;
		if (last)
			*ticket = 0;
		__threadfence();
	}
	__syncthreads();
	return last;
}

/* The parts of one line, in two steps: the last block of each 32 merges theirs,
 * and the last of those all that came of it. */
template <class E>
__device__ __forceinline__ void merge_as_last(const E &end, typename E::value value,
					      const line_parts<typename E::value> &parts,
					      uint32_t *tickets, void *values)
{
	const unsigned group = blockIdx.x / 32, groups = (gridDim.x - 1) / 32 + 1;
	const unsigned first = group * 32, left = gridDim.x - first;
	const unsigned size = left < 32 ? left : 32;

	if (threadIdx.x == 0)
		parts.carried[blockIdx.x] = value;
	if (!is_last(&tickets[TICKET_GROUPS + group], size))
		return;
	if (threadIdx.x < 32) {
		value = threadIdx.x < size ? parts.carried[first + threadIdx.x] : E::identity();
		merge_lanes<E>(&value, 32);
		if (threadIdx.x == 0)
			parts.begun[group] = value;
	}
	if (!is_last(&tickets[TICKET_ALL], groups))
		return;
	value = threadIdx.x < groups ? parts.begun[threadIdx.x] : E::identity();
	merge_block<E>(&value);
	if (threadIdx.x == 0)
		end.finish(value, values, 0);
}

/* A line alone, if its ending is not shared. */
template <class P>
__global__ void __launch_bounds__(FREE_THREADS)
	fold_one_line(P p, struct chunked_lines in, line_parts<typename P::ending::value> parts,
		      uint32_t *tickets, void *values)
{
	const uint64_t begin = line_begin(in.lines, 0), end = line_begin(in.lines, 1);
	const uint64_t wanted = begin + blockIdx.x * in.chunk, from = wanted < end ? wanted : end;
	const uint64_t rest = end - from;
	const auto value = fold_part(p, begin, from, from + (rest < in.chunk ? rest : in.chunk));

	if (gridDim.x > 1)
		merge_as_last(p.end, value, parts, tickets, values);
	else if (threadIdx.x == 0)
		p.end.finish(value, values, 0);
}

template <class P>
__global__ void __launch_bounds__(FREE_THREADS)
	fold_chunks(P p, struct chunked_lines in, line_parts<typename P::ending::value> parts,
		    uint32_t *tickets, void *values)
{
	const uint64_t origin = line_begin(in.lines, 0);
	const uint64_t from = origin + blockIdx.x * in.chunk;
	const uint64_t end_of_all = line_begin(in.lines, in.lines.lines), rest = end_of_all - from;
	const uint64_t to = from + (rest < in.chunk ? rest : in.chunk);
	uint64_t begun = NO_INDEX;

	if (in.maybe_long && *(volatile uint32_t *)&tickets[TICKET_LONG] == 0)
		return;
	if (from >= end_of_all) { /* lines by offsets may begin beyond 0, and be fewer */
		if (!P::ending::atomic && threadIdx.x == 0)
			parts.line[blockIdx.x] = NO_INDEX;
		return;
	}

	uint64_t line = line_with(in.lines, from);
	const uint64_t last = line_with(in.lines, to - 1);

	for (;;) { /* the first element's line, then, if another, the last one's */
		const uint64_t begin = line_begin(in.lines, line);
		const uint64_t end = line_begin(in.lines, line + 1);

		if (end - begin > in.longest_short) {
			const auto value = fold_part(p, begin, begin > from ? begin : from,
						     end < to ? end : to);

			if (begin >= from)
				begun = line;
			if (threadIdx.x != 0)
				;
			else if constexpr (P::ending::atomic)
				p.end.add(value, values, line);
			else if (begin >= from)
				parts.begun[blockIdx.x] = value;
			else
				parts.carried[blockIdx.x] = value;
		}
		if (line == last)
			break;
		line = last;
	}
	if (!P::ending::atomic && threadIdx.x == 0)
		parts.line[blockIdx.x] = begun;
}

/* Merges the parts of the lines that begin in the block's chunks. */
template <class E>
__global__ void __launch_bounds__(FREE_THREADS)
	merge_parts(E end, struct chunked_lines in, line_parts<typename E::value> parts,
		    uint32_t *tickets, void *values)
{
	if (in.maybe_long && *(volatile uint32_t *)&tickets[TICKET_LONG] == 0)
		return;
	for (uint64_t first = blockIdx.x; first < in.chunks; first += gridDim.x) {
		const uint64_t line = parts.line[first];

		if (line == NO_INDEX)
			continue;
		const uint64_t to = line_begin(in.lines, line + 1) - line_begin(in.lines, 0);
		const uint64_t last = (to - 1) / in.chunk;
		typename E::value value = E::identity();

		if (threadIdx.x == 0)
			value = parts.begun[first];
#pragma unroll 4
		for (uint64_t i = first + 1 + threadIdx.x; i <= last; i += FREE_THREADS)
			E::merge(&value, parts.carried[i]);
		merge_block<E>(&value);
		if (threadIdx.x == 0)
			end.finish(value, values, line);
	}
}

/* Lanes for a line of this many bytes on average. */
static inline unsigned lanes_for(uint64_t bytes)
{
	unsigned lanes = 1;

	while (lanes < 32 && 2 * lanes * sizeof(uint4) <= bytes)
		lanes *= 2;
	return lanes;
}

template <class V> line_parts<V> parts_in(const struct launch *launch, const struct lines *lines)
{
	const uint64_t bound = chunks_at_most(lines);
	line_parts<V> parts;

	parts.carried = (V *)launch->scratch;
	parts.begun = parts.carried + bound;
	parts.line = (uint64_t *)(parts.begun + bound);
	return parts;
}

/* One line, by all blocks. */
template <class P>
cudaError_t fold_alone(const struct launch *launch, const P &p, const struct lines *lines,
		       void *values)
{
	struct chunked_lines in = chunk_lines(lines, sizeof(typename P::raw));
	const auto parts = parts_in<typename P::ending::value>(launch, lines);
	const unsigned chunks = (unsigned)in.chunks;

	in.longest_short = 0;
	if (P::ending::atomic || chunks == 0)
		begin_values<<<1, FREE_THREADS, 0, launch->stream>>>(p.end, 1, values);
	if (chunks == 0)
		return cudaGetLastError();
	if constexpr (P::ending::atomic)
		fold_chunks<<<chunks, FREE_THREADS, 0, launch->stream>>>(p, in, parts,
									 launch->tickets, values);
	else
		fold_one_line<<<chunks, FREE_THREADS, 0, launch->stream>>>(p, in, parts,
									   launch->tickets, values);
	return cudaGetLastError();
}

template <class P>
cudaError_t fold_lines(const struct launch *launch, const P &p, const struct lines *lines,
		       void *values)
{
	constexpr unsigned size = sizeof(typename P::raw);
	const cudaStream_t stream = launch->stream;
	struct chunked_lines in = chunk_lines(lines, size);
	const auto parts = parts_in<typename P::ending::value>(launch, lines);

	if (lines->lines == 0)
		return cudaSuccess;
	if (lines->lines == 1)
		return fold_alone(launch, p, lines, values);

	const bool fits = lines->elements <= in.chunk;
	const bool all_long = !fits && lines->offsets == nullptr && lines->length > in.chunk;

	in.maybe_long = !fits && lines->offsets != nullptr;
	if (!all_long || P::ending::atomic) {
		const unsigned group = lanes_for(lines->elements / lines->lines * size);
		const uint64_t at_once = FREE_THREADS / group;
		const uint64_t blocks = (lines->lines - 1) / at_once + 1;

		fold_short_lines<<<(unsigned)(blocks < GRID_MOST ? blocks : GRID_MOST),
				   FREE_THREADS, 0, stream>>>(p, in, group, launch->tickets,
							      values);
	}
	if (!all_long && !in.maybe_long)
		return cudaGetLastError();
	fold_chunks<<<(unsigned)in.chunks, FREE_THREADS, 0, stream>>>(p, in, parts, launch->tickets,
								      values);
	if constexpr (!P::ending::atomic)
		merge_parts<<<(unsigned)(in.chunks < MERGE_BLOCKS ? in.chunks : MERGE_BLOCKS),
			      FREE_THREADS, 0, stream>>>(p.end, in, parts, launch->tickets, values);
	if (in.maybe_long)
		(void)cudaMemsetAsync(launch->tickets + TICKET_LONG, 0, sizeof(uint32_t), stream);
	return cudaGetLastError();
}

#endif
