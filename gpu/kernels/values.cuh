/* values.cuh - the ordered accumulators of docs/orders.md, one struct each, for
 * the device and for the host: ordered<ACCUM_...>.
 *
 *   value               what engine/accum.h says a value is
 *   identity()          x . identity and identity . x are x, bit for bit
 *   term(x, y, p)       what one element contributes; y: dot, p: power
 *   combine(a, b)       a . b, a from the earlier elements
 *   add<NARROW>(v,...)  v . term. NARROW: x and y came from float32 or less, so
 *                       that their product is exact in binary64
 *   run, begin(), step(), end()   a run of the strided order (rules 3.1, 4.5, 4.8)
 *
 * An element that is omitted is left out by the caller: that is the same as
 * combining the identity. term() is no part of a tile of moments or of logsum
 * (rules 4.3, 4.6); tiles of those are made by their kernels. */
#ifndef GPU_KERNELS_VALUES_CUH
#define GPU_KERNELS_VALUES_CUH

#include <cmath>
#include "engine/accum.h"
#include "engine/elementary.h"

#define VALUES static __host__ __device__ __forceinline__

namespace values
{

VALUES double infinity()
{
	return elementary_from_bits(0x7ff0000000000000u);
}

VALUES double quiet_nan()
{
	return elementary_from_bits(0x7ff8000000000000u);
}

VALUES bool is_nan(double x)
{
	return x != x;
}

VALUES bool is_infinite(double x)
{
	return fabs(x) == infinity();
}

VALUES bool is_finite(double x)
{
	return fabs(x) < infinity();
}

/* m2 from the sum and the sum of squares of n deviations from any one number
 * (rules 4.3 and 4.5). */
VALUES double centred(double sum, double squares, double n)
{
	double m2 = squares - sum * (sum / n);

	if (is_infinite(squares) && is_finite(sum))
		return squares;
	return m2 < 0.0 ? 0.0 : m2;
}

/* lane + x * y where the product is exact, so that a fused operation has the
 * bits of the two. */
VALUES double add_exact_product(double lane, double x, double y)
{
#ifdef __CUDA_ARCH__
	return __fma_rn(x, y, lane);
#else
	return lane + x * y;
#endif
}

/* Sums and products of one number a term; SELF is the accumulator's struct. */
template <class SELF> struct plain {
	using value = double;
	using run = double;

	template <bool NARROW> VALUES void add(double &v, double x, double y, double p)
	{
		v = SELF::combine(v, SELF::term(x, y, p));
	}
	VALUES run begin()
	{
		return SELF::identity();
	}
	VALUES void step(run &r, double x, double y, double p)
	{
		r = SELF::combine(r, SELF::term(x, y, p));
	}
	VALUES double end(const run &r)
	{
		return r;
	}
};

template <class SELF> struct plain_sum : plain<SELF> {
	VALUES double identity()
	{
		return -0.0;
	}
	VALUES double combine(double a, double b)
	{
		return a + b;
	}
};

} /* namespace values */

template <enum accum A> struct ordered;

template <> struct ordered<ACCUM_SUM> : values::plain_sum<ordered<ACCUM_SUM>> {
	VALUES double term(double x, double, double)
	{
		return x;
	}
};

template <> struct ordered<ACCUM_ABS> : values::plain_sum<ordered<ACCUM_ABS>> {
	VALUES double term(double x, double, double)
	{
		return fabs(x);
	}
};

template <> struct ordered<ACCUM_SQUARE> : values::plain_sum<ordered<ACCUM_SQUARE>> {
	VALUES double term(double x, double, double)
	{
		return x * x;
	}
	template <bool NARROW> VALUES void add(double &v, double x, double, double)
	{
		v = NARROW ? values::add_exact_product(v, x, x) : v + x * x;
	}
};

template <> struct ordered<ACCUM_DOT> : values::plain_sum<ordered<ACCUM_DOT>> {
	VALUES double term(double x, double y, double)
	{
		return x * y;
	}
	template <bool NARROW> VALUES void add(double &v, double x, double y, double)
	{
		v = NARROW ? values::add_exact_product(v, x, y) : v + x * y;
	}
};

template <> struct ordered<ACCUM_POWER> : values::plain_sum<ordered<ACCUM_POWER>> {
	VALUES double term(double x, double, double p)
	{
		return elementary_pow(fabs(x), p);
	}
};

template <> struct ordered<ACCUM_PROD> : values::plain<ordered<ACCUM_PROD>> {
	VALUES double identity()
	{
		return 1.0;
	}
	VALUES double term(double x, double, double)
	{
		return x;
	}
	VALUES double combine(double a, double b)
	{
		return a * b;
	}
};

template <> struct ordered<ACCUM_SCALED> {
	using value = struct scaled_squares;
	using run = value;

	VALUES value identity()
	{
		return {-0.0, -0.0, -0.0};
	}
	VALUES value term(double x, double, double)
	{
		double m = fabs(x);

		if (m > 0x1p486)
			return {(x * 0x1p-538) * (x * 0x1p-538), -0.0, -0.0};
		if (m > 0.0 && m < 0x1p-511)
			return {-0.0, -0.0, (x * 0x1p537) * (x * 0x1p537)};
		return {-0.0, x * x, -0.0};
	}
	VALUES value combine(const value &a, const value &b)
	{
		return {a.big + b.big, a.mid + b.mid, a.small + b.small};
	}
	template <bool NARROW> VALUES void add(value &v, double x, double, double)
	{
		double m = fabs(x);

		/* Nothing of float32 or less is big; what is small is 0. */
		if (NARROW && !values::is_infinite(x)) {
			v.mid = values::add_exact_product(v.mid, x, x);
		} else if (m > 0x1p486) {
			v.big = v.big + (x * 0x1p-538) * (x * 0x1p-538);
		} else if (m > 0.0 && m < 0x1p-511) {
			v.small = v.small + (x * 0x1p537) * (x * 0x1p537);
		} else {
			v.mid = v.mid + x * x;
		}
	}
	VALUES run begin()
	{
		return identity();
	}
	VALUES void step(run &r, double x, double y, double p)
	{
		add<false>(r, x, y, p);
	}
	VALUES value end(const run &r)
	{
		return r;
	}
};

template <> struct ordered<ACCUM_MOMENTS> {
	using value = struct moments;
	struct run {
		double count, first, sum, squares;
	};

	VALUES value identity()
	{
		return {0.0, 0.0, 0.0};
	}
	/* Chan's formula (rule 4.4). */
	VALUES value combine(const value &a, const value &b)
	{
		if (b.count == 0.0)
			return a;
		if (a.count == 0.0)
			return b;

		double n = a.count + b.count, delta = b.mean - a.mean, weight = b.count / n;

		return {n, a.mean + delta * weight,
			(a.m2 + b.m2) + (delta * delta) * (a.count * weight)};
	}
	VALUES run begin()
	{
		return {0.0, 0.0, -0.0, -0.0};
	}
	VALUES void step(run &r, double x, double, double)
	{
		if (r.count == 0.0)
			r.first = x;

		double d = x - r.first;

		r.count = r.count + 1.0;
		r.sum = r.sum + d;
		r.squares = r.squares + d * d;
	}
	VALUES value end(const run &r)
	{
		if (r.count == 0.0)
			return identity();
		return {r.count, r.first + r.sum / r.count,
			values::centred(r.sum, r.squares, r.count)};
	}
};

template <> struct ordered<ACCUM_LOGSUM> {
	using value = struct logsum;
	using run = value;

	VALUES value identity()
	{
		return {-values::infinity(), 0.0};
	}
	/* In runs and scans (rule 4.8). */
	VALUES value term(double x, double, double)
	{
		return x == -values::infinity() ? identity() : value{x, 1.0};
	}
	VALUES value combine(const value &a, const value &b)
	{
		if (values::is_nan(a.max))
			return a;
		if (values::is_nan(b.max))
			return b;
		if (a.max == b.max)
			return {a.max, a.sum + b.sum};

		/* One exp for both cases: lanes of a warp take either. */
		bool left = b.max < a.max;
		double e = elementary_exp(left ? b.max - a.max : a.max - b.max);

		return left ? value{a.max, a.sum + b.sum * e} : value{b.max, a.sum * e + b.sum};
	}
	VALUES run begin()
	{
		return identity();
	}
	VALUES void step(run &r, double x, double y, double p)
	{
		r = combine(r, term(x, y, p));
	}
	VALUES value end(const run &r)
	{
		return r;
	}
};

#undef VALUES

#endif
