/* scheduler.h - which thread runs a task, and when.
 *
 * Tasks that are too long for the thread that read them wait in a bounded
 * queue, first come first served, for a few workers. Submitting never blocks.
 */
#ifndef ENGINE_SCHEDULER_H
#define ENGINE_SCHEDULER_H

#include "engine/engine.h"
#include "engine/task.h"

struct scheduler;

/* A group of tasks of one request, run one after another by one worker. */
struct work {
	struct task **tasks;
	uint64_t count;
	/* Called once, on the worker's thread, when all are done. */
	void (*done)(struct work *work);
	void *owner;
	struct work *next; /* private */
};

/* NULL: no memory or no threads. */
struct scheduler *scheduler_start(struct engine *engine, unsigned workers);

/* True when all the tasks together are short enough to run at once on the
 * calling thread (limits.inline_ns). */
bool scheduler_is_inline(const struct scheduler *scheduler, struct task *const *tasks,
			 uint64_t count);

/* STATUS_QUEUE_FULL, and the work is still the caller's; else done() will be
 * called. */
enum status scheduler_submit(struct scheduler *scheduler, struct work *work, struct error *err);

/* Take a work out of the queue: true when no worker had begun it; it is the
 * caller's again then, and done() will not be called. */
bool scheduler_withdraw(struct scheduler *scheduler, struct work *work);

/* Run all tasks of a work here and now; does not call done(). */
void scheduler_run(struct engine *engine, struct task *const *tasks, uint64_t count);

uint64_t scheduler_waiting(const struct scheduler *scheduler);

/* Finish what was submitted, then end the workers. */
void scheduler_stop(struct scheduler *scheduler);

#endif
