/* scan_ordered.c - scans of floats whose bits depend on the order: sum, product
 * and log-sum-exp. */
#include "config.h"

#include <string.h>
#include "cpu/scan_store.h"
#include "cpu/scan_ways.h"
#include "engine/accum.h"
#include "engine/elementary.h"
#include "engine/order.h"

#define MINUS_INFINITY (-0x1p+1023 * 2.0)

static inline double scan_sum_identity(void)
{
	return -0.0;
}

static inline double scan_sum_of(double x)
{
	return x;
}

static inline double scan_sum_join(double left, double right)
{
	return left + right;
}

static inline double scan_sum_finish(double value)
{
	return value;
}

static const double scan_sum_nothing = 0.0;

#define VALUE double
#define NAME(n) scan_sum_##n
#include "cpu/scan_ordered_body.h"
#undef NAME

static inline double scan_prod_identity(void)
{
	return 1.0;
}

static inline double scan_prod_of(double x)
{
	return x;
}

static inline double scan_prod_join(double left, double right)
{
	return left * right;
}

static inline double scan_prod_finish(double value)
{
	return value;
}

static const double scan_prod_nothing = 1.0;

#define NAME(n) scan_prod_##n
#include "cpu/scan_ordered_body.h"
#undef NAME
#undef VALUE

/* As in accum_logsum.c, with the sum NaN where the maximum is. */
static inline struct logsum scan_logsum_identity(void)
{
	return (struct logsum){MINUS_INFINITY, 0.0};
}

static inline struct logsum scan_logsum_of(double x)
{
	return (struct logsum){x, x == MINUS_INFINITY ? 0.0 : 1.0};
}

static inline struct logsum scan_logsum_join(struct logsum left, struct logsum right)
{
	if (left.max != left.max)
		return left;
	if (right.max != right.max)
		return right;
	if (left.max == right.max)
		return (struct logsum){left.max, left.sum + right.sum};
	if (right.max < left.max)
		return (struct logsum){left.max,
				       left.sum + right.sum * elementary_exp(right.max - left.max)};
	return (struct logsum){right.max,
			       left.sum * elementary_exp(left.max - right.max) + right.sum};
}

static inline double scan_logsum_finish(struct logsum value)
{
	return value.max + elementary_log(value.sum);
}

static const double scan_logsum_nothing = MINUS_INFINITY;

#define VALUE struct logsum
#define NAME(n) scan_logsum_##n
#include "cpu/scan_ordered_body.h"
#undef NAME
#undef VALUE
