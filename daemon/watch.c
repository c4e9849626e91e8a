#include "config.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include "daemon/watch.h"
#include "engine/clock.h"

#define SWEEP_MS 50u /* how long a client may be gone unnoticed (chosen) */

struct watch {
	struct scheduler *scheduler;
	uint64_t default_ms;
	void (*wake)(void *context);
	void *context;

	pthread_mutex_t lock; /* guards the list; no other lock is taken but
			       * the scheduler's */
	struct watched head;  /* of a ring */
	size_t count;
	uint64_t due_ns; /* of the next sweep; UINT64_MAX: none planned */

	struct pollfd *polled; /* of the sweeping thread */
	size_t room;
};

struct watch *watch_create(struct scheduler *scheduler, uint64_t default_ms,
			   void (*wake)(void *context), void *context)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->scheduler = scheduler;
	watch->default_ms = default_ms;
	watch->wake = wake;
	watch->context = context;
	watch->head.previous = watch->head.next = &watch->head;
	watch->due_ns = UINT64_MAX;
	pthread_mutex_init(&watch->lock, NULL);
	return watch;
}

void watch_destroy(struct watch *watch)
{
	if (watch == NULL)
		return;
	pthread_mutex_destroy(&watch->lock);
	free(watch->polled);
	free(watch);
}

/* UINT64_MAX: none. */
static uint64_t deadline(const struct watch *watch, const struct watched *watched,
			 const struct task *task)
{
	uint64_t ms = task->job.timeout_ms != 0 ? task->job.timeout_ms : watch->default_ms;

	if (ms == 0 || ms > (UINT64_MAX - watched->started_ns) / 1000000)
		return UINT64_MAX;
	return watched->started_ns + ms * 1000000;
}

/* Cancel the tasks whose time is up by now, and find the next deadline. True
 * when none is left that was not cancelled. Tasks may be running: only
 * `cancelled` and what is constant may be touched. */
static bool expire(const struct watch *watch, struct watched *watched, uint64_t now)
{
	bool all = true;

	watched->next_ns = UINT64_MAX;
	for (uint64_t i = 0; i < watched->work->count; i++) {
		struct task *task = watched->work->tasks[i];
		uint64_t due = deadline(watch, watched, task);

		if (due <= now) {
			atomic_store(&task->cancelled, true);
			continue;
		}
		all = false;
		if (due < watched->next_ns)
			watched->next_ns = due;
	}
	return all;
}

static void cancel(struct watched *watched)
{
	for (uint64_t i = 0; i < watched->work->count; i++)
		atomic_store(&watched->work->tasks[i]->cancelled, true);
	watched->next_ns = UINT64_MAX;
}

void watch_add(struct watch *watch, struct watched *watched)
{
	uint64_t now = clock_ns();
	uint64_t due = now + (uint64_t)SWEEP_MS * 1000000;
	bool earlier;

	watched->end = WATCH_RUNS;
	expire(watch, watched, 0);
	if (watched->next_ns < due)
		due = watched->next_ns;

	pthread_mutex_lock(&watch->lock);
	watched->previous = watch->head.previous;
	watched->next = &watch->head;
	watched->previous->next = watched;
	watch->head.previous = watched;
	watch->count++;
	earlier = due < watch->due_ns;
	if (earlier)
		watch->due_ns = due;
	pthread_mutex_unlock(&watch->lock);
	if (earlier)
		watch->wake(watch->context);
}

static void unlink_watched(struct watch *watch, struct watched *watched)
{
	watched->previous->next = watched->next;
	watched->next->previous = watched->previous;
	watched->previous = watched->next = NULL;
	watch->count--;
}

void watch_remove(struct watch *watch, struct watched *watched)
{
	pthread_mutex_lock(&watch->lock);
	if (watched->next != NULL)
		unlink_watched(watch, watched);
	pthread_mutex_unlock(&watch->lock);
}

/* Cancel the works of clients that closed their connection, or half of it. */
static void look_for_gone(struct watch *watch)
{
	size_t count = 0;

	if (watch->room < watch->count) {
		struct pollfd *polled = realloc(watch->polled, 2 * watch->count * sizeof(*polled));

		if (polled == NULL)
			return; /* they run to their end instead */
		watch->polled = polled;
		watch->room = 2 * watch->count;
	}
	for (struct watched *w = watch->head.next; w != &watch->head; w = w->next)
		watch->polled[count++] = (struct pollfd){.fd = w->fd, .events = POLLRDHUP};
	if (poll(watch->polled, count, 0) <= 0)
		return;

	count = 0;
	for (struct watched *w = watch->head.next; w != &watch->head; w = w->next) {
		if (watch->polled[count++].revents == 0 || w->end != WATCH_RUNS)
			continue;
		w->end = WATCH_GONE;
		cancel(w);
	}
}

/* A cancelled work that no worker had begun is taken out of the queue and put
 * on a list of its own, by its `next`. */
static void withdraw(struct watch *watch, struct watched *watched, struct work **out)
{
	if (!scheduler_withdraw(watch->scheduler, watched->work))
		return;
	unlink_watched(watch, watched);
	watched->work->next = *out;
	*out = watched->work;
}

/* With the lock released: done() takes it. */
static void finish(struct work *withdrawn)
{
	while (withdrawn != NULL) {
		struct work *work = withdrawn;

		withdrawn = work->next;
		for (uint64_t i = 0; i < work->count; i++) {
			struct error err = {0};

			if (work->tasks[i]->done)
				continue;
			fail(&err, STATUS_TIMEOUT, "the time was up before the job began");
			task_refuse(work->tasks[i], &err);
		}
		work->done(work);
	}
}

uint64_t watch_sweep(struct watch *watch)
{
	uint64_t now = clock_ns();
	uint64_t due = now + (uint64_t)SWEEP_MS * 1000000;
	struct work *withdrawn = NULL;
	struct watched *next;

	pthread_mutex_lock(&watch->lock);
	look_for_gone(watch);
	for (struct watched *w = watch->head.next; w != &watch->head; w = next) {
		bool all = w->end != WATCH_RUNS;

		next = w->next;
		if (!all && w->next_ns <= now)
			all = expire(watch, w, now);
		if (w->next_ns < due)
			due = w->next_ns;
		if (all)
			withdraw(watch, w, &withdrawn);
	}
	watch->due_ns = watch->count == 0 ? UINT64_MAX : due;
	due = watch->count == 0 ? 0 : due;
	pthread_mutex_unlock(&watch->lock);

	finish(withdrawn);
	return due == 0 ? 0 : (due - now) / 1000000 + 1;
}

size_t watch_count(struct watch *watch)
{
	size_t count;

	pthread_mutex_lock(&watch->lock);
	count = watch->count;
	pthread_mutex_unlock(&watch->lock);
	return count;
}

void watch_cancel_all(struct watch *watch)
{
	struct work *withdrawn = NULL;
	struct watched *next;

	pthread_mutex_lock(&watch->lock);
	for (struct watched *w = watch->head.next; w != &watch->head; w = next) {
		next = w->next;
		if (w->end == WATCH_RUNS)
			w->end = WATCH_DRAINED;
		cancel(w);
		withdraw(watch, w, &withdrawn);
	}
	pthread_mutex_unlock(&watch->lock);
	finish(withdrawn);
}
