#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "engine/arithmetic.h"
#include "engine/scheduler.h"

struct scheduler {
	struct engine *engine;
	uint64_t inline_ns;
	uint64_t limit; /* works that may wait beyond those idle workers take */

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t wake;
	struct work *first, **end; /* waiting, oldest first */
	uint64_t waiting;
	uint64_t idle; /* workers at the condition */
	bool stopping;

	unsigned worker_count;
	pthread_t workers[];
};

void scheduler_run(struct engine *engine, struct task *const *tasks, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (!tasks[i]->done)
			task_run(engine, tasks[i]);
	}
}

/* The oldest work; NULL when stopping and none is left. Blocks. */
static struct work *next_work(struct scheduler *scheduler)
{
	struct work *work;

	pthread_mutex_lock(&scheduler->lock);
	while (scheduler->first == NULL && !scheduler->stopping) {
		scheduler->idle++;
		pthread_cond_wait(&scheduler->wake, &scheduler->lock);
		scheduler->idle--;
	}
	work = scheduler->first;
	if (work != NULL) {
		scheduler->first = work->next;
		if (scheduler->first == NULL)
			scheduler->end = &scheduler->first;
		scheduler->waiting--;
	}
	pthread_mutex_unlock(&scheduler->lock);
	return work;
}

static void *worker_main(void *context)
{
	struct scheduler *scheduler = context;
	struct work *work;

	arithmetic_init_thread();
	while ((work = next_work(scheduler)) != NULL) {
		scheduler_run(scheduler->engine, work->tasks, work->count);
		work->done(work); /* may free the work */
	}
	return NULL;
}

struct scheduler *scheduler_start(struct engine *engine, unsigned workers)
{
	struct scheduler *scheduler =
		calloc(1, sizeof(*scheduler) + workers * sizeof(scheduler->workers[0]));

	if (scheduler == NULL)
		return NULL;
	scheduler->engine = engine;
	scheduler->inline_ns = engine_limits(engine)->inline_ns;
	scheduler->limit = engine_limits(engine)->queue_jobs;
	scheduler->end = &scheduler->first;
	pthread_mutex_init(&scheduler->lock, NULL);
	pthread_cond_init(&scheduler->wake, NULL);

	while (scheduler->worker_count < workers) {
		if (pthread_create(&scheduler->workers[scheduler->worker_count], NULL, worker_main,
				   scheduler) != 0) {
			scheduler_stop(scheduler);
			return NULL;
		}
		scheduler->worker_count++;
	}
	return scheduler;
}

bool scheduler_is_inline(const struct scheduler *scheduler, struct task *const *tasks,
			 uint64_t count)
{
	uint64_t left = scheduler->inline_ns;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t cost;

		if (tasks[i]->done)
			continue;
		cost = task_cost_ns(scheduler->engine, tasks[i]);
		if (cost > left)
			return false;
		left -= cost;
	}
	return true;
}

enum status scheduler_submit(struct scheduler *scheduler, struct work *work, struct error *err)
{
	enum status status = STATUS_OK;

	work->next = NULL;
	pthread_mutex_lock(&scheduler->lock);
	if (scheduler->waiting >= scheduler->limit + scheduler->idle) {
		status = fail(err, STATUS_QUEUE_FULL, "%llu jobs wait already",
			      (unsigned long long)scheduler->waiting);
	} else {
		*scheduler->end = work;
		scheduler->end = &work->next;
		scheduler->waiting++;
		pthread_cond_signal(&scheduler->wake);
	}
	pthread_mutex_unlock(&scheduler->lock);
	return status;
}

bool scheduler_withdraw(struct scheduler *scheduler, struct work *work)
{
	struct work **link;
	bool found = false;

	pthread_mutex_lock(&scheduler->lock);
	for (link = &scheduler->first; *link != NULL; link = &(*link)->next) {
		if (*link != work)
			continue;
		*link = work->next;
		if (work->next == NULL)
			scheduler->end = link;
		scheduler->waiting--;
		found = true;
		break;
	}
	pthread_mutex_unlock(&scheduler->lock);
	return found;
}

uint64_t scheduler_waiting(const struct scheduler *scheduler)
{
	/* The lock is no part of what const promises to leave alone. */
	struct scheduler *self = (struct scheduler *)scheduler;
	uint64_t waiting;

	pthread_mutex_lock(&self->lock);
	waiting = self->waiting;
	pthread_mutex_unlock(&self->lock);
	return waiting;
}

void scheduler_stop(struct scheduler *scheduler)
{
	if (scheduler == NULL)
		return;
	pthread_mutex_lock(&scheduler->lock);
	scheduler->stopping = true;
	pthread_cond_broadcast(&scheduler->wake);
	pthread_mutex_unlock(&scheduler->lock);

	for (unsigned i = 0; i < scheduler->worker_count; i++)
		pthread_join(scheduler->workers[i], NULL);
	pthread_cond_destroy(&scheduler->wake);
	pthread_mutex_destroy(&scheduler->lock);
	free(scheduler);
}
