/* service.h - what all requests share. Made by main.c; constant but for the
 * atomics and the gate. */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "daemon/connections.h"
#include "daemon/roots.h"
#include "daemon/settings.h"
#include "daemon/watch.h"
#include "engine/engine.h"
#include "engine/scheduler.h"
#include "proto/file_access.h"

struct service {
	const struct settings *settings;
	struct engine *engine;
	struct scheduler *scheduler;
	struct watch *watch;
	struct file_access files;
	struct connections connections;

	uint64_t id_seed; /* of the request ids made here */
	atomic_uint_fast64_t next_id;

	atomic_bool draining;        /* no new jobs */
	atomic_bool leaving;         /* another process takes the connections; those
				      * that are open are served to their next answer */
	atomic_bool device_lost;     /* since the loop last looked */
	atomic_uint_fast64_t active; /* requests between header and answer */

	/* The main loop is to look again: the last request ended while
	 * draining, there is a first connection, or a device is lost. From
	 * any thread. */
	void (*wake)(void *context);
	void *wake_context;

	pthread_mutex_t gate; /* guards the three below */
	pthread_cond_t empty; /* pending has become 0 */
	uint64_t pending;     /* works submitted and not yet handed back */
	bool closed;          /* nothing more is submitted */
};

/* Before and after all use. */
void service_init(struct service *service);
void service_deinit(struct service *service);

/* Work for the scheduler; STATUS_DRAINING behind the closed gate. Whoever
 * handed it back to its HTTP thread calls service_done(). */
enum status service_submit(struct service *service, struct work *work, struct error *err);
void service_done(struct service *service);

/* Let nothing more in; then wait until all was handed back. */
void service_close_gate(struct service *service);
void service_wait(struct service *service);

/* Whether connections end with their answer. */
bool service_closes(const struct service *service);

void service_enter(struct service *service); /* a request begins */
void service_leave(struct service *service); /* it was answered */

#endif
