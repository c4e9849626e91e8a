/* bench_tile.h - the exact sum of few elements at the level of its accumulator:
 * begun, fed one tile, ended and rounded. */
#ifndef TESTS_BENCH_BENCH_TILE_H
#define TESTS_BENCH_BENCH_TILE_H

#include "tests/bench/bench_array.h"
#include "tests/bench/bench_job.h"

#define BENCH_TILE 1024u /* elements */

/* The array is a number of tiles, summed one after the other. Each run sums all
 * of them `rounds` times; *ns is the mean for one tile. *out: the sum of each
 * tile. */
enum status bench_tile_run(const struct bench_array *array, unsigned rounds, unsigned runs,
			   double *ns, struct bench_values *out, struct error *err);

#endif
