/* run.h - one job being computed: its plan, its stream, its result. What
 * task.c's two ways of running have in common. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdbool.h>
#include "engine/engine.h"
#include "engine/plan.h"
#include "engine/result.h"
#include "engine/source.h"

struct run;

struct run_args {
	struct engine *engine;
	const struct job *job;      /* outlives the run */
	const struct array_desc *x; /* what will be fed */
	const struct source *from;  /* x pulled; NULL: pushed */
	struct source *y;           /* the second array, pulled as x comes; NULL */
	uint64_t most_elements;     /* see struct task */
	int output_fd;              /* likewise */
	uint64_t output_reserve;
	bool on_host; /* by the host's own backend, whatever the job names */
};

enum status run_open(const struct run_args *args, struct run **out, struct error *err);
void run_close(struct run *run); /* NULL is fine; at any time */

/* Whether the backend may fail the run where the host's own would not, and whether
 * that came to pass when it ended with `status`. */
bool run_may_be_failed(const struct run *run);
bool run_failed_by_backend(const struct run *run, enum status status);

/* The next count elements in stored order, native-endian and aligned. */
enum status run_feed(struct run *run, const void *x, uint64_t count, struct error *err);

/* Whether all arrays lie in the memory of the backend that computes: then they
 * are fed by run_feed_arrays(), and nothing is copied. */
bool run_is_resident(const struct run *run);
enum status run_feed_arrays(struct run *run, uint64_t count, struct error *err);

/* Elements to feed at a time where all are at hand, whole tiles: about 20 ms of the
 * predicted time, so that a job that is given up stops soon. */
uint64_t run_piece(const struct run *run);

/* All came. *out is the caller's. */
enum status run_finish(struct run *run, struct result **out, struct error *err);

/* Elements that x announces, or ARRAY_UNKNOWN. */
uint64_t run_expected(const struct run *run);

#endif
