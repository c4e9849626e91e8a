/* exact_window.cuh - terms of ordinary numbers in two doubles of each thread, where
 * atomics of shared memory would be too many; what these cannot hold exactly goes to
 * rows of cells (exact_cells.cuh).
 *
 * The doubles are kept near 1.5 * 2^52 of their units: an addition to the first one
 * leaves a multiple of its unit there, the rest is exact and goes to the second in
 * the same way, and what remains after that is mostly 0. Units follow from a power
 * of two, `top`, chosen for the whole block from the numbers at hand, above all of
 * them; what is not below it is left to the cells. Where many threads leave
 * something, all numbers go to the cells, for WINDOW_DIRECT merges. */
#ifndef GPU_KERNELS_EXACT_WINDOW_CUH
#define GPU_KERNELS_EXACT_WINDOW_CUH

#include "gpu/kernels/exact_cells.cuh"
#include "gpu/kernels/warp.cuh"

constexpr unsigned WINDOW_DIRECT = 16;

/* Squares of float32 and bfloat16: units are 2^(top - 42) and 2^(top - 85), top even,
 * for 2^9 additions. A number whose square does not fit is left out whole. */
template <unsigned SETS, bool REPORT> struct exact_window_square {
	using term = float;
	using rows = exact_narrow_product<true, SETS, REPORT>;
	static constexpr unsigned SHARED = rows::SHARED + (EXACT_WARPS + 2) * sizeof(int64_t);
	static constexpr unsigned CAPACITY = rows::CAPACITY;
	static constexpr int FIRST = rows::FIRST, DIGITS = rows::DIGITS;

	rows cells;
	int64_t *sums;    /* of warps */
	unsigned *shared; /* highest number at hand; threads that left something */
	double upper, lower;
	float limit; /* 2^(top / 2) */
	int top;
	bool open;
	unsigned direct; /* merges until the window is tried again */
	unsigned missed; /* batches of this thread with something left */

	static_assert(CAPACITY <= 512, "additions");

	__device__ __forceinline__ void init(char *memory)
	{
		cells.init(memory);
		sums = (int64_t *)(memory + rows::SHARED);
		shared = (unsigned *)(sums + EXACT_WARPS);
		if (threadIdx.x == 0)
			shared[0] = shared[1] = 0;
		direct = 0;
		open = false;
		missed = 0;
		upper = lower = 0.0;
	}

	/* 1.5 * 2^52 units. */
	__device__ __forceinline__ double upper_begin() const
	{
		return __hiloint2double((1023 + 10 + top) << 20 | 0x80000, 0);
	}
	__device__ __forceinline__ double lower_begin() const
	{
		return __hiloint2double((1023 - 33 + top) << 20 | 0x80000, 0);
	}

	/* Chooses the window; all threads. */
	template <unsigned N> __device__ __forceinline__ void choose(const float (&x)[N])
	{
		unsigned highest = 0;

#pragma unroll
		for (unsigned i = 0; i < N; i++)
			highest = max(highest, __float_as_uint(x[i]) & 0x7fffffffu);
		highest = warp_greatest(highest);
		if (threadIdx.x % EXACT_WARP == 0)
			atomicMax(shared, highest);
		__syncthreads();

		/* Twice the highest number, or more; infinity is the highest limit. */
		const int exponent = min((int)(shared[0] >> 23) + 2, 255);

		limit = __uint_as_float((unsigned)exponent << 23);
		top = 2 * (exponent - 127);
		upper = upper_begin();
		lower = lower_begin();
		open = true;
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const float (&x)[N], const float (&y)[N],
					    unsigned &flags)
	{
		if (direct > 0) {
			cells.add(x, y, flags);
			return;
		}
		if (!open)
			choose(x);

		float rest[N];
		bool any = false;

#pragma unroll
		for (unsigned i = 0; i < N; i++) {
			double v = (double)x[i] * (double)x[i];
			double next_upper = upper + v, next_lower;
			bool fits;

			v -= next_upper - upper;
			next_lower = lower + v;
			fits = v - (next_lower - lower) == 0.0 && fabsf(x[i]) < limit;
			upper = fits ? next_upper : upper;
			lower = fits ? next_lower : lower;
			rest[i] = fits ? 0.0f : x[i];
			any |= !fits;
		}
		if (any) {
			missed++;
			cells.add(rest, rest, flags);
		}
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &flags)
	{
		const unsigned misses = __popc(__ballot_sync(EXACT_ALL, missed > 1));

		if (threadIdx.x % EXACT_WARP == 0 && misses != 0)
			atomicAdd(shared + 1, misses);
		cells.merge(digits, flags);
		if (open) {
			const double scale = __hiloint2double((1023 + 42 - top) << 20, 0);
			const int position = top - EXACTSUM_LOW - 32 * FIRST;

			exact_merge_threads(digits, sums,
					    __double2ll_rn((upper - upper_begin()) * scale),
					    position - 42);
			exact_merge_threads(
				digits, sums,
				__double2ll_rn((lower - lower_begin()) * scale * 0x1p43),
				position - 85);
		} else {
			__syncthreads();
		}
		/* A quarter of the threads: the cells are as well had at once. */
		direct = shared[1] > EXACT_THREADS / 4 ? WINDOW_DIRECT
			 : direct > 0                  ? direct - 1
						       : 0;
		__syncthreads();
		if (threadIdx.x == 0)
			shared[0] = shared[1] = 0;
		open = false;
		missed = 0;
	}
};

#endif
