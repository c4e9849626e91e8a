/* integer_terms.cuh - sums of integers: what is added, by the size of elements.
 *
 * A kernel is made for each size; sign and bool are known at run time. Elements of
 * 1 and 2 bytes are added packed. Terms of up to 32 bits have totals of 64, since a
 * thread sees fewer than 2^31 elements; other terms of 64 bits have totals of 128, and
 * products of 8-byte elements of 192. */
#ifndef GPU_KERNELS_INTEGER_TERMS_CUH
#define GPU_KERNELS_INTEGER_TERMS_CUH

#include <type_traits>
#include "gpu/kernels/free_fold.cuh"

constexpr uint32_t BYTE_ONES = 0x01010101u;
constexpr uint32_t BYTE_SIGNS = 0x80808080u;

enum integer_term { TERM_PLAIN, TERM_SQUARE, TERM_PRODUCT };

/* Word i of a vector; i is a constant where it is unrolled. */
__device__ __forceinline__ uint32_t word_of(const uint4 &v, unsigned i)
{
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* How stored integers of type R are to be read. */
template <class R> struct integer_kind {
	static constexpr unsigned BITS = 8 * sizeof(R);
	bool is_signed, is_bool, absolute;

	/* As 64 bits, two's complement if is_signed. */
	__device__ __forceinline__ uint64_t widen(R x) const
	{
		if constexpr (sizeof(R) == 1)
			if (is_bool)
				return x != 0;
		if constexpr (sizeof(R) == 8)
			return x;
		const uint64_t sign = is_signed ? (uint64_t)1 << (BITS - 1) : 0;

		return ((uint64_t)x ^ sign) - sign;
	}
	__device__ __forceinline__ uint64_t magnitude(R x) const
	{
		const uint64_t wide = widen(x);

		return is_signed && (int64_t)wide < 0 ? 0 - wide : wide;
	}
	/* Four bytes at once: bools as 0 or 1. */
	__device__ __forceinline__ uint32_t bytes(uint32_t x) const
	{
		return is_bool ? ((((x & ~BYTE_SIGNS) + ~BYTE_SIGNS) | x) & BYTE_SIGNS) >> 7 : x;
	}
	__device__ __forceinline__ bool signed_terms() const
	{
		return is_signed && !absolute;
	}
};

/* |x| of four bytes, of two halves. */
__device__ __forceinline__ uint32_t byte_magnitudes(uint32_t x)
{
	const uint32_t negative = (x & BYTE_SIGNS) >> 7;

	return (x ^ negative * 0xffu) + negative;
}

__device__ __forceinline__ uint32_t half_magnitudes(uint32_t x)
{
	const uint32_t negative = (x & 0x80008000u) >> 15;

	return (x ^ negative * 0xffffu) + negative;
}

/* A running total of terms of one kind. */
template <class R, integer_term TERM> struct integer_total {
	static constexpr bool WIDE = sizeof(R) == 8 && TERM != TERM_PLAIN;
	static constexpr unsigned PER = sizeof(uint4) / sizeof(R);
	using kind = integer_kind<R>;

	static constexpr bool SMALL = sizeof(R) < 4 || (sizeof(R) == 4 && TERM == TERM_PLAIN);
	typename std::conditional<SMALL, int64_t, __int128>::type total;
	struct int192 wide; /* instead, if WIDE */

	__device__ __forceinline__ void begin()
	{
		total = 0;
		wide = {{0, 0, 0}};
	}

	__device__ __forceinline__ void add(const kind &k, R x, R y)
	{
		if constexpr (TERM == TERM_PLAIN) {
			const uint64_t term = k.absolute ? k.magnitude(x) : k.widen(x);

			if constexpr (SMALL)
				total += (int64_t)term;
			else
				total +=
					k.signed_terms() ? (__int128)(int64_t)term : (__int128)term;
		} else if constexpr (WIDE) {
			add_wide(k, x, TERM == TERM_SQUARE ? x : y);
		} else if constexpr (TERM == TERM_SQUARE) {
			const uint64_t m = k.magnitude(x);

			if constexpr (SMALL)
				total += (int64_t)(m * m);
			else
				total += m * m;
		} else {
			const uint64_t term = k.widen(x) * k.widen(y);

			if constexpr (SMALL)
				total += (int64_t)term;
			else
				total += k.is_signed ? (__int128)(int64_t)term : (__int128)term;
		}
	}

	/* N times 16 bytes of elements. */
	template <unsigned N>
	__device__ __forceinline__ void add_vectors(const kind &k, const uint4 (&x)[N],
						    const uint4 (&y)[N])
	{
		if constexpr (sizeof(R) == 1) {
			total += sum_of_bytes(k, x, y);
		} else if constexpr (sizeof(R) == 2) {
			total += sum_of_halves(k, x, y);
		} else if constexpr (sizeof(R) == 4 && TERM == TERM_PLAIN) {
			int64_t sum = 0;

#pragma unroll
			for (unsigned e = 0; e < N * PER; e++) {
				const R a = part_of<R>(x[e / PER], e % PER);

				sum += (int64_t)(k.absolute ? k.magnitude(a) : k.widen(a));
			}
			total += sum;
		} else {
#pragma unroll
			for (unsigned e = 0; e < N * PER; e++)
				add(k, part_of<R>(x[e / PER], e % PER),
				    part_of<R>(y[e / PER], e % PER));
		}
	}

	__device__ __forceinline__ struct int192 close() const
	{
		struct int192 out = wide;

		if constexpr (!WIDE)
			wide_add_signed(&out, total);
		return out;
	}

      private:
	__device__ __forceinline__ void add_wide(const kind &k, R x, R y)
	{
		if (k.is_signed) {
			wide_add_signed(&wide, (__int128)(int64_t)x * (int64_t)y);
		} else {
			const unsigned __int128 term = (unsigned __int128)x * y;

			wide_add(&wide, (uint64_t)term, (uint64_t)(term >> 64), 0);
		}
	}

	/* At most 64 products of 255 and 255. */
	template <unsigned N>
	static __device__ __forceinline__ int64_t sum_of_bytes(const kind &k, const uint4 (&x)[N],
							       const uint4 (&y)[N])
	{
		if (k.is_signed && !(TERM == TERM_PLAIN && k.absolute)) {
			int sum = 0;

#pragma unroll
			for (unsigned i = 0; i < 4 * N; i++) {
				const int a = (int)word_of(x[i / 4], i % 4);
				const int b = TERM == TERM_PLAIN    ? (int)BYTE_ONES
					      : TERM == TERM_SQUARE ? a
								    : (int)word_of(y[i / 4], i % 4);

				sum = __dp4a(a, b, sum);
			}
			return sum;
		}

		unsigned sum = 0;

#pragma unroll
		for (unsigned i = 0; i < 4 * N; i++) {
			uint32_t a = k.bytes(word_of(x[i / 4], i % 4));
			uint32_t b = BYTE_ONES;

			if (TERM == TERM_SQUARE)
				b = a;
			else if (TERM == TERM_PRODUCT)
				b = k.bytes(word_of(y[i / 4], i % 4));
			else if (k.is_signed)
				a = byte_magnitudes(a);
			sum = __dp4a(a, b, sum);
		}
		return sum;
	}

	template <unsigned N>
	static __device__ __forceinline__ int64_t sum_of_halves(const kind &k, const uint4 (&x)[N],
								const uint4 (&y)[N])
	{
		int64_t sum = 0;

		if constexpr (TERM == TERM_PLAIN) {
			int narrow = 0;
			unsigned positive = 0;

			if (k.signed_terms()) {
#pragma unroll
				for (unsigned i = 0; i < 4 * N; i++)
					narrow = __dp2a_lo((int)word_of(x[i / 4], i % 4),
							   (int)BYTE_ONES, narrow);
				return narrow;
			}
#pragma unroll
			for (unsigned i = 0; i < 4 * N; i++) {
				const uint32_t word = word_of(x[i / 4], i % 4);

				positive = __dp2a_lo(k.is_signed ? half_magnitudes(word) : word,
						     BYTE_ONES, positive);
			}
			return positive;
		}
		if (k.is_signed) {
#pragma unroll
			for (unsigned e = 0; e < N * PER; e++) {
				const int a = (int16_t)part_of<R>(x[e / PER], e % PER);
				const int b = TERM == TERM_SQUARE
						      ? a
						      : (int16_t)part_of<R>(y[e / PER], e % PER);

				sum += (int64_t)a * b;
			}
		} else {
#pragma unroll
			for (unsigned e = 0; e < N * PER; e++) {
				const unsigned a = part_of<R>(x[e / PER], e % PER);
				const unsigned b =
					TERM == TERM_SQUARE ? a : part_of<R>(y[e / PER], e % PER);

				sum += (int64_t)((uint64_t)a * b);
			}
		}
		return sum;
	}
};

/* One kind of sum. */
template <class R, integer_term TERM> struct integer_policy {
	using raw = R;
	using state = integer_total<R, TERM>;
	using ending = int192_ending;
	static constexpr bool pair = TERM == TERM_PRODUCT, absolute = false;
	const R *x, *y;
	integer_kind<R> kind;
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		s->begin();
	}
	__device__ __forceinline__ void element(state *s, R a, R b, uint64_t) const
	{
		s->add(kind, a, b);
	}
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&b)[N],
						uint64_t, uint64_t) const
	{
		s->add_vectors(kind, a, b);
	}
	__device__ __forceinline__ void settle(state *, uint64_t, unsigned, unsigned) const
	{
	}
	__device__ __forceinline__ struct int192 close(const state &s) const
	{
		return s.close();
	}
};

template <class R> integer_kind<R> integer_kind_of(enum dtype dtype, bool absolute)
{
	return {is_signed_type(dtype), dtype == DTYPE_BOOL, absolute};
}

template <integer_term TERM> cudaError_t integer_fold(const struct free_job *job, bool absolute)
{
	const struct elements *in = job->elements;

	if (is_float_type(in->dtype))
		return cudaErrorInvalidValue;
	return with_storage(in->dtype, [&](auto storage) {
		using R = decltype(storage);
		integer_policy<R, TERM> p;

		p.x = (const R *)in->x;
		p.y = (const R *)in->y;
		p.kind = integer_kind_of<R>(in->dtype, absolute);
		return free_fold(job, p);
	});
}

#endif
