/* bench_data.h - arrays to measure with, whose sums are known. */
#ifndef CLIENTS_BENCH_DATA_H
#define CLIENTS_BENCH_DATA_H

#include <stdint.h>
#include "engine/dtype.h"
#include "engine/source.h"

/* Element i is k * 2^-10 with k an integer of at most 20 bits that depends on
 * i alone: every partial sum is exact in binary64, in any order. */
struct bench_data {
	enum dtype dtype; /* float32 or float64 */
	uint64_t count;
	void *elements;
	double sum, max; /* exact */
	double l2, var;  /* to about 1e-15 */
};

/* False: no memory. */
bool bench_data_init(struct bench_data *out, enum dtype dtype, uint64_t count);
void bench_data_deinit(struct bench_data *data);

/* A source that leaves the elements alone when it is closed; NULL: no memory. */
struct source *bench_data_source(const struct bench_data *data);

#endif
