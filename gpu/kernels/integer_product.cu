/* integer_product.cu - products of integers (engine/intprod.h): exact up to
 * 1,088 bits, modulo 2^64 always.
 *
 * A product's words lie in local memory, but few of the elements touch them: a
 * magnitude of 1 changes nothing, and after at most 1,088 others the product is
 * too large to be kept. */
#include "gpu/kernels/free_fold.cuh"
#include "gpu/kernels/integer_terms.cuh"

struct product_ending {
	using value = struct intprod;
	static constexpr bool atomic = false;

	static __device__ value identity()
	{
		value v = {};

		v.word[0] = 1;
		v.used = 1;
		v.low = 1;
		return v;
	}
	static __device__ void multiply_word(value *a, uint64_t factor)
	{
		uint64_t carry = 0;

		if (a->huge)
			return;
		for (uint32_t i = 0; i < a->used; i++) {
			const unsigned __int128 product =
				(unsigned __int128)a->word[i] * factor + carry;

			a->word[i] = (uint64_t)product;
			carry = (uint64_t)(product >> 64);
		}
		if (carry == 0)
			return;
		if (a->used == INTPROD_WORDS)
			a->huge = true;
		else
			a->word[a->used++] = carry;
	}
	static __device__ __noinline__ void multiply_words(value *a, const value &b)
	{
		uint64_t product[2 * INTPROD_WORDS] = {};
		uint32_t used = a->used + b.used;

		for (uint32_t i = 0; i < a->used; i++) {
			uint64_t carry = 0;

			for (uint32_t j = 0; j < b.used; j++) {
				const unsigned __int128 sum =
					(unsigned __int128)a->word[i] * b.word[j] + product[i + j] +
					carry;

				product[i + j] = (uint64_t)sum;
				carry = (uint64_t)(sum >> 64);
			}
			product[i + b.used] = carry;
		}
		while (used > 1 && product[used - 1] == 0)
			used--;
		a->huge = used > INTPROD_WORDS;
		if (a->huge)
			return;
		for (uint32_t i = 0; i < used; i++)
			a->word[i] = product[i];
		a->used = used;
	}
	static __device__ void merge(value *a, const value &b)
	{
		a->low *= b.low;
		a->negative = a->negative != b.negative;
		a->zero = a->zero || b.zero;
		a->huge = a->huge || b.huge;
		if (a->huge)
			return;
		if (b.used == 1)
			multiply_word(a, b.word[0]);
		else
			multiply_words(a, b);
	}
	__device__ void finish(const value &v, void *values, uint64_t line) const
	{
		((struct intprod *)values)[line] = v;
	}
};

template <class R> struct product_policy {
	using raw = R;
	struct state {
		struct intprod product;
		uint64_t pending; /* a factor not yet in the product's words */
	};
	using ending = product_ending;
	static constexpr bool pair = false, absolute = false;
	const R *x, *y;
	integer_kind<R> kind;
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		s->product = ending::identity();
		s->pending = 1;
	}
	__device__ __forceinline__ void light(state *s, R a) const
	{
		const uint64_t wide = kind.widen(a);

		s->product.low *= wide;
		if (wide == 0)
			s->product.zero = true;
		else
			s->product.negative =
				s->product.negative != (kind.is_signed && (int64_t)wide < 0);
	}
	__device__ __noinline__ void element(state *s, R a, R, uint64_t) const
	{
		const uint64_t factor = kind.magnitude(a);

		light(s, a);
		if (factor < 2)
			return;
		if (__umul64hi(s->pending, factor) == 0) {
			s->pending *= factor;
		} else {
			ending::multiply_word(&s->product, s->pending);
			s->pending = factor;
		}
	}
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&)[N],
						uint64_t, uint64_t) const
	{
		constexpr unsigned PER = sizeof(uint4) / sizeof(R);
		uint4 copy[N];

		if (s->product.huge) { /* no more words */
#pragma unroll
			for (unsigned e = 0; e < N * PER; e++)
				light(s, part_of<R>(a[e / PER], e % PER));
			return;
		}
#pragma unroll
		for (unsigned n = 0; n < N; n++)
			copy[n] = a[n];
#pragma unroll 1
		for (unsigned e = 0; e < N * PER; e++)
			element(s, ((const R *)copy)[e], 0, 0);
	}
	__device__ __forceinline__ void settle(state *, uint64_t, unsigned, unsigned) const
	{
	}
	__device__ __forceinline__ struct intprod close(const state &s) const
	{
		struct intprod product = s.product;

		ending::multiply_word(&product, s.pending);
		return product;
	}
};

cudaError_t integer_product(const struct free_job *job)
{
	const struct elements *in = job->elements;

	if (is_float_type(in->dtype))
		return cudaErrorInvalidValue;
	return with_storage(in->dtype, [&](auto storage) {
		using R = decltype(storage);
		product_policy<R> p;

		p.x = p.y = (const R *)in->x;
		p.kind = integer_kind_of<R>(in->dtype, false);
		return free_fold(job, p);
	});
}
