#include "config.h"
#include "cpu/kernels/exact_products.h"

#include <string.h>
#include "cpu/kernels/exact_flags.h"
#include "cpu/kernels/exact_two.h"
#include "cpu/kernels/exact_wide.h"
#include "engine/elementary.h"
#include "engine/order.h"

/* Tiles until the bins are tried again: the first time, and at most. Chosen. */
#define FIRST_HOLD 4u
#define LONGEST_HOLD 64u

/* Fewer elements cost less one by one (measured). */
#define FEW 16u

static void begin(struct exact_products *products)
{
	products->parted = false;
	products->hold = products->patience = 0;
	products->bins.high.count = products->bins.low.count = 0;
	exactsum_init(&products->sum);
}

void exact_products_init(struct exact_products *products)
{
	products->trust = exact_flags_work();
	exact_sum_init(&products->high);
	exact_sum_init(&products->low);
	begin(products);
}

/* Whether to try the bins. */
static bool is_tried(struct exact_products *products)
{
	if (products->hold == 0)
		return true;
	products->hold--;
	return false;
}

static void note_failure(struct exact_products *products)
{
	if (products->patience < LONGEST_HOLD)
		products->patience = products->patience == 0 ? FIRST_HOLD : 2 * products->patience;
	products->hold = products->patience;
}

/* A zero sum's sign depends on whether there is any term but -0. Whether one
 * product is such a term, were there no NaN: that decides before any sign. */
static bool other_than_minus_zero(double x, double y)
{
	return (x != 0 && y != 0) || (elementary_bits(x) ^ elementary_bits(y)) >> 63 == 0;
}

static void note_terms(struct exactsum *sum, bool other)
{
	sum->other |= other;
	sum->neg_zero |= !other;
}

/* The two parts of each product. False: some factor is out of range. *any: some
 * product left something over. */
static bool multiply(const double *x, const double *y, uint64_t count, double *high, double *low,
		     bool *any)
{
	vu64 outside = {0}, rest = {0};
	uint64_t all_outside = 0, all_rest = 0, i = 0;

	do { /* there is one element at least */
		vf64 a = {0}, b = {0}, h, l;

		if (count - i >= VECTOR_F64) {
			a = vector_load_f64(x + i);
			b = vector_load_f64(y + i);
		} else {
			memcpy(&a, x + i, (size_t)(count - i) * sizeof(double));
			memcpy(&b, y + i, (size_t)(count - i) * sizeof(double));
		}
		outside |= (vu64)(exact_two_outside(a, EXACT_TWO_GREATEST) |
				  exact_two_outside(b, EXACT_TWO_GREATEST));
		h = a * b;
		l = exact_two_rest(a, b, h);
		rest |= (vu64)l << 1;
		memcpy(high + i, &h, sizeof(h));
		memcpy(low + i, &l, sizeof(l));
		i += VECTOR_F64;
	} while (i < count);
	for (unsigned n = 0; n < VECTOR_F64; n++) {
		all_outside |= outside[n];
		all_rest |= rest[n];
	}
	*any = all_rest != 0;
	return all_outside >> 63 == 0;
}

/* To sums of the parts, of exponents as they come. */
static void add_parts(struct exact_products *products, const double *x, const double *y,
		      uint64_t count)
{
	double high[ORDER_TILE + VECTOR_F64], low[ORDER_TILE + VECTOR_F64];
	bool any;

	if (!multiply(x, y, count, high, low, &any)) {
		exact_wide_add(&products->sum, x, y, count);
		return;
	}
	products->parted = true;
	exact_sum_add_f64(&products->high, high, count, false);
	if (any)
		exact_sum_add_f64(&products->low, low, count, false);
}

/* To the bins, if they are tried and take them. y: NULL where right is x. */
static bool add_to_bins(struct exact_products *products, const void *x, const void *y,
			const void *right, uint64_t count, bool single)
{
	bool other = products->sum.other, added;

	if (!is_tried(products))
		return false;
	if (single)
		added = exact_product_ways_f32(&products->bins, x, y, count, products->trust,
					       &products->sum);
	else
		added = exact_product_ways_f64(&products->bins, x, y, count, products->trust,
					       &products->sum);
	if (!added) {
		note_failure(products);
		return false;
	}
	for (uint64_t i = 0; i < count && !other; i++)
		other = single ? other_than_minus_zero(((const float *)x)[i],
						       ((const float *)right)[i])
			       : other_than_minus_zero(((const double *)x)[i],
						       ((const double *)right)[i]);
	note_terms(&products->sum, other);
	return true;
}

static void add_f64(struct exact_products *products, const double *x, const double *y,
		    uint64_t count)
{
	const double *right = y != NULL ? y : x;

	if (count < FEW)
		for (uint64_t i = 0; i < count; i++)
			exactsum_add_product(&products->sum, x[i], right[i]);
	else if (!add_to_bins(products, x, y, right, count, false))
		add_parts(products, x, right, count);
}

static void add_f32(struct exact_products *products, const float *x, const float *y, uint64_t count)
{
	const float *right = y != NULL ? y : x;
	double term[ORDER_TILE];

	if (count < FEW) {
		for (uint64_t i = 0; i < count; i++)
			exactsum_add(&products->sum, (double)x[i] * (double)right[i]);
		return;
	}
	if (add_to_bins(products, x, y, right, count, true))
		return;
	for (uint64_t i = 0; i < count; i++)
		term[i] = (double)x[i] * (double)right[i];
	products->parted = true;
	exact_sum_add_f64(&products->high, term, count, false);
}

/* Products and what they leave over depend on the mode as sums do. */
void exact_products_add_f64(struct exact_products *products, const double *x, const double *y,
			    uint64_t count)
{
	unsigned before = exact_flags_begin();

	add_f64(products, x, y, count);
	exact_flags_end(before);
}

void exact_products_add_f32(struct exact_products *products, const float *x, const float *y,
			    uint64_t count)
{
	unsigned before = exact_flags_begin();

	add_f32(products, x, y, count);
	exact_flags_end(before);
}

void exact_products_end(struct exact_products *products, struct exactsum *sum)
{
	struct exactsum rest;

	exact_bins_empty(&products->bins.high, &products->sum);
	exact_bins_empty(&products->bins.low, &products->sum);
	exactsum_merge(sum, &products->sum);
	if (products->parted) {
		exact_sum_end(&products->high, sum);
		/* Zeros that were left over are no terms. */
		exactsum_init(&rest);
		exact_sum_end(&products->low, &rest);
		rest.other = rest.neg_zero = false;
		exactsum_merge(sum, &rest);
	}
	begin(products);
}
