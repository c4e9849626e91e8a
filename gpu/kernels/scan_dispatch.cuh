/* scan_dispatch.cuh - a scan of one kind, whatever its lines. */
#ifndef GPU_KERNELS_SCAN_DISPATCH_CUH
#define GPU_KERNELS_SCAN_DISPATCH_CUH

#include "gpu/kernels/scan_kernels.cuh"
#include "gpu/kernels/scan_kinds.h"
#include "gpu/kernels/scan_ring.cuh"

constexpr uint64_t SCAN_GRID = 1u << 30;

constexpr unsigned scan_blocks(uint64_t warps)
{
	return (unsigned)(warps / SCAN_WARPS < SCAN_GRID ? warps / SCAN_WARPS + 1 : SCAN_GRID);
}

template <class W> struct integer_reader {
	const void *elements;
	enum dtype dtype;

	__device__ __forceinline__ W operator()(uint64_t i) const
	{
		return load_integer<W>(elements, dtype, i);
	}
};

template <class S, class R>
cudaError_t scan_equal_lines(const struct launch *launch, scan_work<S, R> &work)
{
	using value = typename S::value;
	const uint64_t tiles = work.lines * work.tiles;

	if (work.tiles > 1) {
		work.aggregates = (value *)launch->scratch;
		work.totals = work.aggregates + tiles;
		scan_aggregates<S, R>
			<<<scan_blocks(tiles), SCAN_THREADS, 0, launch->stream>>>(work);
		scan_groups<S, R><<<scan_blocks(work.lines * work.groups), SCAN_THREADS, 0,
				    launch->stream>>>(work);
		scan_chain<S, R><<<(unsigned)(work.lines < SCAN_GRID ? work.lines : SCAN_GRID),
				   CHAIN_THREADS, 0, launch->stream>>>(work);
	}
	scan_prefixes<S, R><<<scan_blocks(tiles), SCAN_THREADS, 0, launch->stream>>>(work);
	return cudaGetLastError();
}

template <class S, class R> cudaError_t scan_read_by(const struct scan_call *call, const R &x)
{
	const struct lines *lines = call->lines;
	scan_work<S, R> work = {};

	if (lines->lines == 0 || lines->elements == 0)
		return cudaSuccess;
	work.x = x;
	work.omit = call->job->omit;
	work.exclusive = call->job->exclusive;
	work.lines = lines->lines;
	work.length = lines->length;
	work.offsets = lines->offsets;
	work.tiles = (lines->length + SCAN_TILE - 1) / SCAN_TILE;
	work.groups = (work.tiles + SCAN_LANES - 1) / SCAN_LANES;
	work.out = call->out;
	if (lines->offsets == nullptr)
		return scan_equal_lines(call->launch, work);
	scan_whole_lines<S, R>
		<<<scan_blocks(lines->lines), SCAN_THREADS, 0, call->launch->stream>>>(work);
	return cudaGetLastError();
}

/* Whether a long line of float32 or float64 goes through the ring. */
template <class T> bool scan_is_long(const struct scan_call *call, enum dtype dtype)
{
	const struct scan_job *job = call->job;

	return job->input == dtype && job->result == dtype && !job->omit &&
	       scan_ring_serves<T>(call->launch, call->lines, call->x, call->out.out);
}

template <class S, class T> cudaError_t scan_long(const struct scan_call *call)
{
	return scan_ring<S, T>(call->launch, call->lines, call->x, call->job->exclusive,
			       call->out.out);
}

template <class S, enum dtype D> cudaError_t scan_typed(const struct scan_call *call)
{
	return scan_read_by<S>(call, read_as<D>(call->x));
}

template <class S> cudaError_t scan_any_float(const struct scan_call *call)
{
	return scan_read_by<S>(call, read_any(call->x, call->job->input));
}

/* S of the ring, and of what does not go through it. */
template <class S, class OTHER> cudaError_t scan_long_or_any_float(const struct scan_call *call)
{
	if (scan_is_long<float>(call, DTYPE_FLOAT32))
		return scan_long<S, float>(call);
	if (scan_is_long<double>(call, DTYPE_FLOAT64))
		return scan_long<S, double>(call);
	return scan_any_float<OTHER>(call);
}

template <class S> cudaError_t scan_any_integer(const struct scan_call *call)
{
	const integer_reader<typename S::wide> x = {call->x, call->job->input};

	return scan_read_by<S>(call, x);
}

#endif
