/* scan_values.cuh - what scans fold, one struct each:
 *
 *   value, wide           what is folded; what an element is seen as
 *   identity(), of(x), combine(a, b)   as docs/orders.md, section 6, has them
 *   omitted()             in the place of an element that is left out
 *   store(...)            a prefix to its place in the result
 *
 * In the ring (scan_ring.cuh), of 8 bytes:
 *   finish(v)             the prefix as a double
 *   nothing()             the exclusive prefix of the first element
 *   publish(v), published(bits)   as bits that are not all ones, and back */
#ifndef GPU_KERNELS_SCAN_VALUES_CUH
#define GPU_KERNELS_SCAN_VALUES_CUH

#include "gpu/kernels/launch.h"
#include "gpu/kernels/load.cuh"
#include "gpu/kernels/scan_store.cuh"
#include "gpu/kernels/values.cuh"

#define SCAN_VALUES static __device__ __forceinline__

/* Ordered accumulators of floats; no element at all: NOTHING_BITS. */
template <enum accum A> struct scan_ordered {
	using value = typename ordered<A>::value;
	using wide = double;

	SCAN_VALUES value identity()
	{
		return ordered<A>::identity();
	}
	SCAN_VALUES value of(double x)
	{
		return ordered<A>::term(x, x, 0.0);
	}
	SCAN_VALUES value combine(const value &a, const value &b)
	{
		return ordered<A>::combine(a, b);
	}
	SCAN_VALUES double nothing()
	{
		return A == ACCUM_SUM ? 0.0 : identity();
	}
	SCAN_VALUES unsigned long long publish(double v)
	{
		return (unsigned long long)__double_as_longlong(v != v ? values::quiet_nan() : v);
	}
	SCAN_VALUES double published(unsigned long long bits)
	{
		return __longlong_as_double((long long)bits);
	}
	SCAN_VALUES double finish(double v)
	{
		return v;
	}
	SCAN_VALUES double finish(const struct logsum &v)
	{
		return v.max + elementary_log(v.sum);
	}
	SCAN_VALUES void store(const value &v, bool nothing, const struct scan_output &out,
			       uint64_t i)
	{
		/* A sum of nothing is +0, whatever its identity. */
		scan_store_float(nothing && A == ACCUM_SUM ? 0.0 : finish(v), out, i);
	}
};

/* Sums where elements are left out: whether any came is not in the sum. */
struct scan_omitting_sum {
	struct value {
		double sum;
		uint64_t any;
	};
	using wide = double;

	SCAN_VALUES value identity()
	{
		return {-0.0, 0};
	}
	SCAN_VALUES value of(double x)
	{
		return {x, 1};
	}
	SCAN_VALUES value combine(const value &a, const value &b)
	{
		return {a.sum + b.sum, a.any | b.any};
	}
	SCAN_VALUES void store(const value &v, bool, const struct scan_output &out, uint64_t i)
	{
		scan_store_float(v.any ? v.sum : 0.0, out, i);
	}
};

/* Minima and maxima of floats: NaN stays, -0 < +0. */
template <bool MAX> struct scan_float_extreme {
	using value = double;
	using wide = double;

	SCAN_VALUES double identity()
	{
		return MAX ? -values::infinity() : values::infinity();
	}
	SCAN_VALUES double of(double x)
	{
		return x;
	}
	SCAN_VALUES double combine(double a, double b)
	{
		if (values::is_nan(a) || values::is_nan(b))
			return values::quiet_nan();
		if (a == b) /* zeros of two signs: the bit decides */
			return MAX == (__double_as_longlong(a) < 0) ? b : a;
		return MAX == (a > b) ? a : b;
	}
	SCAN_VALUES void store(double v, bool, const struct scan_output &out, uint64_t i)
	{
		scan_store_float(v, out, i);
	}
};

/* The same for the ring, as integers of the same order: a comparison costs less. NaN is
 * the end of the integers' range; what lies between it and infinity is no number. */
template <bool MAX> struct scan_ring_extreme {
	using value = long long;
	using wide = double;

	static constexpr long long LEAST = -0x7fffffffffffffff - 1;
	static constexpr long long NAN_KEY = MAX ? ~LEAST : LEAST;
	static constexpr long long NO_KEY = 0x7ff0000000000001;

	/* Its own inverse on the integers: of negative numbers all bits but the sign's. */
	SCAN_VALUES long long turned(long long bits)
	{
		return bits ^ (bits >> 63 & 0x7fffffffffffffff);
	}
	SCAN_VALUES value identity()
	{
		return of(MAX ? -values::infinity() : values::infinity());
	}
	SCAN_VALUES value of(double x)
	{
		return x != x ? NAN_KEY : turned(__double_as_longlong(x));
	}
	SCAN_VALUES value combine(value a, value b)
	{
		return MAX == (a > b) ? a : b;
	}
	SCAN_VALUES double finish(value v)
	{
		return v == NAN_KEY ? values::quiet_nan() : __longlong_as_double(turned(v));
	}
	SCAN_VALUES double nothing()
	{
		return finish(identity());
	}
	SCAN_VALUES unsigned long long publish(value v)
	{
		return ~(unsigned long long)(v ^ NO_KEY);
	}
	SCAN_VALUES value published(unsigned long long bits)
	{
		return (long long)~bits ^ NO_KEY;
	}
};

/* Sums of integers: an array has fewer than 2^63 bytes, so they stay below 2^124. */
template <class W> struct scan_integer_sum {
	using value = __int128;
	using wide = W;

	SCAN_VALUES value identity()
	{
		return 0;
	}
	SCAN_VALUES value of(W x)
	{
		return x;
	}
	SCAN_VALUES value combine(value a, value b)
	{
		return a + b;
	}
	SCAN_VALUES void store(value v, bool, const struct scan_output &out, uint64_t i)
	{
		scan_store_integer(v, out, i);
	}
};

template <class W, bool MAX> struct scan_integer_extreme {
	using value = W;
	using wide = W;

	SCAN_VALUES W identity()
	{
		constexpr bool SIGNED = (W)-1 < (W)0;
		constexpr W LEAST = SIGNED ? (W)((uint64_t)1 << 63) : (W)0;

		return MAX ? LEAST : (W)~LEAST;
	}
	SCAN_VALUES W of(W x)
	{
		return x;
	}
	SCAN_VALUES W combine(W a, W b)
	{
		return MAX == (a > b) ? a : b;
	}
	/* Before the first: the end of the result type's range. */
	SCAN_VALUES void store(W v, bool nothing, const struct scan_output &out, uint64_t i)
	{
		scan_store_integer(!nothing ? (__int128)v : MAX ? out.least : out.greatest, out, i);
	}
};

#undef SCAN_VALUES

#endif
