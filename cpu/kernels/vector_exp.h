/* vector_exp.h - elementary_exp() (engine/elementary.h) of several numbers: the
 * same operations in the same order, hence the same bits, where it has no
 * branch to take. */
#ifndef CPU_KERNELS_VECTOR_EXP_H
#define CPU_KERNELS_VECTOR_EXP_H

#include "cpu/kernels/vector.h"

/* From here to 709 the result is normal, and vector_exp() has its bits. */
#define VECTOR_EXP_LEAST -708.0
/* Below, elementary_exp() is 0. */
#define VECTOR_EXP_ZERO -746.0

VECTOR_INLINE vf64 vector_exp(vf64 x)
{
	const double to_integer = 0x1.8p+52; /* adding it rounds to an integer */
	vf64 shifted = x * 0x1.71547652b82fep+0 + to_integer;
	vf64 kd = shifted - to_integer;
	/* The reduced argument in two doubles: Knuth's sum. */
	vf64 a = x - kd * 0x1.62e42fefa3800p-1, b = 0.0 - kd * 0x1.ef35793c76730p-45;
	vf64 hi = a + b, from_b = hi - a;
	vf64 lo = (a - (hi - from_b)) + (b - from_b);
	vf64 p, s_hi, s_lo, t_hi, t_lo;
	vu64 scale;

	p = hi * 0x1.93974a8c07c9dp-37 + 0x1.6124613a86d09p-33;
	p = 0x1.1eed8eff8d898p-29 + hi * p;
	p = 0x1.ae64567f544e4p-26 + hi * p;
	p = 0x1.27e4fb7789f5cp-22 + hi * p;
	p = 0x1.71de3a556c734p-19 + hi * p;
	p = 0x1.a01a01a01a01ap-16 + hi * p;
	p = 0x1.a01a01a01a01ap-13 + hi * p;
	p = 0x1.6c16c16c16c17p-10 + hi * p;
	p = 0x1.1111111111111p-7 + hi * p;
	p = 0x1.5555555555555p-5 + hi * p;
	p = 0x1.5555555555555p-3 + hi * p;
	p = (hi * hi) * (0.5 + hi * p) + (lo + lo * hi);
	s_hi = hi + p;
	s_lo = p - (s_hi - hi);
	t_hi = 1.0 + s_hi;
	t_lo = s_hi - (t_hi - 1.0);
	t_lo = t_lo + s_lo;
	/* The integer is in the low bits of `shifted`; 2^integer. */
	scale = ((vu64)shifted + 1023) << 52;
	return (t_hi + t_lo) * (vf64)scale;
}

#endif
