/* exact_few.cuh - very short lines: a few lanes have one, and keep its elements in
 * registers. Digit by digit, from the lowest one that any of them touches to the
 * highest, all lanes give what they have for it. That costs as much as the
 * elements' exponents differ, and nothing else depends on them.
 *
 * WORDS says what a term is: 3, the digits of a binary64 number, which may be a
 * product of narrower ones; 5, those of a product of two binary64 numbers. */
#ifndef GPU_KERNELS_EXACT_FEW_CUH
#define GPU_KERNELS_EXACT_FEW_CUH

#include "gpu/kernels/exact_short.cuh"
#include "gpu/kernels/warp.cuh"

/* One term in digits: word[j] is of digit `digit` + j (an exactsum digit). Of 0 and
 * of what is not finite no word is set. */
template <unsigned WORDS> struct short_term {
	uint32_t word[WORDS];
	int digit;
	bool negative, any;

	__device__ __forceinline__ int64_t at(int which) const
	{
		uint32_t found = 0;

#pragma unroll
		for (unsigned j = 0; j < WORDS; j++)
			found = digit + (int)j == which ? word[j] : found;
		return negative ? -(int64_t)found : (int64_t)found;
	}
};

__device__ __forceinline__ uint64_t short_mantissa(double x, int &exponent)
{
	uint64_t bits = (uint64_t)__double_as_longlong(x);
	int e = (int)(bits >> 52) & 0x7ff;

	exponent = e > 0 ? e : 1;
	return (bits & 0xfffffffffffffu) | (uint64_t)(e > 0) << 52;
}

/* The term of a pair that takes part (y is x of squares). */
__device__ __forceinline__ void short_make(struct short_term<3> &out, enum accum accum, double x,
					   double y, unsigned &flags)
{
	const double v = accum == ACCUM_EXACT_SUM ? x : accum == ACCUM_EXACT_ABS ? fabs(x) : x * y;
	int exponent;
	uint64_t mantissa = short_mantissa(v, exponent);
	unsigned position = (unsigned)(exponent - 1075 - EXACTSUM_LOW), shift = position % 32;
	uint64_t low = mantissa << shift;

	flags |= exact_flags_of(v) | EXACT_SEEN;
	out.any = v != 0.0 && short_is_finite(v);
	out.digit = (int)(position / 32);
	out.word[0] = (uint32_t)low;
	out.word[1] = (uint32_t)(low >> 32);
	out.word[2] = (uint32_t)(mantissa >> 32 >> (32 - shift));
	out.negative = v < 0.0;
}

__device__ __forceinline__ void short_make(struct short_term<5> &out, enum accum accum, double x,
					   double y, unsigned &flags)
{
	int exponent_x, exponent_y;
	uint64_t a = short_mantissa(x, exponent_x), b = short_mantissa(y, exponent_y);
	unsigned position = (unsigned)(exponent_x + exponent_y - 2150 - EXACTSUM_LOW);
	unsigned shift = position % 32;
	unsigned __int128 product = (unsigned __int128)a * b;

	flags |= short_product_flags(x, y) | EXACT_SEEN;
	out.any = x != 0.0 && y != 0.0 && short_is_finite(x) && short_is_finite(y);
	out.digit = (int)(position / 32);
	out.word[4] = (uint32_t)((uint64_t)(product >> 96) << shift >> 32);
	product <<= shift;
	out.word[4] = shift == 0 ? 0 : out.word[4];
#pragma unroll
	for (unsigned j = 0; j < 4; j++)
		out.word[j] = (uint32_t)(product >> (32 * j));
	out.negative = (x < 0.0) != (y < 0.0);
}

/* Elements k, k + step, ... below count of a line: their terms; the others are
 * nothing. */
template <unsigned WORDS>
__device__ __forceinline__ void
few_load(const struct short_job &job, uint64_t begin, uint64_t k, uint64_t step, uint64_t count,
	 struct short_term<WORDS> (&term)[FEW_LOADS], unsigned &flags)
{
	double x[FEW_LOADS], y[FEW_LOADS];
	uint64_t at[FEW_LOADS];
	bool here[FEW_LOADS];

#pragma unroll
	for (unsigned e = 0; e < FEW_LOADS; e++) {
		at[e] = begin + k + e * step;
		here[e] = k + e * step < count;
	}
	short_load(job, at, here, x, y);
#pragma unroll
	for (unsigned e = 0; e < FEW_LOADS; e++) {
		term[e].any = term[e].negative = false;
		term[e].digit = 0;
		if (here[e])
			short_make(term[e], job.accum, x[e], y[e], flags);
		if (!term[e].any) {
#pragma unroll
			for (unsigned j = 0; j < WORDS; j++)
				term[e].word[j] = 0;
		}
	}
}

/* The digits that a lane's terms touch. */
template <unsigned WORDS>
__device__ __forceinline__ void short_range(const struct short_term<WORDS> (&term)[FEW_LOADS],
					    int &lo, int &hi)
{
#pragma unroll
	for (unsigned e = 0; e < FEW_LOADS; e++)
		if (term[e].any) {
			lo = min(lo, term[e].digit);
			hi = max(hi, term[e].digit + (int)WORDS - 1);
		}
}

template <unsigned WORDS>
__device__ __forceinline__ int64_t short_digit(const struct short_term<WORDS> (&term)[FEW_LOADS],
					       int which)
{
	int64_t sum = 0;

#pragma unroll
	for (unsigned e = 0; e < FEW_LOADS; e++)
		sum += term[e].at(which);
	return sum;
}

/* A line of at most GROUP * FEW_LOADS elements: GROUP lanes have it. All lanes of
 * the warp come here, those with nothing to do with count 0 and !here. */
template <unsigned WORDS, unsigned GROUP>
__device__ __forceinline__ void short_few(const struct short_job &job, uint64_t line,
					  uint64_t begin, uint64_t count, bool here)
{
	const unsigned lane = threadIdx.x % GROUP;
	struct short_term<WORDS> term[FEW_LOADS];
	int lo = INT32_MAX, hi = -1, first, last;
	unsigned flags = 0;

	few_load(job, begin, lane, GROUP, count, term, flags);
	short_range(term, lo, hi);
#pragma unroll
	for (unsigned step = GROUP / 2; step > 0; step /= 2) {
		lo = min(lo, __shfl_xor_sync(EXACT_ALL, lo, step));
		hi = max(hi, __shfl_xor_sync(EXACT_ALL, hi, step));
		flags |= __shfl_xor_sync(EXACT_ALL, flags, step);
	}
	/* Groups that add up together do the same digits. */
	first = GROUP == 1 ? lo : warp_least(lo);
	last = GROUP == 1 ? hi : warp_greatest(hi);

	struct exactsum *to = here ? short_value(job, line) : nullptr;
	const bool rounds = job.results.values == nullptr;
	exact_rounder rounder(hi < 0 ? 0 : lo);

	for (int d = first; d <= last; d++) {
		int64_t sum = short_digit(term, d);

#pragma unroll
		for (unsigned step = GROUP / 2; step > 0; step /= 2)
			sum += __shfl_xor_sync(EXACT_ALL, sum, step);
		if (d < lo || d > hi || !here)
			continue;
		if (rounds)
			rounder.push(sum);
		else if (lane == 0)
			to->digit[d] = sum;
	}
	if (!here || lane != 0)
		return;
	if (rounds)
		rounder.store(flags, job.results.to, job.results.out, line);
	else
		exact_store_head(to, lo, hi, (unsigned)count, flags);
}

/* GROUP lanes a line. */
template <unsigned WORDS, unsigned GROUP>
__global__ void __launch_bounds__(SHORT_THREADS)
	exact_few_kernel(const __grid_constant__ struct short_job job)
{
	constexpr unsigned LINES = EXACT_WARP / GROUP; /* a warp */
	const uint64_t warps = (uint64_t)gridDim.x * SHORT_WARPS;
	uint64_t warp = (uint64_t)blockIdx.x * SHORT_WARPS + threadIdx.x / EXACT_WARP;

	for (; warp * LINES < job.lines; warp += warps) {
		const uint64_t line = warp * LINES + threadIdx.x % EXACT_WARP / GROUP;
		uint64_t begin = 0, count = 0;
		bool here = line < job.lines;

		if (here)
			begin = short_line(job, line, count);
		if (count > GROUP * FEW_LOADS) {
			here = false;
			count = 0;
		}
		short_few<WORDS, GROUP>(job, line, begin, count, here);
	}
}

template <unsigned WORDS> cudaError_t exact_launch_few(const struct exact_work *work)
{
	const struct lines *lines = work->lines;
	struct short_job job = {};

	job.x = work->elements->x;
	job.y = work->elements->y;
	job.accum = work->accum;
	job.dtype = work->elements->dtype;
	job.omit = work->elements->omit;
	job.results = work->results;
	job.lines = lines->lines;
	job.length = lines->length;
	job.offsets = lines->offsets;
	if (exact_few_most(lines) == FEW_LOADS)
		exact_few_kernel<WORDS, 1><<<short_blocks((lines->lines + 31) / 32, SHORT_WARPS),
					     SHORT_THREADS, 0, work->launch->stream>>>(job);
	else
		exact_few_kernel<WORDS, 8><<<short_blocks((lines->lines + 3) / 4, SHORT_WARPS),
					     SHORT_THREADS, 0, work->launch->stream>>>(job);
	return cudaGetLastError();
}

#endif
