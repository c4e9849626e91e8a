/* loop.h - the main thread's loop: signals, deadlines, and the way to the end.
 *
 * The first SIGTERM or SIGINT drains: no new connections and no new jobs, what
 * runs is finished and answered. When settings->drain_ms has passed, or at a
 * second signal, the rest is cancelled. */
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

/* Returns when everything is answered or cancelled; then the gate of the
 * service is closed, and what it still has is cancelled. */
void loop_run(struct loop *loop, struct service *service, struct http *const *https, size_t count);

#endif
