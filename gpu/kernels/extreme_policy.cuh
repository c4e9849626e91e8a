/* extreme_policy.cuh - extremes as keys: unsigned numbers, the greatest of which
 * is the extreme. IEEE 754-2019 minimum and maximum: NaN wins, -0 < +0.
 *
 * The key of an element has its own size (at least 32 bits in a register): the
 * bits of integers, and of floats made monotonic, inverted for a minimum. NaN is
 * the greatest key; that of an omitted one is 0, which no other float has. */
#ifndef GPU_KERNELS_EXTREME_POLICY_CUH
#define GPU_KERNELS_EXTREME_POLICY_CUH

#include <type_traits>
#include "gpu/kernels/free_fold.cuh"
#include "gpu/kernels/free_map.cuh"
#include "gpu/kernels/load.cuh"

/* How elements of one type become keys, and a key an element again. */
struct key_rule {
	enum dtype dtype;
	bool magnitude;      /* of |x| */
	bool omit;           /* NaN */
	uint64_t sign, mask; /* the sign bit; all bits of the type */
	uint64_t infinity;
	uint64_t flip, flip_negative; /* exclusive or: of all; also of negative floats */
};

struct candidate {
	uint64_t key;
	uint64_t index; /* NO_INDEX: none */
};

struct extreme_ending {
	using value = struct candidate;
	static constexpr bool atomic = false;
	struct key_rule rule;

	static __device__ __forceinline__ value identity()
	{
		return {0, NO_INDEX};
	}
	static __device__ __forceinline__ void merge(value *a, const value &b)
	{
		if (b.key > a->key || (b.key == a->key && b.index < a->index))
			*a = b;
	}
	__device__ void finish(const value &v, void *values, uint64_t line) const
	{
		struct extreme out;

		memset(&out, 0, sizeof(out));
		if (v.index != NO_INDEX) {
			out.index = v.index;
			out.any = true;
			if (is_float())
				put_float(&out, v.key);
			else
				put_integer(&out, v.key);
		}
		((struct extreme *)values)[line] = out;
	}

      private:
	__device__ bool is_float() const
	{
		return rule.dtype >= DTYPE_FLOAT16;
	}
	__device__ void put_integer(struct extreme *out, uint64_t key) const
	{
		const uint64_t bits = key ^ rule.flip;
		const bool is_signed = rule.dtype >= DTYPE_INT8 && rule.dtype <= DTYPE_INT64;

		/* A magnitude has no sign, and a bool no more than one bit. */
		out->value.u = is_signed && !rule.magnitude ? (bits ^ rule.sign) - rule.sign : bits;
	}
	__device__ void put_float(struct extreme *out, uint64_t key) const
	{
		uint64_t bits = key ^ rule.flip;

		if (key == rule.mask) {
			out->nan = true;
			out->value.u = 0x7ff8000000000000u;
			return;
		}
		if ((bits & rule.sign) != 0)
			bits ^= rule.flip_negative;
		switch (rule.dtype) {
		case DTYPE_FLOAT16:
			out->value.f = stored<DTYPE_FLOAT16>::widen((uint16_t)bits);
			break;
		case DTYPE_BFLOAT16:
			out->value.f = stored<DTYPE_BFLOAT16>::widen((uint16_t)bits);
			break;
		case DTYPE_FLOAT32:
			out->value.f = __uint_as_float((uint32_t)bits);
			break;
		default:
			out->value.u = bits;
		}
	}
};

/* MAPPED: an array reduced whole, whose stored order is not C order. */
template <class R, bool FLOAT, bool MAPPED> struct extreme_policy {
	using key = typename std::conditional<sizeof(R) == 8, uint64_t, uint32_t>::type;
	struct state {
		key best;
		uint64_t at; /* position * 4 + what is there; NO_INDEX: nothing yet */
	};
	enum { AT_ELEMENT, AT_VECTOR, AT_VECTORS }; /* among one, PER, several times PER */
	using raw = R;
	using ending = extreme_ending;
	static constexpr bool pair = false, absolute = false;
	static constexpr unsigned BITS = 8 * sizeof(R);
	static constexpr unsigned PER = sizeof(uint4) / sizeof(R);
	const R *x, *y;
	key flip, flip_negative, keep, infinity, omitted;
	bool is_bool, magnitude; /* of integers */
	typename std::conditional<MAPPED, struct c_order, struct no_order>::type order;
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		s->best = 0;
		s->at = NO_INDEX;
	}

	__device__ __forceinline__ key key_of(R a) const
	{
		using S = typename std::make_signed<R>::type;

		if constexpr (FLOAT) {
			const key bits = a & keep;
			const key negative = (key)((S)bits >> (BITS - 1));
			const key k = bits ^ flip ^ (negative & flip_negative);

			return ((key)a & ((key)-1 >> (8 * sizeof(key) - BITS + 1))) > infinity
				       ? omitted
				       : k;
		} else {
			if (magnitude) {
				const R sign = (R)((S)a >> (BITS - 1));

				a = (R)((a ^ sign) - sign);
			}
			if constexpr (sizeof(R) == 1)
				if (is_bool)
					a = a != 0;
			return a ^ flip;
		}
	}

	/* positions ascend: of equals the first stays. */
	__device__ __forceinline__ void keep_better(state *s, key k, uint64_t at) const
	{
		const bool news = k > s->best || (!FLOAT && s->at == NO_INDEX);

		s->best = news ? k : s->best;
		s->at = news ? at : s->at;
	}

	/* In C order positions do not ascend. */
	__device__ __forceinline__ void offer_mapped(state *s, key k, uint64_t position) const
	{
		const uint64_t at = order.index(position) << 2 | AT_ELEMENT;

		if (k > s->best || at < s->at) {
			s->best = k;
			s->at = at;
		}
	}

	__device__ __forceinline__ void element(state *s, R a, R, uint64_t position) const
	{
		const key k = key_of(a);

		if constexpr (!MAPPED)
			keep_better(s, k, position << 2 | AT_ELEMENT);
		else if (k >= s->best && !(FLOAT && k == 0))
			offer_mapped(s, k, position);
	}

	/* Where the greatest key stands is seen to at the end: most are no news to the
	 * other threads. */
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&)[N],
						uint64_t position, uint64_t step) const
	{
		const key greatest = greatest_of(a);

		if constexpr (!MAPPED)
			keep_better(s, greatest, position << 2 | (N == 1 ? AT_VECTOR : AT_VECTORS));
		else if (greatest >= s->best && !(FLOAT && greatest == 0))
			mapped_vectors(s, a, greatest, position, step);
	}

	__device__ __forceinline__ void settle(state *s, uint64_t offset, unsigned threads,
					       unsigned lanes) const
	{
		if constexpr (MAPPED)
			return; /* places are known */

		key greatest = s->best;

		for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
			const key other = __shfl_xor_sync(0xffffffffu, greatest, distance);

			greatest = other > greatest ? other : greatest;
		}
		if (s->best != greatest || s->at == NO_INDEX || (s->at & 3) == AT_ELEMENT)
			return;

		const unsigned count = (s->at & 3) == AT_VECTOR ? 1 : SPAN_VECTORS;
		const uint64_t first = s->at >> 2;

		for (unsigned n = 0; n < count; n++) {
			const uint64_t position = first + (uint64_t)n * threads * PER;
			const uint4 a = __ldg((const uint4 *)(x + position + offset));
			unsigned place = PER;

#pragma unroll
			for (unsigned j = PER; j-- > 0;)
				if (key_of(part_of<R>(a, j)) == greatest)
					place = j;
			if (place < PER) {
				s->at = (position + place) << 2 | AT_ELEMENT;
				return;
			}
		}
	}

	__device__ __forceinline__ struct candidate close(const state &s) const
	{
		/* Not settled: another lane's is greater. */
		return s.at == NO_INDEX || (s.at & 3) != AT_ELEMENT ? ending::identity()
								    : candidate{s.best, s.at >> 2};
	}

      private:
	template <unsigned N> __device__ __forceinline__ key greatest_of(const uint4 (&a)[N]) const
	{
		key greatest = 0;

		if constexpr (sizeof(R) < 4)
			if (greatest_packed(a, &greatest))
				return greatest;
#pragma unroll
		for (unsigned e = 0; e < N * PER; e++) {
			const key k = key_of(part_of<R>(a[e / PER], e % PER));

			greatest = k > greatest ? k : greatest;
		}
		return greatest;
	}

	/* All bits of a half are its sign. */
	static __device__ __forceinline__ uint32_t half_signs(uint32_t word)
	{
		uint32_t out;

		asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(out) : "r"(word));
		return out;
	}

	/* Two keys of 16 bits in a word. False: there is a NaN. */
	template <unsigned N>
	__device__ __forceinline__ bool greatest_packed(const uint4 (&a)[N], key *out) const
	{
		constexpr uint32_t TWICE = 0x00010001u, SIGNS = 0x80008000u;
		uint32_t greatest = 0, magnitude_seen = 0;

#pragma unroll
		for (unsigned i = 0; i < 4 * N; i++) {
			const uint4 &v = a[i / 4];
			const uint32_t word = i % 4 == 0   ? v.x
					      : i % 4 == 1 ? v.y
					      : i % 4 == 2 ? v.z
							   : v.w;

			if constexpr (FLOAT) {
				const uint32_t bits = word & (keep * TWICE);
				const uint32_t negative = half_signs(bits);
				const uint32_t k =
					bits ^ flip * TWICE ^ (negative & (flip_negative * TWICE));

				greatest = __vmaxu2(greatest, k);
				magnitude_seen = __vmaxu2(magnitude_seen, word & ~SIGNS);
			} else if constexpr (sizeof(R) == 2) {
				uint32_t bits = word;

				if (magnitude) {
					const uint32_t negative = half_signs(bits);

					bits = (bits ^ negative) + (negative & TWICE);
				}
				greatest = __vmaxu2(greatest, bits ^ flip * TWICE);
			} else {
				const uint32_t bits = bytes_of(word) ^ flip * 0x01010101u;

				greatest = __vmaxu2(greatest, bits & 0x00ff00ffu);
				greatest = __vmaxu2(greatest, bits >> 8 & 0x00ff00ffu);
			}
		}
		if (FLOAT &&
		    ((magnitude_seen & 0xffff) > infinity || magnitude_seen >> 16 > infinity))
			return false;
		*out = greatest >> 16 > (greatest & 0xffff) ? greatest >> 16 : greatest & 0xffff;
		return true;
	}

	/* Four bytes: magnitudes, or bools as 0 and 1. */
	__device__ __forceinline__ uint32_t bytes_of(uint32_t word) const
	{
		constexpr uint32_t SIGNS = 0x80808080u;

		if (magnitude) {
			const uint32_t negative = (word & SIGNS) >> 7;

			return (word ^ negative * 0xffu) + negative;
		}
		if (is_bool)
			return ((((word & ~SIGNS) + ~SIGNS) | word) & SIGNS) >> 7;
		return word;
	}

	template <unsigned N>
	__device__ __forceinline__ void mapped_vectors(state *s, const uint4 (&a)[N], key greatest,
						       uint64_t position, uint64_t step) const
	{
		uint64_t places = 0; /* at most 64 elements, a bit each */

#pragma unroll
		for (unsigned e = 0; e < N * PER; e++)
			if (key_of(part_of<R>(a[e / PER], e % PER)) == greatest)
				places |= (uint64_t)1 << e;
		for (; places != 0; places &= places - 1) {
			const unsigned e = (unsigned)__ffsll((long long)places) - 1;

			offer_mapped(s, greatest, position + e / PER * step + e % PER);
		}
	}
};

#endif
