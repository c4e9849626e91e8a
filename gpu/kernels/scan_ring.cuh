/* scan_ring.cuh - the prefixes of one long line in one reading and one writing, in the
 * scan's order (docs/orders.md, section 6), from compute capability 9.0 on.
 *
 * A block a multiprocessor takes tiles by a ticket, so that whoever waits for a tile
 * waits for a block that runs. Tiles pass through a ring of stages in shared memory,
 * brought and taken away by bulk copies. Warps have roles:
 *
 *   producer   tickets, copies in
 *   reducers   totals of the rows, K31 (rule 6.3), 8 rows each
 *   publisher  what comes before each row (6.4); the tile's aggregate, for all blocks
 *   looker     what comes before the tile (6.5), of the aggregates of all tiles before:
 *              each block folds all of them itself, and waits for no other's fold
 *   scanners   prefixes (6.6), 8 rows each, in place; two teams take tiles in turn
 *   storer     copies out
 *
 * A stage is taken from its load to its store: what limits a block is how long that is.
 * Whoever takes tiles in turn divides the number of stages: a phase of a barrier is told
 * from the next but one by nobody who has not seen the one between.
 *
 * Aggregates lie in memory that is all ones before, which S::publish() makes of no
 * value. */
#ifndef GPU_KERNELS_SCAN_RING_CUH
#define GPU_KERNELS_SCAN_RING_CUH

#include "gpu/kernels/bulk.cuh"
#include "gpu/kernels/scan_kernels.cuh"

constexpr unsigned RING_REDUCERS = 4;
constexpr unsigned RING_TEAMS = 2; /* of scanners */
constexpr unsigned RING_TEAM = 4;  /* scanners of each */
constexpr unsigned RING_FIRST_REDUCER = 4;
constexpr unsigned RING_FIRST_SCANNER = RING_FIRST_REDUCER + RING_REDUCERS;
constexpr unsigned RING_THREADS = 32 * (RING_FIRST_SCANNER + RING_TEAMS * RING_TEAM);
constexpr unsigned RING_ROWS = SCAN_TILE / SCAN_ROW;
constexpr unsigned RING_SCANNED = RING_ROWS / RING_TEAM; /* rows of a scanner */
constexpr unsigned RING_BATCH = 8; /* rows, and groups, that are folded at once */
constexpr unsigned long long RING_EMPTY = ~0ull;

static_assert(RING_BATCH == 8 && RING_ROWS == RING_REDUCERS * RING_BATCH,
	      "ring_totals() halves three times");

/* As many stages as 192 KiB hold. */
template <class T> constexpr unsigned RING_STAGES = 192 * 1024 / (SCAN_TILE * sizeof(T));

template <class T> constexpr unsigned RING_BYTES = RING_STAGES<T> *SCAN_TILE * sizeof(T);

template <class T> struct ring_work {
	const T *x;
	T *out;
	uint64_t count, tiles;
	unsigned long long *aggregates; /* tiles; RING_EMPTY until published */
	uint32_t *tickets;              /* next tile; blocks that have ended: 0 before and after */
	bool exclusive;
};

template <class T> __device__ __forceinline__ T ring_rounded(double v);

template <> __device__ __forceinline__ float ring_rounded<float>(double v)
{
	const float rounded = (float)v;

	return rounded != rounded ? __uint_as_float(0x7fc00000) : rounded;
}

template <> __device__ __forceinline__ double ring_rounded<double>(double v)
{
	return v != v ? __longlong_as_double(0x7ff8000000000000) : v;
}

/* Four elements side by side. */
template <class T> struct alignas(16) ring_quad {
	T of[SCAN_VECTOR];
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

struct ring_barriers {
	uint64_t full, summed, known, scanned, empty;
};

template <class V, class T> struct ring_shared {
	ring_barriers barriers[RING_STAGES<T>];
	int64_t tile[RING_STAGES<T>]; /* -1: there are no more */
	V before[RING_STAGES<T>];
	/* Totals, then what comes before each. */
	alignas(16) V rows[RING_STAGES<T>][RING_ROWS];
};

__device__ __forceinline__ void ring_publish(unsigned long long *to, unsigned long long bits)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
}

__device__ __forceinline__ unsigned long long ring_peek(const unsigned long long *from)
{
	unsigned long long bits;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(from) : "memory");
	return bits;
}

template <class S>
__device__ __forceinline__ typename S::value ring_await(const unsigned long long *from,
							unsigned long long bits)
{
	while (bits == RING_EMPTY)
		bits = ring_peek(from);
	return S::published(bits);
}

/* The quad of a lane in a row of a tile: in shared memory, or, of the tile that the
 * array ends in, where it lies; elements beyond the end are left out. */
template <class S, class T>
__device__ __forceinline__ void ring_terms(typename S::value out[SCAN_VECTOR],
					   const ring_work<T> &work, const ring_quad<T> *stage,
					   uint64_t tile, bool whole, unsigned row, unsigned lane)
{
	if (whole) {
		const ring_quad<T> quad = stage[row * SCAN_LANES + lane];

#pragma unroll
		for (unsigned k = 0; k < SCAN_VECTOR; k++)
			out[k] = S::of((double)quad.of[k]);
		return;
	}
	const uint64_t at = tile * SCAN_TILE + row * SCAN_ROW + lane * SCAN_VECTOR;

#pragma unroll
	for (unsigned k = 0; k < SCAN_VECTOR; k++)
		out[k] = at + k < work.count ? S::of((double)work.x[at + k]) : S::identity();
}

template <class S>
__device__ __forceinline__ typename S::value ring_sum(const typename S::value of[SCAN_VECTOR])
{
	return S::combine(S::combine(S::combine(of[0], of[1]), of[2]), of[3]);
}

/* v of this lane and of the lane `by` away, the lower lane's on the left. */
template <class S>
__device__ __forceinline__ typename S::value
ring_meet(typename S::value keep, typename S::value send, unsigned lane, unsigned by)
{
	const typename S::value got = __shfl_xor_sync(SCAN_ALL, send, by);

	return (lane & by) != 0 ? S::combine(got, keep) : S::combine(keep, got);
}

/* K31 of eight rows is the value of a balanced tree over the lanes; while lanes halve,
 * so do the rows of each: lane l ends with that of row l % 8. */
template <class S>
__device__ __forceinline__ typename S::value ring_totals(const typename S::value v[8],
							 unsigned lane)
{
	typename S::value w[4], u[2], t;

#pragma unroll
	for (unsigned k = 0; k < 4; k++)
		w[k] = ring_meet<S>((lane & 1) != 0 ? v[2 * k + 1] : v[2 * k],
				    (lane & 1) != 0 ? v[2 * k] : v[2 * k + 1], lane, 1);
#pragma unroll
	for (unsigned k = 0; k < 2; k++)
		u[k] = ring_meet<S>((lane & 2) != 0 ? w[2 * k + 1] : w[2 * k],
				    (lane & 2) != 0 ? w[2 * k] : w[2 * k + 1], lane, 2);
	t = ring_meet<S>((lane & 4) != 0 ? u[1] : u[0], (lane & 4) != 0 ? u[0] : u[1], lane, 4);
	t = ring_meet<S>(t, t, lane, 8);
	return ring_meet<S>(t, t, lane, 16);
}

template <class S, class T> struct ring {
	using V = typename S::value;
	static constexpr unsigned STAGES = RING_STAGES<T>;

	struct alignas(16) pair {
		V of[2];
	};

	const ring_work<T> &work;
	ring_shared<V, T> &shared;
	ring_quad<T> *quads;
	unsigned lane;

	__device__ __forceinline__ ring_quad<T> *stage(unsigned s) const
	{
		return quads + s * (SCAN_TILE / SCAN_VECTOR);
	}
	__device__ __forceinline__ bool is_whole(uint64_t tile) const
	{
		return (tile + 1) * SCAN_TILE <= work.count;
	}

	/* Calls f(stage, parity, tile) for tiles first, first + step, ... of the block. */
	template <class F>
	__device__ __forceinline__ void each_tile(unsigned first, unsigned step, F f) const
	{
		for (unsigned i = first;; i += step) {
			const unsigned s = i % STAGES, parity = i / STAGES & 1;

			barrier_wait(&shared.barriers[s].full, parity);
			if (shared.tile[s] < 0)
				return;
			f(s, parity, (uint64_t)shared.tile[s]);
		}
	}

	/* One thread. Few tiles are spread over all blocks: one that is far ahead of
	 * what it has takes no more. */
	__device__ void produce() const
	{
		const uint64_t share = work.tiles / gridDim.x;
		const unsigned most = share < 1         ? 1
				      : share <= STAGES ? (unsigned)share
							: STAGES + 1;
		unsigned ends = 0; /* told: one to each team */

		for (unsigned i = 0; ends < RING_TEAMS; i++) {
			const unsigned s = i % STAGES;
			ring_barriers &barriers = shared.barriers[s];
			uint64_t tile = work.tiles;

			if (i >= STAGES)
				barrier_wait(&barriers.empty, (i / STAGES - 1) & 1);
			if (ends == 0 && most <= STAGES && i >= most)
				barrier_wait(&shared.barriers[(i - most) % STAGES].full,
					     (i - most) / STAGES & 1);
			/* Not before: others wait for a tile that is taken and not
			 * loaded (measured: twice the time). */
			if (ends == 0)
				tile = atomicAdd(&work.tickets[0], 1u);
			if (tile >= work.tiles) {
				shared.tile[s] = -1;
				ends++;
				barrier_arrive(&barriers.full);
				continue;
			}
			shared.tile[s] = (int64_t)tile;
			if (is_whole(tile)) {
				barrier_arrive_expecting(&barriers.full, SCAN_TILE * sizeof(T));
				bulk_load(stage(s), work.x + tile * SCAN_TILE,
					  SCAN_TILE * sizeof(T), &barriers.full);
			} else {
				barrier_arrive(&barriers.full);
			}
		}
		if (atomicAdd(&work.tickets[1], 1u) == gridDim.x - 1)
			work.tickets[0] = work.tickets[1] = 0;
	}

	__device__ void reduce(unsigned reducer) const
	{
		each_tile(0, 1, [&](unsigned s, unsigned, uint64_t tile) {
			const bool whole = is_whole(tile);
			V sums[RING_BATCH];

#pragma unroll
			for (unsigned r = 0; r < RING_BATCH; r++) {
				V terms[SCAN_VECTOR];

				ring_terms<S>(terms, work, stage(s), tile, whole,
					      reducer * RING_BATCH + r, lane);
				sums[r] = ring_sum<S>(terms);
			}

			const V total = ring_totals<S>(sums, lane);

			if (lane < RING_BATCH)
				shared.rows[s][reducer * RING_BATCH + lane] = total;
			__syncwarp();
			if (lane == 0)
				barrier_arrive(&shared.barriers[s].summed);
		});
	}

	/* One thread: rule 6.4, in place. */
	__device__ void publish() const
	{
		each_tile(0, 1, [&](unsigned s, unsigned parity, uint64_t tile) {
			pair *at = (pair *)shared.rows[s], rows[RING_ROWS / 2];
			V before = S::identity();

			barrier_wait(&shared.barriers[s].summed, parity);
#pragma unroll
			for (unsigned r = 0; r < RING_ROWS / 2; r++)
				rows[r] = at[r];
#pragma unroll
			for (unsigned r = 0; r < RING_ROWS / 2; r++) {
				const pair totals = rows[r];

				rows[r].of[0] = before;
				rows[r].of[1] = S::combine(before, totals.of[0]);
				before = S::combine(rows[r].of[1], totals.of[1]);
			}
			ring_publish(&work.aggregates[tile], S::publish(before));
#pragma unroll
			for (unsigned r = 0; r < RING_ROWS / 2; r++)
				at[r] = rows[r];
			barrier_arrive(&shared.barriers[s].known);
		});
	}

	/* A31 of at most RING_BATCH whole groups from `group` on, in turn into *groups. */
	__device__ __forceinline__ void fold(V *groups, uint64_t group, unsigned count) const
	{
		const unsigned long long *from = &work.aggregates[group * SCAN_LANES + lane];
		unsigned long long bits[RING_BATCH];
		V v[RING_BATCH], total;

#pragma unroll
		for (unsigned u = 0; u < RING_BATCH; u++)
			bits[u] = u < count ? ring_peek(from + u * SCAN_LANES) : 0;
#pragma unroll
		for (unsigned u = 0; u < RING_BATCH; u++)
			v[u] = ring_await<S>(from + u * SCAN_LANES, bits[u]);
		total = ring_totals<S>(v, lane);
#pragma unroll
		for (unsigned u = 0; u < RING_BATCH; u++) {
			const V next = __shfl_sync(SCAN_ALL, total, u);

			if (u < count)
				*groups = S::combine(*groups, next);
		}
	}

	__device__ void look() const
	{
		V groups = S::identity(); /* G of group `next` */
		uint64_t next = 0;

		each_tile(0, 1, [&](unsigned s, unsigned, uint64_t tile) {
			const uint64_t group = tile / SCAN_LANES;
			const unsigned q = tile % SCAN_LANES;
			const unsigned long long *from =
				&work.aggregates[group * SCAN_LANES + lane];
			/* On its way while whole groups are folded. */
			const unsigned long long bits = lane < q ? ring_peek(from) : 0;
			V v, before;

			while (next < group) {
				const uint64_t left = group - next;
				const unsigned count =
					left < RING_BATCH ? (unsigned)left : RING_BATCH;

				fold(&groups, next, count);
				next += count;
			}
			v = lane < q ? ring_await<S>(from, bits) : S::identity();
			__syncwarp();
			v = kogge_stone<S>(v, lane);
			v = __shfl_sync(SCAN_ALL, v, q == 0 ? 0 : q - 1);
			before = q == 0 ? groups : S::combine(groups, v);
			if (lane == 0) {
				shared.before[s] = before;
				barrier_arrive(&shared.barriers[s].known);
			}
		});
	}

	__device__ void scan(unsigned turn, unsigned scanner) const
	{
		each_tile(turn, RING_TEAMS, [&](unsigned s, unsigned parity, uint64_t tile) {
			const bool whole = is_whole(tile);
			V terms[RING_SCANNED][SCAN_VECTOR], left[RING_SCANNED];

#pragma unroll
			for (unsigned r = 0; r < RING_SCANNED; r++) {
				ring_terms<S>(terms[r], work, stage(s), tile, whole,
					      scanner * RING_SCANNED + r, lane);
				left[r] = ring_sum<S>(terms[r]);
			}
#pragma unroll
			for (unsigned d = 1; d < SCAN_LANES; d *= 2)
#pragma unroll
				for (unsigned r = 0; r < RING_SCANNED; r++) {
					const V up = __shfl_up_sync(SCAN_ALL, left[r], d);

					left[r] = lane >= d ? S::combine(up, left[r]) : left[r];
				}
#pragma unroll
			for (unsigned r = 0; r < RING_SCANNED; r++) {
				const V up = __shfl_up_sync(SCAN_ALL, left[r], 1);

				left[r] = lane > 0 ? up : S::identity();
			}
			barrier_wait(&shared.barriers[s].known, parity);

			const V before = shared.before[s];

#pragma unroll
			for (unsigned r = 0; r < RING_SCANNED; r++)
				write_row(s, tile, whole, scanner * RING_SCANNED + r, before,
					  left[r], terms[r]);
			if (whole)
				bulk_fence();
			__syncwarp();
			if (lane == 0)
				barrier_arrive(&shared.barriers[s].scanned);
		});
	}

	/* Rule 6.6; 6.7 for the prefix over nothing. */
	__device__ __forceinline__ void write_row(unsigned s, uint64_t tile, bool whole,
						  unsigned row, V before, V left,
						  const V terms[SCAN_VECTOR]) const
	{
		const uint64_t at = tile * SCAN_TILE + row * SCAN_ROW + lane * SCAN_VECTOR;
		V run = S::combine(before, S::combine(shared.rows[s][row], left));
		ring_quad<T> quad;

		if (work.exclusive) {
#pragma unroll
			for (unsigned k = 0; k < SCAN_VECTOR; k++) {
				quad.of[k] = ring_rounded<T>(at + k == 0 ? S::nothing()
									 : S::finish(run));
				run = S::combine(run, terms[k]);
			}
		} else {
#pragma unroll
			for (unsigned k = 0; k < SCAN_VECTOR; k++) {
				run = S::combine(run, terms[k]);
				quad.of[k] = ring_rounded<T>(S::finish(run));
			}
		}
		if (whole) {
			stage(s)[row * SCAN_LANES + lane] = quad;
			return;
		}
#pragma unroll
		for (unsigned k = 0; k < SCAN_VECTOR; k++)
			if (at + k < work.count)
				work.out[at + k] = quad.of[k];
	}

	/* One thread. */
	__device__ void store() const
	{
		each_tile(0, 1, [&](unsigned s, unsigned parity, uint64_t tile) {
			barrier_wait(&shared.barriers[s].scanned, parity);
			if (is_whole(tile)) {
				bulk_store(work.out + tile * SCAN_TILE, stage(s),
					   SCAN_TILE * sizeof(T));
				bulk_stores_read();
			}
			barrier_arrive(&shared.barriers[s].empty);
		});
		bulk_stores_done();
	}
};

template <class S, class T>
__global__ void __launch_bounds__(RING_THREADS, 1)
	scan_ring_kernel(const __grid_constant__ ring_work<T> work)
{
	extern __shared__ __align__(128) unsigned char dynamic[];
	__shared__ ring_shared<typename S::value, T> shared;
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const ring<S, T> self = {work, shared, (ring_quad<T> *)dynamic, lane};

	if (threadIdx.x == 0) {
		for (unsigned s = 0; s < RING_STAGES<T>; s++) {
			barrier_init(&shared.barriers[s].full, 1);
			barrier_init(&shared.barriers[s].summed, RING_REDUCERS);
			barrier_init(&shared.barriers[s].known, 2);
			barrier_init(&shared.barriers[s].scanned, RING_TEAM);
			barrier_init(&shared.barriers[s].empty, 1);
		}
		barrier_init_done();
	}
	__syncthreads();
	if (warp >= RING_FIRST_SCANNER)
		self.scan((warp - RING_FIRST_SCANNER) / RING_TEAM,
			  (warp - RING_FIRST_SCANNER) % RING_TEAM);
	else if (warp >= RING_FIRST_REDUCER)
		self.reduce(warp - RING_FIRST_REDUCER);
	else if (warp == 2)
		self.look();
	else if (lane == 0 && warp == 3)
		self.store();
	else if (lane == 0 && warp == 1)
		self.publish();
	else if (lane == 0)
		self.produce();
}

#else

/* Never launched: see scan_ring_serves(). */
template <class S, class T> __global__ void scan_ring_kernel(const ring_work<T>)
{
}

#endif

/* A warp alone is as fast (measured: 15 us either way). */
constexpr uint64_t RING_LEAST = 1024;

/* Of one line that lies at a multiple of 16 bytes. */
template <class T>
bool scan_ring_serves(const struct launch *launch, const struct lines *lines, const void *x,
		      const void *out)
{
	int device = 0, major = 0, shared = 0;

	if (lines->lines != 1 || lines->offsets != nullptr || lines->length <= RING_LEAST ||
	    ((uintptr_t)x | (uintptr_t)out) % 16 != 0)
		return false;
	return cudaGetDevice(&device) == cudaSuccess &&
	       cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
		       cudaSuccess &&
	       cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
		       cudaSuccess &&
	       major >= 9 && shared >= (int)(RING_BYTES<T> + sizeof(double) * 1024);
}

template <class S, class T>
cudaError_t scan_ring(const struct launch *launch, const struct lines *lines, const void *x,
		      bool exclusive, void *out)
{
	const uint64_t tiles = (lines->length + SCAN_TILE - 1) / SCAN_TILE;
	const uint64_t blocks = tiles < launch->multiprocessors ? tiles : launch->multiprocessors;
	const ring_work<T> work = {(const T *)x,
				   (T *)out,
				   lines->length,
				   tiles,
				   (unsigned long long *)launch->scratch,
				   launch->tickets,
				   exclusive};
	cudaError_t code = cudaFuncSetAttribute(
		scan_ring_kernel<S, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, RING_BYTES<T>);

	if (code == cudaSuccess)
		code = cudaMemsetAsync(launch->scratch, 0xff, tiles * sizeof(uint64_t),
				       launch->stream);
	if (code != cudaSuccess)
		return code;
	scan_ring_kernel<S, T>
		<<<(unsigned)blocks, RING_THREADS, RING_BYTES<T>, launch->stream>>>(work);
	return cudaGetLastError();
}

#endif
