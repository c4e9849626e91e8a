/* scan_values.cuh - what scans fold, one struct each:
 *
 *   value, wide           what is folded; what an element is seen as
 *   identity(), of(x), combine(a, b)   as docs/orders.md, section 6, has them
 *   omitted()             in the place of an element that is left out
 *   store(...)            a prefix to its place in the result
 *   NOTHING               whether "no element came" must be told apart */
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
