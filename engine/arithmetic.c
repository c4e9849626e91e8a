#include "config.h"

#include "engine/arithmetic.h"

#include <fenv.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>

/* Intel SDM volume 1, 10.2.3: all exceptions masked, round to nearest, flush
 * to zero (bit 15) and denormals are zero (bit 6) off; the reset value. */
#define MXCSR_DEFAULT 0x1f80u
#endif

void arithmetic_init_thread(void)
{
	/* x87's and glibc's own idea of the mode, then the vector unit's. */
	(void)fesetround(FE_TONEAREST);
#if defined(__x86_64__) || defined(__SSE2__)
	_mm_setcsr(MXCSR_DEFAULT);
#elif defined(__aarch64__)
	/* FPCR: round to nearest, FZ, FZ16, DN and trap enables all 0. */
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
#endif
}

/* A loop with more iterations than a vector has lanes: with reassociation
 * allowed the compiler sums it in lanes, and small terms survive. */
static double sum_in_sequence(const double *x, int count)
{
	double sum = 0.0;
	int i;

	for (i = 0; i < count; i++)
		sum += x[i];
	return sum;
}

static bool nothing_is_contracted(void)
{
	/* (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60: the last term is lost in a
	 * rounded product and kept in a fused one. */
	volatile double a = 1.0 + 0x1p-30, c = -(1.0 + 0x1p-29);
	volatile float af = 1.0f + 0x1p-14f, cf = -(1.0f + 0x1p-13f);
	double x = a, z = c;
	float xf = af, zf = cf;
	volatile double r = x * x + z;
	volatile float rf = xf * xf + zf;

	return r == 0.0 && rf == 0.0f;
}

static bool nothing_is_reassociated(void)
{
	volatile double big = 0x1p53, one = 1.0, three = 3.0;
	double x[64];
	double b = big, o = one, t = three;
	volatile double r = (b + o) - b;     /* 2^53 + 1 rounds to even */
	volatile double quotient = t / 10.0; /* 3 times fl(1/10) is 1 ulp more */
	int i;

	x[0] = b;
	for (i = 1; i < 64; i++)
		x[i] = o;
	/* In sequence each 1 is lost; in lanes of two or more most are not. */
	return r == 0.0 && quotient == 0.3 && sum_in_sequence(x, 64) == b;
}

static bool subnormals_are_kept(void)
{
	volatile double smallest_normal = DBL_MIN, subnormal = 0x1p-1074, half = 0.5;
	volatile float smallest_normal_f = FLT_MIN, subnormal_f = 0x1p-149f, half_f = 0.5f;
	volatile double out = smallest_normal * half, in = subnormal * 0x1p1000;
	volatile float out_f = smallest_normal_f * half_f, in_f = subnormal_f * 0x1p100f;

	return out == 0x1p-1023 && in == 0x1p-74 && out_f == 0x1p-127f && in_f == 0x1p-49f;
}

static bool nothing_is_wider(void)
{
	/* In a register wider than its type the first product would be finite. */
	volatile double big = DBL_MAX, two = 2.0, half = 0.5;
	volatile float big_f = FLT_MAX, two_f = 2.0f, half_f = 0.5f;
	double x = big, y = two, z = half;
	float xf = big_f, yf = two_f, zf = half_f;
	volatile double r = x * y * z;
	volatile float rf = xf * yf * zf;

	return r > DBL_MAX && rf > FLT_MAX;
}

static bool rounds_to_nearest_even(void)
{
	volatile double one = 1.0, ulp = 0x1p-52, half_ulp = 0x1p-53, odd = 1.0 + 0x1p-52;
	double o = one, h = half_ulp;

	return o + h == 1.0 && -o - h == -1.0 && odd + h == 1.0 + 2.0 * ulp &&
	       o + h * 1.5 == 1.0 + ulp;
}

static bool specials_are_kept(void)
{
	/* What -ffinite-math-only and -fno-signed-zeros would fold away; the
	 * bits are compared since comparisons may be folded too. */
	volatile double negative_zero = -0.0, big = DBL_MAX;
	double infinity = big + big, nan = infinity - infinity;
	volatile double sum = negative_zero + negative_zero, sum_zero = negative_zero + 0.0;
	volatile double nan_stored = nan, infinity_stored = infinity;
	double values[4];
	uint64_t bits[4];

	values[0] = sum;
	values[1] = sum_zero;
	values[2] = nan_stored;
	values[3] = infinity_stored;
	memcpy(bits, values, sizeof(bits));
	return bits[0] == UINT64_C(0x8000000000000000) && bits[1] == 0 &&
	       (bits[2] & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000) &&
	       bits[3] == UINT64_C(0x7ff0000000000000) && !(nan == nan);
}

bool arithmetic_is_ieee(void)
{
	return sizeof(double) == 8 && sizeof(float) == 4 && nothing_is_contracted() &&
	       nothing_is_reassociated() && subnormals_are_kept() && nothing_is_wider() &&
	       rounds_to_nearest_even() && specials_are_kept();
}
