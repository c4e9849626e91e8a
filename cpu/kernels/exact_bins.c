#include "config.h"
#include "cpu/kernels/exact_bins.h"

#include "engine/elementary.h"

#define LEAST_Q (-1022) /* its unit is 2^-1074 */
#define GREATEST_Q 1022 /* 1.5 * 2^q and twice that are finite */

/* 1.5 * 2^q, of a normal number. */
static double middle(int q)
{
	return elementary_from_bits((uint64_t)(q + 1023) << 52 | (uint64_t)1 << 51);
}

void exact_bins_open_at(struct exact_bins *bins, int count, const int *q)
{
	bins->count = count;
	for (int k = 0; k < count; k++) {
		bins->q[k] = q[k];
		bins->first[k] = vector_set_f64(middle(q[k]));
		for (int u = 0; u < EXACT_BINS_VECTORS; u++)
			bins->bin[k][u] = bins->first[k];
	}
}

bool exact_bins_open(struct exact_bins *bins, int count, int top)
{
	int q[EXACT_BINS_MAX];

	q[0] = top + EXACT_BINS_ROOM;
	/* Bins for nothing below 2^-1074 may as well be higher. */
	if (q[0] < LEAST_Q + (count - 1) * EXACT_BINS_STEP)
		q[0] = LEAST_Q + (count - 1) * EXACT_BINS_STEP;
	if (q[0] > GREATEST_Q)
		return false;
	for (int k = 1; k < count; k++)
		q[k] = q[k - 1] - EXACT_BINS_STEP;
	exact_bins_open_at(bins, count, q);
	return true;
}

/* What is in a bin, which is left empty, in its units: below 2^51 in each of at
 * most 64 lanes. */
static int64_t take(struct exact_bins *bins, int k)
{
	vi64 units = {0};
	int64_t total = 0;

	for (int u = 0; u < EXACT_BINS_VECTORS; u++) {
		units += (vi64)bins->bin[k][u] - (vi64)bins->first[k];
		bins->bin[k][u] = bins->first[k];
	}
	for (unsigned i = 0; i < VECTOR_F64; i++)
		total += units[i];
	return total;
}

void exact_bins_empty(struct exact_bins *bins, struct exactsum *sum)
{
	for (int k = 0; k < bins->count; k++)
		exactsum_add_integer(sum, take(bins, k), bins->q[k] - 52);
}
