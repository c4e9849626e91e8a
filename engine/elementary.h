/* elementary.h - exp, log and pow of binary64, with the same bits wherever they
 * are computed: gcc, clang and nvcc compile this one file for the CPU and the
 * GPU. Only + - * / of binary64 and integer operations, one at a time; no fma,
 * no table, no libm. The file is the definition: changing a constant or the
 * order of two operations changes results that were promised.
 *
 * Special cases are those of C17 annex F, but no flag and no errno is set.
 * Errors (docs/orders.md): exp and pow below 0.7 ulp, log below 0.51, subnormal
 * results included. */
#ifndef ENGINE_ELEMENTARY_H
#define ENGINE_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ELEMENTARY static __host__ __device__ inline
#else
#define ELEMENTARY static inline
#endif

/* An unevaluated sum; |lo| is at most half an ulp of hi. */
struct elementary_pair {
	double hi, lo;
};

ELEMENTARY uint64_t elementary_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

ELEMENTARY double elementary_from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* 2^e, -1022 <= e <= 1023 */
ELEMENTARY double elementary_two_to(int64_t e)
{
	return elementary_from_bits((uint64_t)(e + 1023) << 52);
}

/* |x| */
ELEMENTARY double elementary_abs(double x)
{
	return elementary_from_bits(elementary_bits(x) & 0x7fffffffffffffffu);
}

/* a + b without error; the exponent of b is not above that of a, or a is 0
 * (Dekker, Numer. Math. 18, 1971). */
ELEMENTARY struct elementary_pair elementary_fast_sum(double a, double b)
{
	struct elementary_pair s;

	s.hi = a + b;
	s.lo = b - (s.hi - a);
	return s;
}

/* a + b without error (Knuth, TAOCP 2, 4.2.2). */
ELEMENTARY struct elementary_pair elementary_sum(double a, double b)
{
	struct elementary_pair s;
	double from_b;

	s.hi = a + b;
	from_b = s.hi - a;
	s.lo = (a - (s.hi - from_b)) + (b - from_b);
	return s;
}

/* a * b without error, for magnitudes between 2^-200 and 2^200 or 0 (Dekker's
 * product with Veltkamp's split, factor 2^27 + 1). */
ELEMENTARY struct elementary_pair elementary_product(double a, double b)
{
	struct elementary_pair p;
	double a_split = a * 0x1.0000002p+27, b_split = b * 0x1.0000002p+27;
	double a_hi = a_split - (a_split - a), b_hi = b_split - (b_split - b);
	double a_lo = a - a_hi, b_lo = b - b_hi;

	p.hi = a * b;
	p.lo = ((a_hi * b_hi - p.hi) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
	return p;
}

/* exp(hi + lo) for |hi| <= 1000: k = round(x / ln 2), r = x - k ln 2 as a pair,
 * the Taylor polynomial of degree 14 in r (|r| < 0.3467: its error is below
 * 2^-60), then times 2^k with one rounding. */
ELEMENTARY double elementary_exp_pair(double hi, double lo)
{
	const double to_integer = 0x1.8p+52; /* adding it rounds to an integer */
	double kd = (hi * 0x1.71547652b82fep+0 + to_integer) - to_integer;
	int64_t k = (int64_t)kd;
	/* ln 2 in two parts; the first has 42 bits, so that its product with
	 * k is exact. */
	struct elementary_pair r =
		elementary_sum(hi - kd * 0x1.62e42fefa3800p-1, lo - kd * 0x1.ef35793c76730p-45);
	struct elementary_pair s, t;
	double p, x, scale;

	x = r.hi;
	p = 0x1.93974a8c07c9dp-37; /* 1/14!, 1/13!, ... 1/3! */
	p = 0x1.6124613a86d09p-33 + x * p;
	p = 0x1.1eed8eff8d898p-29 + x * p;
	p = 0x1.ae64567f544e4p-26 + x * p;
	p = 0x1.27e4fb7789f5cp-22 + x * p;
	p = 0x1.71de3a556c734p-19 + x * p;
	p = 0x1.a01a01a01a01ap-16 + x * p;
	p = 0x1.a01a01a01a01ap-13 + x * p;
	p = 0x1.6c16c16c16c17p-10 + x * p;
	p = 0x1.1111111111111p-7 + x * p;
	p = 0x1.5555555555555p-5 + x * p;
	p = 0x1.5555555555555p-3 + x * p;
	p = (x * x) * (0.5 + x * p) + (r.lo + r.lo * x);
	s = elementary_fast_sum(x, p);
	t = elementary_fast_sum(1.0, s.hi);
	t.lo += s.lo;

	if (k > -1022 || (k == -1022 && t.hi >= 1.0)) {
		/* 2^1024 is no number: in two steps. */
		scale = elementary_two_to(k > 1023 ? 1023 : k);
		return (t.hi + t.lo) * scale * (k > 1023 ? 2.0 : 1.0);
	}
	/* Subnormal or next to it: in units of 2^-1022, adding 1 rounds at the
	 * place where the result's last bit will be. */
	if (k < -1080)
		return 0.0;
	scale = elementary_two_to(k + 1022);
	s = elementary_fast_sum(1.0, t.hi * scale);
	return ((s.hi + (s.lo + t.lo * scale)) - 1.0) * 0x1p-1022;
}

ELEMENTARY double elementary_exp(double x)
{
	if (x != x)
		return x;
	if (x > 710.0)
		return elementary_from_bits(0x7ff0000000000000u);
	if (x < -746.0)
		return 0.0;
	return elementary_exp_pair(x, 0.0);
}

/* log of a positive finite x: x = 2^k m with m next to 1, s = (m - 1)/(m + 1),
 * log m = 2 s (1 + z/3 + z^2/5 + ...) with z = s^2 < 0.0295, up to z^13/27.
 * Relative error below 2^-69. */
ELEMENTARY struct elementary_pair elementary_log_pair(double x)
{
	const double third = 0x1.5555555555555p-2, third_lo = 0x1.5555555555555p-56;
	const double fifth = 0x1.999999999999ap-3, fifth_lo = -0x1.999999999999ap-57;
	struct elementary_pair g, q, s, z, a, b, sum;
	uint64_t bits;
	int64_t k = 0, shift;
	double m, f, p, kd;

	if (x < 0x1p-1022) {
		x *= 0x1p+54;
		k = -54;
	}
	bits = elementary_bits(x);
	/* m from sqrt(1/2) (0x3fe6a09e667f3bcd) to sqrt(2) */
	shift = (int64_t)(bits - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u) / 0x10000000000000 -
		1023;
	k += shift;
	m = elementary_from_bits(bits - ((uint64_t)shift << 52));

	f = m - 1.0;
	g = elementary_fast_sum(1.0, m);
	s.hi = f / g.hi;
	q = elementary_product(s.hi, g.hi);
	s.lo = (((f - q.hi) - q.lo) - s.hi * g.lo) / g.hi;
	z = elementary_product(s.hi, s.hi);
	z = elementary_fast_sum(z.hi, z.lo + 2.0 * (s.hi * s.lo));

	p = 0x1.2f684bda12f68p-5; /* 1/27, 1/25, ... 1/7 */
	p = 0x1.47ae147ae147bp-5 + z.hi * p;
	p = 0x1.642c8590b2164p-5 + z.hi * p;
	p = 0x1.8618618618618p-5 + z.hi * p;
	p = 0x1.af286bca1af28p-5 + z.hi * p;
	p = 0x1.e1e1e1e1e1e1ep-5 + z.hi * p;
	p = 0x1.1111111111111p-4 + z.hi * p;
	p = 0x1.3b13b13b13b14p-4 + z.hi * p;
	p = 0x1.745d1745d1746p-4 + z.hi * p;
	p = 0x1.c71c71c71c71cp-4 + z.hi * p;
	p = 0x1.2492492492492p-3 + z.hi * p;
	/* a = 1/5 + z p, b = z (1/3 + z a) */
	a = elementary_fast_sum(fifth, z.hi * p);
	a.lo += fifth_lo;
	b = elementary_product(z.hi, a.hi);
	b.lo += z.hi * a.lo + z.lo * a.hi;
	a = elementary_fast_sum(third, b.hi);
	a.lo += third_lo + b.lo;
	b = elementary_product(z.hi, a.hi);
	b.lo += z.hi * a.lo + z.lo * a.hi;
	/* 2 s + 2 s b */
	a = elementary_product(s.hi, b.hi);
	a.lo += s.hi * b.lo + s.lo * b.hi;
	sum = elementary_fast_sum(s.hi, a.hi);
	sum.lo += s.lo + a.lo;
	sum.hi *= 2.0;
	sum.lo *= 2.0;

	kd = (double)k;
	a = elementary_sum(kd * 0x1.62e42fefa3800p-1, sum.hi);
	a.lo += kd * 0x1.ef35793c76730p-45 + sum.lo;
	return elementary_fast_sum(a.hi, a.lo);
}

ELEMENTARY double elementary_log(double x)
{
	if (x != x || x > 0x1.fffffffffffffp+1023)
		return x;
	if (x == 0.0)
		return elementary_from_bits(0xfff0000000000000u);
	if (x < 0.0)
		return elementary_from_bits(0x7ff8000000000000u);
	return elementary_log_pair(x).hi;
}

/* 0: no integer, 1: odd, 2: even */
ELEMENTARY int elementary_parity(double y)
{
	double magnitude = elementary_abs(y);

	if (magnitude >= 0x1p+53)
		return 2;
	if ((double)(int64_t)magnitude != magnitude)
		return 0;
	return (int64_t)magnitude & 1 ? 1 : 2;
}

ELEMENTARY double elementary_pow(double x, double y)
{
	const double inf = elementary_from_bits(0x7ff0000000000000u);
	double magnitude = elementary_abs(x), y_magnitude = elementary_abs(y);
	double sign = 1.0;
	struct elementary_pair log, p;

	if (y == 0.0 || x == 1.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (elementary_bits(x) >> 63) {
		int parity = elementary_parity(y);

		if (parity == 1)
			sign = -1.0;
		else if (parity == 0 && magnitude != 0.0 && magnitude != inf)
			return elementary_from_bits(0x7ff8000000000000u);
	}
	if (magnitude == 1.0)
		return sign;
	if (y_magnitude == inf)
		return (magnitude > 1.0) == (y > 0.0) ? inf : 0.0;
	if (magnitude == 0.0 || magnitude == inf)
		return sign * ((magnitude == inf) == (y > 0.0) ? inf : 0.0);
	/* |log x| lies between 2^-53 and 2^10. */
	if (y_magnitude > 0x1p+64)
		return sign * ((magnitude > 1.0) == (y > 0.0) ? inf : 0.0);
	if (y_magnitude < 0x1p-64)
		return sign;

	log = elementary_log_pair(magnitude);
	p = elementary_product(y, log.hi);
	p = elementary_fast_sum(p.hi, p.lo + y * log.lo);
	if (p.hi > 710.0)
		return sign * inf;
	if (p.hi < -746.0)
		return sign * 0.0;
	return sign * elementary_exp_pair(p.hi, p.lo);
}

#endif
