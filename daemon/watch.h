/* watch.h - requests whose work runs or waits on other threads: cancels it at
 * its deadline, when its client has gone away, or when foldd must end. */
#ifndef DAEMON_WATCH_H
#define DAEMON_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include "engine/scheduler.h"

struct watch;

enum watch_end {
	WATCH_RUNS,   /* nobody cancelled it */
	WATCH_GONE,   /* the client has */
	WATCH_DRAINED /* foldd ends */
};

/* One request; lives in its owner from watch_add() to watch_remove(). */
struct watched {
	struct work *work;
	int fd;              /* of the connection; open while it is watched */
	uint64_t started_ns; /* CLOCK_MONOTONIC: the request had been read */

	uint64_t next_ns;                /* private: earliest deadline of its tasks */
	enum watch_end end;              /* set by the watch; read after watch_remove() */
	struct watched *previous, *next; /* private */
};

/* wake is called, from any thread, when watch_sweep() is due earlier than its
 * last return value said. default_ms: of tasks that name no time (0: none). */
struct watch *watch_create(struct scheduler *scheduler, uint64_t default_ms,
			   void (*wake)(void *context), void *context);
void watch_destroy(struct watch *watch);

void watch_add(struct watch *watch, struct watched *watched);
void watch_remove(struct watch *watch, struct watched *watched);

/* Look after all of them; how many ms later to do it again, or 0 when there
 * are none. From one thread; calls work->done() of works that were cancelled
 * before they began. */
uint64_t watch_sweep(struct watch *watch);

size_t watch_count(struct watch *watch);

/* Cancel all there are now. */
void watch_cancel_all(struct watch *watch);

#endif
