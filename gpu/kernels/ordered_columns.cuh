/* ordered_columns.cuh - the strided order (docs/orders.md, section 3) over columns:
 * kernels that make of aligned groups of runs one value each, and which of them
 * takes which columns. What is left is folded by columns_fold.cuh.
 *
 *   columns_wide     up to 32 neighbouring columns and 8 threads down them a block
 *   columns_staged   few columns: a block brings whole rows to shared memory
 *   columns_flat     short columns in great number: a thread a column */
#ifndef GPU_KERNELS_ORDERED_COLUMNS_CUH
#define GPU_KERNELS_ORDERED_COLUMNS_CUH

#include "engine/order.h"
#include "gpu/kernels/columns_fold.cuh"
#include "gpu/kernels/ordered_lanes.cuh"
#include "gpu/kernels/values.cuh"

constexpr unsigned WIDE_THREADS = 256;
constexpr unsigned STAGED_THREADS = 256;
constexpr unsigned STAGED_BYTES = 32768;            /* of shared memory for elements */
constexpr unsigned STAGED_PAD = 4;                  /* elements from a run to the next */
constexpr unsigned FLAT_BATCH = 16, WIDE_BATCH = 8; /* loads in flight a thread */
constexpr uint64_t COLUMNS_GRID = 1u << 30;

/* Up to so many elements a thread walks a whole column of its own, if there are
 * columns enough to fill the device; that reads well where rows are long, and
 * passably where columns of many rows of them stand behind one another. */
constexpr uint64_t FLAT_LENGTH = 1024, FLAT_OUTER = 256, FLAT_LINES = 1u << 18;

template <enum accum A, class R> struct columns_job {
	R x, y;
	bool omit;
	double p;
	uint64_t outer, length, inner;
	uint64_t chunks;                 /* of each column */
	unsigned runs;                   /* of a staged chunk, a power of two */
	unsigned width;                  /* columns of a wide block, likewise */
	typename ordered<A>::value *out; /* outer x chunks x inner */
};

/* The value of up to 32 elements, each `stride` from the one before. */
template <enum accum A, unsigned BATCH, class R>
__device__ __forceinline__ typename ordered<A>::value
one_run(const R &x, const R &y, uint64_t at, uint64_t stride, unsigned count, bool omit, double p)
{
	using acc = ordered<A>;
	typename acc::run run = acc::begin();
	unsigned k = 0;

#pragma unroll 1
	for (; k + BATCH <= count; k += BATCH) {
		double a[BATCH], b[BATCH];

#pragma unroll
		for (unsigned u = 0; u < BATCH; u++) {
			a[u] = x(at + u * stride);
			b[u] = A == ACCUM_DOT ? y(at + u * stride) : a[u];
		}
#pragma unroll
		for (unsigned u = 0; u < BATCH; u++)
			if (!omit || !(values::is_nan(a[u]) || values::is_nan(b[u])))
				acc::step(run, a[u], b[u], p);
		at += BATCH * stride;
	}
	for (; k < count; k++, at += stride) {
		double a = x(at), b = A == ACCUM_DOT ? y(at) : a;

		if (!omit || !(values::is_nan(a) || values::is_nan(b)))
			acc::step(run, a, b, p);
	}
	return acc::end(run);
}

__device__ __forceinline__ unsigned elements_of_run(uint64_t length, uint64_t run)
{
	uint64_t first = run * ORDER_RUN;

	if (first >= length)
		return 0;
	return length - first < ORDER_RUN ? (unsigned)(length - first) : ORDER_RUN;
}

/* RUNS consecutive runs of a column whose first element is x[at]. */
template <enum accum A, unsigned RUNS, unsigned BATCH, class R>
__device__ __forceinline__ typename ordered<A>::value runs_of(const columns_job<A, R> &job,
							      uint64_t at, uint64_t run)
{
	if constexpr (RUNS == 1) {
		return one_run<A, BATCH>(job.x, job.y, at + run * ORDER_RUN * job.inner, job.inner,
					 elements_of_run(job.length, run), job.omit, job.p);
	} else {
		typename ordered<A>::value left = runs_of<A, RUNS / 2, BATCH>(job, at, run);

		return ordered<A>::combine(left,
					   runs_of<A, RUNS / 2, BATCH>(job, at, run + RUNS / 2));
	}
}

/* RUNS: of each thread. */
template <enum accum A, unsigned RUNS, class R>
__global__ void __launch_bounds__(WIDE_THREADS) columns_wide(const columns_job<A, R> job)
{
	using acc = ordered<A>;
	__shared__ typename acc::value part[WIDE_THREADS];
	const unsigned x = threadIdx.x % job.width, y = threadIdx.x / job.width;
	const unsigned height = WIDE_THREADS / job.width;
	const uint64_t tiles = (job.inner + job.width - 1) / job.width;
	const uint64_t blocks = job.outer * job.chunks * tiles;

	for (uint64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
		const uint64_t column = block % tiles * job.width + x;
		const uint64_t chunk = block / tiles % job.chunks, o = block / tiles / job.chunks;
		const bool any = column < job.inner;
		typename acc::value v = acc::identity();

		if (any)
			v = runs_of<A, RUNS, WIDE_BATCH>(job, o * job.length * job.inner + column,
							 (chunk * height + y) * RUNS);
#pragma unroll 1
		for (unsigned half = 1; half < height; half *= 2) {
			if (y % (2 * half) == half)
				part[threadIdx.x] = v;
			__syncthreads();
			if (y % (2 * half) == 0)
				v = acc::combine(v, part[threadIdx.x + half * job.width]);
			__syncthreads();
		}
		if (any && y == 0)
			job.out[(o * job.chunks + chunk) * job.inner + column] = v;
	}
}

template <class K> struct staged_reader {
	const K *elements;

	__device__ __forceinline__ double operator()(uint64_t i) const
	{
		return elements[i];
	}
};

/* n / inner, for n * inner below 2^16. */
struct small_divider {
	unsigned factor;

	explicit __device__ small_divider(unsigned inner) : factor(65535 / inner + 1)
	{
	}
	__device__ unsigned operator()(unsigned n) const
	{
		return n * factor >> 16;
	}
};

/* Whether 16 bytes are several elements as they are kept. */
template <class R> struct staged_by_vectors {
	static constexpr bool value = false;
};
template <> struct staged_by_vectors<typed_reader<DTYPE_FLOAT32>> {
	static constexpr bool value = true;
};
template <> struct staged_by_vectors<typed_reader<DTYPE_FLOAT64>> {
	static constexpr bool value = true;
};

/* WIDTH elements at a time, to shared memory where runs lie STAGED_PAD elements
 * apart, so that their banks differ. */
template <class V, unsigned WIDTH, class K, class F>
__device__ __forceinline__ void stage_by(K *to, unsigned count, unsigned inner, F load)
{
	constexpr unsigned BATCH = 8;
	const small_divider divide(inner);

	for (unsigned first = threadIdx.x; first < count / WIDTH; first += BATCH * STAGED_THREADS) {
		V v[BATCH];

#pragma unroll
		for (unsigned u = 0; u < BATCH; u++)
			if (first + u * STAGED_THREADS < count / WIDTH)
				v[u] = load(first + u * STAGED_THREADS);
#pragma unroll
		for (unsigned u = 0; u < BATCH; u++) {
			const unsigned i = (first + u * STAGED_THREADS) * WIDTH;

			if (i < count)
				*(V *)(to + i + divide(i / ORDER_RUN) * STAGED_PAD) = v[u];
		}
	}
}

template <class R>
__device__ __forceinline__ void stage(typename R::kept *to, const R &from, uint64_t at,
				      unsigned count, unsigned inner)
{
	using kept = typename R::kept;

	if constexpr (staged_by_vectors<R>::value) {
		constexpr unsigned WIDTH = sizeof(uint4) / sizeof(kept);
		const kept *source = from.elements + at;

		if ((uintptr_t)source % sizeof(uint4) == 0 && count % WIDTH == 0) {
			stage_by<uint4, WIDTH>(to, count, inner, [=](unsigned i) {
				return __ldg((const uint4 *)source + i);
			});
			return;
		}
	}
	stage_by<kept, 1>(to, count, inner, [=](unsigned i) { return (kept)from(at + i); });
}

/* A thread a run of a column; then the runs of the block are combined. */
template <enum accum A, class R>
__global__ void __launch_bounds__(STAGED_THREADS) columns_staged(const columns_job<A, R> job)
{
	using acc = ordered<A>;
	using kept = typename R::kept;
	extern __shared__ uint4 shared[];
	__shared__ typename acc::value part[STAGED_THREADS];
	const unsigned inner = (unsigned)job.inner, rows = job.runs * ORDER_RUN;
	const unsigned run = threadIdx.x / inner, column = threadIdx.x % inner;
	kept *x = (kept *)shared, *y = x + job.runs * (ORDER_RUN * inner + STAGED_PAD);

	for (uint64_t block = blockIdx.x; block < job.outer * job.chunks; block += gridDim.x) {
		const uint64_t o = block / job.chunks, first = block % job.chunks * rows;
		const uint64_t at = (o * job.length + first) * inner;
		const uint64_t left = job.length - first;
		const unsigned count = (left < rows ? (unsigned)left : rows) * inner;

		__syncthreads();
		stage(x, job.x, at, count, inner);
		if (A == ACCUM_DOT)
			stage(y, job.y, at, count, inner);
		__syncthreads();
		if (run < job.runs) {
			const staged_reader<kept> a = {x}, b = {y};

			part[threadIdx.x] = one_run<A, FLAT_BATCH>(
				a, b, run * (ORDER_RUN * inner + STAGED_PAD) + column, inner,
				elements_of_run(left, run), job.omit, job.p);
		}
		for (unsigned half = 1; half < job.runs; half *= 2) {
			__syncthreads();
			if (run < job.runs && run % (2 * half) == 0)
				part[threadIdx.x] = acc::combine(part[threadIdx.x],
								 part[threadIdx.x + half * inner]);
		}
		if (run == 0)
			job.out[block * inner + column] = part[threadIdx.x];
	}
}

template <enum accum A, class R> __global__ void columns_flat(const columns_job<A, R> job)
{
	using acc = ordered<A>;
	const uint64_t runs = (job.length + ORDER_RUN - 1) / ORDER_RUN;

	for (uint64_t line = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	     line < job.outer * job.inner; line += (uint64_t)gridDim.x * blockDim.x) {
		const uint64_t o = line / job.inner, column = line - o * job.inner;
		binary_counter<acc> counter;

		for (uint64_t run = 0; run < runs; run++)
			counter.push(runs_of<A, 1, FLAT_BATCH>(
				job, o * job.length * job.inner + column, run));
		job.out[line] = counter.end();
	}
}

/* --- who takes what --------------------------------------------------------- */

template <enum accum A, class R>
cudaError_t flat_columns(const struct launch *launch, const columns_job<A, R> &job)
{
	columns_flat<A, R><<<columns_blocks(job.outer * job.inner, COLUMNS_GRID), FOLD_THREADS, 0,
			     launch->stream>>>(job);
	return cudaGetLastError();
}

/* Shared memory of a run's elements. */
template <enum accum A, class R> size_t staged_run(uint64_t inner)
{
	return (ORDER_RUN * inner + STAGED_PAD) * sizeof(typename R::kept) *
	       (A == ACCUM_DOT ? 2 : 1);
}

/* Values of chunks that are whole columns are the results. */
template <enum accum A, class R>
void cut_columns(const struct columns_work *work, columns_job<A, R> &job, uint64_t runs)
{
	job.chunks = columns_chunks(job.length, runs);
	job.out = (typename ordered<A>::value *)(job.chunks == 1 ? work->values
								 : work->launch->scratch);
}

template <enum accum A, class R>
cudaError_t staged_columns(const struct columns_work *work, columns_job<A, R> &job)
{
	job.runs = 1;
	while (2 * job.runs * staged_run<A, R>(job.inner) <= STAGED_BYTES &&
	       2 * job.runs * job.inner <= STAGED_THREADS)
		job.runs *= 2;
	cut_columns(work, job, job.runs);
	columns_staged<A, R>
		<<<(unsigned)columns_least(job.outer * job.chunks, COLUMNS_GRID), STAGED_THREADS,
		   job.runs * staged_run<A, R>(job.inner), work->launch->stream>>>(job);
	return cudaGetLastError();
}

template <enum accum A, unsigned RUNS, class R>
cudaError_t wide_columns(const struct columns_work *work, columns_job<A, R> &job)
{
	const uint64_t tiles = (job.inner + job.width - 1) / job.width;

	cut_columns(work, job, RUNS * (WIDE_THREADS / job.width));
	columns_wide<A, RUNS, R>
		<<<(unsigned)columns_least(job.outer * job.chunks * tiles, COLUMNS_GRID),
		   WIDE_THREADS, 0, work->launch->stream>>>(job);
	return cudaGetLastError();
}

/* The work of a thread is small where the whole would not fill the device. */
template <enum accum A, class R>
cudaError_t wide_columns_of(const struct columns_work *work, columns_job<A, R> &job)
{
	const uint64_t enough = (uint64_t)work->launch->multiprocessors * 16 * WIDE_THREADS;

	job.width = 32;
	while (job.width / 2 >= job.inner)
		job.width /= 2;
	if constexpr (A != ACCUM_POWER && A != ACCUM_LOGSUM) {
		if (job.outer * columns_chunks(job.length, 4) * job.inner >= enough)
			return wide_columns<A, 4>(work, job);
	}
	return wide_columns<A, 1>(work, job);
}

template <enum accum A, class R>
cudaError_t columns_read_by(const struct columns_work *work, const R &x, const R &y)
{
	using value = typename ordered<A>::value;
	const struct columns *columns = work->columns;
	const uint64_t row = columns->inner * dtype_size(work->elements->dtype); /* bytes */
	columns_job<A, R> job = {};
	cudaError_t code;

	if (columns->outer == 0 || columns->inner == 0)
		return cudaSuccess;
	job.x = x;
	job.y = y;
	job.omit = work->elements->omit;
	job.p = work->elements->p;
	job.outer = columns->outer;
	job.length = columns->length;
	job.inner = columns->inner;
	if (columns->length <= FLAT_LENGTH &&
	    (row < COLUMNS_SECTORS ? columns->outer >= FLAT_OUTER
				   : columns->outer * columns->inner >= FLAT_LINES)) {
		job.out = (value *)work->values;
		return flat_columns(work->launch, job);
	}
	code = row < COLUMNS_SECTORS ? staged_columns(work, job) : wide_columns_of(work, job);
	if (code != cudaSuccess || job.chunks == 1)
		return code;
	return columns_fold<A>(work->launch, columns, job.chunks, job.out, (value *)work->values);
}

template <enum accum A, enum dtype D>
cudaError_t columns_of_one_type(const struct columns_work *work)
{
	return columns_read_by<A>(work, read_as<D>(work->elements->x),
				  read_as<D>(work->elements->y));
}

template <enum accum A> cudaError_t columns_of_any_type(const struct columns_work *work)
{
	const struct elements *of = work->elements;

	return columns_read_by<A>(work, read_any(of->x, of->dtype), read_any(of->y, of->dtype));
}

/* float32 and float64 have code of their own. */
template <enum accum A> cudaError_t columns_of_type(const struct columns_work *work)
{
	switch (work->elements->dtype) {
	case DTYPE_FLOAT32:
		return columns_of_one_type<A, DTYPE_FLOAT32>(work);
	case DTYPE_FLOAT64:
		return columns_of_one_type<A, DTYPE_FLOAT64>(work);
	default:
		return columns_of_any_type<A>(work);
	}
}

#endif
