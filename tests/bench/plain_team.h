/* plain_team.h - a plain loop shared by several threads, an equal part each. */
#ifndef TESTS_BENCH_PLAIN_TEAM_H
#define TESTS_BENCH_PLAIN_TEAM_H

#include <stddef.h>
#include <stdint.h>
#include "tests/bench/plain_loops.h"

struct plain_team;

/* The level of that name, or NULL when it was not built or the processor lacks
 * it. */
const struct plain_level *plain_level_find(const char *name);

/* threads >= 1, the caller included. NULL: no memory or no thread. */
struct plain_team *plain_team_create(unsigned threads);
void plain_team_destroy(struct plain_team *team); /* NULL is fine */

/* loop over count elements of so many bytes, by all threads. */
double plain_team_run(struct plain_team *team, enum plain_op op, plain_loop loop, const void *x,
		      uint64_t count, size_t size, uint64_t ahead);

#endif
