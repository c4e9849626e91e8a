/* exact_short.cuh - what the kernels of lines that are not long have in common: what
 * they are asked for, how they load elements, and how results are written. A few
 * lanes have a very short line (exact_few.cuh), else a warp has one, or a lane
 * where the neighbouring elements are of other lines (exact_columns.cuh). */
#ifndef GPU_KERNELS_EXACT_SHORT_CUH
#define GPU_KERNELS_EXACT_SHORT_CUH

#include "gpu/kernels/exact_lines.cuh"
#include "gpu/kernels/exact_value.cuh"
#include "gpu/kernels/load.cuh"

constexpr unsigned SHORT_THREADS = 256;
constexpr unsigned SHORT_WARPS = SHORT_THREADS / EXACT_WARP;

/* How the index of a line or of an element in it becomes a position: dimensions of
 * one kind, innermost first. */
struct exact_axes {
	unsigned ndim;
	uint64_t length[ARRAY_MAX_NDIM], stride[ARRAY_MAX_NDIM];
};

__device__ __forceinline__ uint64_t exact_position(const struct exact_axes &axes, uint64_t i)
{
	uint64_t at = 0;

	if (axes.ndim == 0)
		return 0;
	for (unsigned d = 0; d + 1 < axes.ndim; d++) {
		uint64_t length = axes.length[d], quotient;

		if ((i | length) >> 32 == 0)
			quotient = (uint32_t)i / (uint32_t)length;
		else
			quotient = i / length;
		at += (i - quotient * length) * axes.stride[d];
		i = quotient;
	}
	return at + i * axes.stride[axes.ndim - 1];
}

struct short_job {
	const void *x, *y;
	enum accum accum;
	enum dtype dtype;
	bool omit;
	uint64_t lines, length;
	const int64_t *offsets; /* or NULL */
	uint64_t longest;       /* lines of so many elements are not done here */
	struct exact_results results;

	/* Of a grid (exact_columns.cuh). */
	struct exact_axes kept, reduced;
	uint64_t groups, parts, part;
	unsigned width, rows;
	char *states; /* NULL: lines are not shared */
};

__device__ __forceinline__ struct exactsum *short_value(const struct short_job &job, uint64_t line)
{
	return (struct exactsum *)(job.results.values + line * job.results.stride);
}

/* Where line `line` begins, and its length. */
__device__ __forceinline__ uint64_t short_line(const struct short_job &job, uint64_t line,
					       uint64_t &count)
{
	uint64_t begin;

	if (job.offsets == nullptr) {
		count = job.length;
		return line * job.length;
	}
	begin = (uint64_t)__ldg(job.offsets + line);
	count = (uint64_t)__ldg(job.offsets + line + 1) - begin;
	return begin;
}

template <enum dtype D, unsigned N, class T>
__device__ __forceinline__ void short_read(const void *from, const uint64_t (&at)[N],
					   const bool (&here)[N], T (&x)[N])
{
	using type = typename stored<D>::type;
	type raw[N];

#pragma unroll
	for (unsigned e = 0; e < N; e++)
		raw[e] = here[e] ? __ldg((const type *)from + at[e]) : (type)0;
#pragma unroll
	for (unsigned e = 0; e < N; e++)
		x[e] = (T)stored<D>::widen(raw[e]);
}

/* Elements at positions `at`, those that are `here`; T: float, not of float64, or
 * double. Those omitted are not here afterwards. Of no dot, y is x. */
template <unsigned N, class T>
__device__ __forceinline__ void short_load(const struct short_job &job, const uint64_t (&at)[N],
					   bool (&here)[N], T (&x)[N], T (&y)[N])
{
	const bool pair = job.accum == ACCUM_EXACT_DOT;

	for (unsigned which = 0; which < (pair ? 2 : 1); which++) {
		const void *from = which == 0 ? job.x : job.y;
		T v[N];

		switch (job.dtype) {
		case DTYPE_FLOAT16:
			short_read<DTYPE_FLOAT16>(from, at, here, v);
			break;
		case DTYPE_BFLOAT16:
			short_read<DTYPE_BFLOAT16>(from, at, here, v);
			break;
		case DTYPE_FLOAT32:
			short_read<DTYPE_FLOAT32>(from, at, here, v);
			break;
		default:
			if (sizeof(T) == sizeof(double))
				short_read<DTYPE_FLOAT64>(from, at, here, v);
			break;
		}
#pragma unroll
		for (unsigned e = 0; e < N; e++) {
			if (which == 0)
				x[e] = v[e];
			y[e] = v[e];
		}
	}
	if (!job.omit)
		return;
#pragma unroll
	for (unsigned e = 0; e < N; e++)
		here[e] &= x[e] == x[e] && y[e] == y[e];
}

__device__ __forceinline__ bool short_is_finite(double x)
{
	return ((unsigned)__double2hiint(x) & 0x7ff00000u) != 0x7ff00000u;
}

/* Flags of x * y, which may leave the range of double. */
__device__ __forceinline__ unsigned short_product_flags(double x, double y)
{
	if (!short_is_finite(x) || !short_is_finite(y))
		return exact_special(x * y);
	return x != 0.0 && y != 0.0 ? EXACT_OTHER : exact_flags_of(x * y);
}

static inline unsigned short_blocks(uint64_t warps, unsigned warps_of_block)
{
	uint64_t blocks = (warps + warps_of_block - 1) / warps_of_block;

	return (unsigned)(blocks < 1u << 24 ? blocks : 1u << 24);
}

/* Lines of the kinds of columns that hold their terms (exact_columns.cuh), of
 * `lines` or of `grid`. */
cudaError_t exact_columns_narrow(const struct exact_work *work, const struct grid *grid);
cudaError_t exact_columns_single(const struct exact_work *work, const struct grid *grid);
cudaError_t exact_columns_product(const struct exact_work *work, const struct grid *grid);

/* Very short lines: of so many elements that a lane has, or eight lanes have, in
 * registers. By offsets, those that are longer are left to exact_columns. */
constexpr unsigned FEW_LOADS = 4;
constexpr uint64_t EXACT_FEW = 8 * FEW_LOADS;

static inline uint64_t exact_few_most(const struct lines *lines)
{
	uint64_t length =
		lines->offsets != nullptr ? lines->elements / lines->lines : lines->length;

	return length <= FEW_LOADS ? FEW_LOADS : EXACT_FEW;
}

cudaError_t exact_few_single(const struct exact_work *work);
cudaError_t exact_few_product(const struct exact_work *work);

#endif
