/* loop.h - the main thread's loop: signals, deadlines, restarts, and the way to the
 * end.
 *
 * The first SIGTERM or SIGINT drains: no new connections and no new jobs, what
 * runs is finished and answered. When settings->drain_ms has passed, or at a
 * second signal, the rest is cancelled.
 *
 * SIGUSR2 restarts in place (restart.h), and so does a device that is lost, where the
 * settings say so and no array would end by it. When the other process is ready this
 * one takes no new connections, says "Connection: close" with its answers, and ends
 * when all connections have; those still open when drain_ms has passed are closed. */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include <stddef.h>
#include "daemon/http.h"
#include "daemon/service.h"

struct loop;

/* Signals are caught from here on. */
enum status loop_create(struct loop **out, struct error *err);
void loop_destroy(struct loop *loop);

/* For watch_create() and service.wake; from any thread. */
void loop_wake(void *loop);

struct loop_parts {
	struct service *service;
	struct listener *listeners;
	struct http *const *https;
	size_t count; /* of listeners and https */
};

/* Returns when everything is answered or cancelled; then the gate of the
 * service is closed, and what it still has is cancelled. True: another process has
 * taken over. */
bool loop_run(struct loop *loop, const struct loop_parts *parts);

#endif
