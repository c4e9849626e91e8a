/* task.h - a job on its way: what is asked, where the elements come from, and
 * at the end its result or its error.
 *
 * Two ways to run one. Pulled: the sources are set and task_run() does all of
 * it. Pushed: the elements come from a body as it arrives, by task_begin(),
 * task_push() ... task_end(). After either, `error.status` is STATUS_OK and
 * `result` is set, or the error says what went wrong and nothing is left.
 *
 * With `upload` nothing is computed: the elements become a resident array, which
 * has its name when the upload is committed. */
#ifndef ENGINE_TASK_H
#define ENGINE_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include "engine/array_upload.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/result.h"
#include "engine/source.h"

struct task {
	struct job job;   /* offsets owned */
	struct source *x; /* pulled input; NULL while pushed */
	struct source *y; /* dot: the second array, pulled always */

	struct upload *upload; /* owned; NULL after a failure */

	uint64_t most_elements;  /* of all result arrays together: what the answer
				  * has room for; UINT64_MAX: any number */
	int output_fd;           /* results go here (a file to be), or -1 */
	uint64_t output_reserve; /* bytes left free at its start: a header */

	atomic_bool cancelled; /* set from any thread: stop at next piece */
	uint64_t created_ns;   /* CLOCK_MONOTONIC, by task_create() */
	uint64_t started_ns;
	uint64_t copied_ns; /* time spent reading sources */

	bool done; /* run to its end, well or not */
	struct error error;
	struct result *result;

	struct engine *engine;           /* private to task_*.c, while it runs */
	struct source *kept_x, *kept_y;  /* likewise: x and y as the cache has them */
	struct run *run;                 /* likewise */
	struct push *push;               /* likewise, of a pushed body */
	void *owner;                     /* for whoever made it */
	void (*owner_free)(void *owner); /* called by task_destroy(); may be NULL */
};

struct task *task_create(void); /* NULL: no memory */
void task_destroy(struct task *task);

/* Mark as failed before it ran (err is copied). */
void task_refuse(struct task *task, const struct error *err);

/* Predicted ns of the whole job on the backend that the plan picks. A task
 * whose plan fails costs 0: running it gives the error. */
uint64_t task_cost_ns(struct engine *engine, const struct task *task);

/* Plan, pull, compute, finish. Blocks. Returns task->error.status. */
enum status task_run(struct engine *engine, struct task *task);

/* Pushed: desc says what will come; bytes of any split, in byte order `swap`
 * (true: not this machine's). task_end() checks that all of it came. The
 * first failure sticks: later calls return it and do nothing. */
enum status task_begin(struct engine *engine, struct task *task, const struct array_desc *desc,
		       bool swap);
enum status task_push(struct task *task, const void *bytes, size_t size);
enum status task_end(struct task *task);

#endif
