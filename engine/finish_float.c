#include "config.h"

#include <math.h>
#include "engine/elementary.h"
#include "engine/finish_parts.h"

/* Everything here is binary64 arithmetic, one operation at a time, as written
 * in docs/orders.md. Every backend ends its values here. */

/* Blue's and Anderson's combination (E. Anderson, Algorithm 978, TOMS 44, 2017;
 * as LAPACK 3.10's dnrm2), with s = 2^-538 for big and t = 2^537 for small:
 *   big not 0:           sqrt(big + (mid*s)*s) / s; small is too small to count
 *   small > 0, mid not 0: a = sqrt(mid), b = sqrt(small)/t, sorted to lo <= hi:
 *                        sqrt(hi^2 * (1 + (lo/hi)^2))
 *   small > 0:           sqrt(small) / t
 *   else:                sqrt(mid) */
static double scaled_norm(const struct scaled_squares *sums)
{
	double big = sums->big, mid = sums->mid, small = sums->small;
	double lo, hi, ratio;

	if (big != 0)
		return sqrt(big + mid * 0x1p-538 * 0x1p-538) * 0x1p538;
	if (!(small > 0))
		return sqrt(mid);
	if (mid == 0)
		return sqrt(small) * 0x1p-537;

	lo = sqrt(mid);
	hi = sqrt(small) * 0x1p-537;
	if (!(hi > lo)) { /* also when mid is NaN: hi becomes NaN */
		ratio = lo;
		lo = hi;
		hi = ratio;
	}
	ratio = lo / hi;
	return sqrt(hi * hi * (1 + ratio * ratio));
}

static double log_sum(const struct logsum *value)
{
	if (isnan(value->max) || isnan(value->sum))
		return NAN;
	if (isinf(value->max)) /* exp(-inf) of nothing but -inf; or +inf */
		return value->max;
	return value->max + elementary_log(value->sum);
}

static double power_root(double sum, double p)
{
	if (sum == 0 || isinf(sum))
		return sum;
	return elementary_pow(sum, 1 / p);
}

static double variance(const struct moments *value, uint64_t count, uint64_t ddof)
{
	return value->m2 / (double)(count - ddof);
}

enum status finish_float(const struct finish_args *args, const void *value, uint64_t count,
			 double *out, struct error *err)
{
	enum op op = args->spec->op;

	if (args->accum == ACCUM_SUM && op == OP_SUM)
		*out = *(const double *)value;
	else if (args->accum == ACCUM_SUM && op == OP_MEAN)
		*out = *(const double *)value / (double)count;
	else if (args->accum == ACCUM_ABS && op == OP_L1)
		*out = *(const double *)value;
	else if (args->accum == ACCUM_SQUARE && op == OP_SUMSQ)
		*out = *(const double *)value;
	else if (args->accum == ACCUM_SQUARE && op == OP_L2)
		*out = sqrt(*(const double *)value);
	else if (args->accum == ACCUM_DOT && op == OP_DOT)
		*out = *(const double *)value;
	else if (args->accum == ACCUM_PROD && op == OP_PROD)
		*out = *(const double *)value;
	else if (args->accum == ACCUM_SCALED && op == OP_L2)
		*out = scaled_norm(value);
	else if (args->accum == ACCUM_MOMENTS && op == OP_VAR)
		*out = variance(value, count, args->ddof);
	else if (args->accum == ACCUM_MOMENTS && op == OP_STD)
		*out = sqrt(variance(value, count, args->ddof));
	else if (args->accum == ACCUM_POWER && op == OP_LP)
		*out = power_root(*(const double *)value, args->spec->p);
	else if (args->accum == ACCUM_LOGSUM && op == OP_LOGSUMEXP)
		*out = log_sum(value);
	else
		return finish_mismatch(args, err);
	return STATUS_OK;
}
