/* integer_moments.cu - sums and sums of squares of integers, in one reading. */
#include "gpu/kernels/integer_terms.cuh"

template <class R> struct integer_moments_policy {
	struct state {
		integer_total<R, TERM_PLAIN> sum;
		integer_total<R, TERM_SQUARE> squares;
	};
	using raw = R;
	using ending = int_moments_ending;
	static constexpr bool pair = false, absolute = false;
	const R *x, *y;
	integer_kind<R> kind;
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		s->sum.begin();
		s->squares.begin();
	}
	__device__ __forceinline__ void element(state *s, R a, R, uint64_t) const
	{
		s->sum.add(kind, a, a);
		s->squares.add(kind, a, a);
	}
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&)[N],
						uint64_t, uint64_t) const
	{
		s->sum.add_vectors(kind, a, a);
		s->squares.add_vectors(kind, a, a);
	}
	__device__ __forceinline__ void settle(state *, uint64_t, unsigned, unsigned) const
	{
	}
	__device__ __forceinline__ struct int_moments close(const state &s) const
	{
		return {s.sum.close(), s.squares.close()};
	}
};

cudaError_t integer_moments(const struct free_job *job)
{
	const struct elements *in = job->elements;

	if (is_float_type(in->dtype))
		return cudaErrorInvalidValue;
	return with_storage(in->dtype, [&](auto storage) {
		using R = decltype(storage);
		integer_moments_policy<R> p;

		p.x = p.y = (const R *)in->x;
		p.kind = integer_kind_of<R>(in->dtype, false);
		return free_fold(job, p);
	});
}
