/* partial_runs.h - jobs with partial results run in process, for test_partial_*.c. */
#ifndef TESTS_UNIT_ENGINE_PARTIAL_RUNS_H
#define TESTS_UNIT_ENGINE_PARTIAL_RUNS_H

#include "engine/engine.h"
#include "engine/partial.h"
#include "engine/task.h"

/* A job with these operations, in the order of a comma-separated list. */
struct job runs_job(const char *ops, enum determinism determinism);

/* One array (y: the second of a dot, or NULL), pulled, or with a seed pushed in
 * random pieces. The caller destroys the task. */
struct task *runs_reduce(struct engine *engine, const struct job *job,
			 const struct array_desc *desc, const void *x, const void *y,
			 uint64_t seed);

struct bytes {
	unsigned char *data; /* from malloc */
	size_t size;
};

struct bytes runs_encode(const struct partial *partial);
struct partial *runs_decode(const struct bytes *bytes); /* never NULL */

/* The same status and explanation, and of results the same types, bits and
 * nulls; prints what differs. */
bool runs_same(const struct error *a_error, const struct result *a, const struct error *b_error,
	       const struct result *b);

#endif
