/* free_value.cuh - values of free accumulators on the device: their identities,
 * merging, and how they end as the structs of engine/accum.h.
 *
 * An *ending* is an object with a value type, identity(), merge() and finish();
 * it is a kernel's argument. Merging is commutative, so threads may do it in any
 * order. A shared ending (atomic == true) merges into what already stands at its
 * place, which must begin as finish(identity()). */
#ifndef GPU_KERNELS_FREE_VALUE_CUH
#define GPU_KERNELS_FREE_VALUE_CUH

#include "gpu/kernels/launch.h"

constexpr uint64_t NO_INDEX = UINT64_MAX;

/* --- 192-bit integers --- */

__device__ __forceinline__ void wide_add(struct int192 *a, uint64_t w0, uint64_t w1, uint64_t w2)
{
	unsigned __int128 carry = (unsigned __int128)a->word[0] + w0;

	a->word[0] = (uint64_t)carry;
	carry = (carry >> 64) + a->word[1] + w1;
	a->word[1] = (uint64_t)carry;
	a->word[2] += w2 + (uint64_t)(carry >> 64);
}

__device__ __forceinline__ void wide_add_signed(struct int192 *a, __int128 b)
{
	wide_add(a, (uint64_t)b, (uint64_t)((unsigned __int128)b >> 64), b < 0 ? UINT64_MAX : 0);
}

struct int192_ending {
	using value = struct int192;
	static constexpr bool atomic = false;

	static __device__ __forceinline__ value identity()
	{
		return {{0, 0, 0}};
	}
	static __device__ __forceinline__ void merge(value *a, const value &b)
	{
		wide_add(a, b.word[0], b.word[1], b.word[2]);
	}
	__device__ __forceinline__ void finish(const value &v, void *values, uint64_t line) const
	{
		((struct int192 *)values)[line] = v;
	}
};

struct int_moments_ending {
	using value = struct int_moments;
	static constexpr bool atomic = false;

	static __device__ __forceinline__ value identity()
	{
		return {{{0, 0, 0}}, {{0, 0, 0}}};
	}
	static __device__ __forceinline__ void merge(value *a, const value &b)
	{
		int192_ending::merge(&a->sum, b.sum);
		int192_ending::merge(&a->squares, b.squares);
	}
	__device__ __forceinline__ void finish(const value &v, void *values, uint64_t line) const
	{
		((struct int_moments *)values)[line] = v;
	}
};

/* --- counts --- */

/* What a number of elements means: itself, or of bools their sum and their sum
 * of squares, which are the same. */
enum count_form { COUNT_TALLY, COUNT_SUM, COUNT_MOMENTS };

struct count_ending {
	using value = uint64_t;
	static constexpr bool atomic = false;
	enum count_form form;

	static __device__ __forceinline__ value identity()
	{
		return 0;
	}
	static __device__ __forceinline__ void merge(value *a, const value &b)
	{
		*a += b;
	}
	__device__ __forceinline__ void finish(const value &v, void *values, uint64_t line) const
	{
		const struct int192 sum = {{v, 0, 0}};

		if (form == COUNT_TALLY)
			((struct tally *)values)[line].nonzero = v;
		else if (form == COUNT_SUM)
			((struct int192 *)values)[line] = sum;
		else
			((struct int_moments *)values)[line] = {sum, sum};
	}
};

#endif
