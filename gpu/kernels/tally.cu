/* tally.cu - how many elements are not zero. NaN is not zero, unless it takes no
 * part; -0 is. Of bools that is their sum, too, and the sum of their squares. */
#include <type_traits>
#include "gpu/kernels/free_fold.cuh"

template <class R> struct tally_policy {
	using key = typename std::conditional<sizeof(R) == 8, uint64_t, uint32_t>::type;
	using raw = R;
	using state = uint64_t;
	using ending = count_ending;
	static constexpr bool pair = false, absolute = false;
	const R *x, *y;
	key keep;  /* all bits but a float's sign */
	key limit; /* the greatest that counts: infinity if NaN takes no part */
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		*s = 0;
	}
	/* 0 becomes the greatest number. */
	__device__ __forceinline__ bool counts(R a) const
	{
		return ((key)a & keep) - 1 < limit;
	}
	__device__ __forceinline__ void element(state *s, R a, R, uint64_t) const
	{
		*s += counts(a);
	}
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&)[N],
						uint64_t, uint64_t) const
	{
		constexpr unsigned PER = sizeof(uint4) / sizeof(R);
		unsigned count = 0;

#pragma unroll
		for (unsigned n = 0; n < N; n++) {
			if constexpr (sizeof(R) == 1) {
				count = add_bytes(count, a[n].x);
				count = add_bytes(count, a[n].y);
				count = add_bytes(count, a[n].z);
				count = add_bytes(count, a[n].w);
			} else {
#pragma unroll
				for (unsigned j = 0; j < PER; j++)
					count += counts(part_of<R>(a[n], j));
			}
		}
		*s += count;
	}
	__device__ __forceinline__ void settle(state *, uint64_t, unsigned, unsigned) const
	{
	}
	__device__ __forceinline__ uint64_t close(const state &s) const
	{
		return s;
	}

      private:
	/* The top bit of each byte says whether any bit is set. */
	static __device__ __forceinline__ unsigned add_bytes(unsigned count, uint32_t four)
	{
		const uint32_t low = 0x7f7f7f7fu;
		const uint32_t set = (((four & low) + low) | four) & ~low;

		return __dp4a(set >> 7, 0x01010101u, count);
	}
};

cudaError_t tally_nonzero(const struct free_job *job, enum accum accum)
{
	const struct elements *in = job->elements;
	const bool is_float = is_float_type(in->dtype);

	return with_storage(in->dtype, [&](auto storage) {
		using R = decltype(storage);
		using key = typename tally_policy<R>::key;
		tally_policy<R> p;

		p.x = p.y = (const R *)in->x;
		p.keep = is_float ? (R) ~(R)0 >> 1 : (R) ~(R)0;
		p.limit = is_float && in->omit ? (key)infinity_bits(in->dtype) : ~(key)0;
		p.end.form = accum == ACCUM_TALLY         ? COUNT_TALLY
			     : accum == ACCUM_INT_MOMENTS ? COUNT_MOMENTS
							  : COUNT_SUM;
		return free_fold(job, p);
	});
}
