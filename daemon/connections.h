/* connections.h - all open connections, to find those whose client has gone
 * without libmicrohttpd noticing.
 *
 * libmicrohttpd 0.9.75 polls edge-triggered and takes a short read for the
 * last one: when the end of the stream came together with data, it waits for
 * an event that never comes, until the idle limit. Shutting down the
 * (already ended) receiving side makes the kernel report it once more. */
#ifndef DAEMON_CONNECTIONS_H
#define DAEMON_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <pthread.h>

#define CONNECTIONS_SWEEP_MS 500u /* between two sweeps (chosen) */

struct connection {
	int fd;
	void *exchange; /* begun on it and not ended; its HTTP thread's alone */
	bool ended;     /* by its client, when last looked at */
	struct connection *previous, *next;
};

struct connections {
	pthread_mutex_t lock;   /* guards all below; no other lock is taken */
	struct connection head; /* of a ring */
	size_t count;
};

void connections_init(struct connections *connections);
void connections_deinit(struct connections *connections);

/* NULL: no memory. *first: it is the only one, sweeps are to begin. */
struct connection *connections_add(struct connections *connections, int fd, bool *first);

/* Before the descriptor is closed; frees connection (NULL is fine). */
void connections_remove(struct connections *connections, struct connection *connection);

size_t connections_count(struct connections *connections);

/* Wake those that had ended at the last sweep already. True: there are
 * connections, sweep again. */
bool connections_sweep(struct connections *connections);

#endif
