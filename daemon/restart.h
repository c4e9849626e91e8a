/* restart.h - a restart in place: another process of the same program, with the same
 * arguments, gets this one's sockets. While it starts, and when it fails to, this one
 * serves on. The main loop's thread only. */
#ifndef DAEMON_RESTART_H
#define DAEMON_RESTART_H

#include <stdbool.h>
#include <uv.h>
#include "daemon/listen.h"
#include "engine/arrays.h"

struct restart_events {
	void *context;
	void (*ready)(void *context); /* the other process takes connections */
	void (*failed)(void *context, const char *why);
};

struct restart;

/* First of all in main(): where the program is, and with which arguments it was
 * begun. STATUS_OUT_OF_MEMORY. */
enum status restart_remember(int argc, char **argv, struct error *err);

enum status restart_create(uv_loop_t *loop, const struct restart_events *events,
			   struct restart **out, struct error *err);
void restart_destroy(struct restart *restart); /* the loop has run its handles out */

bool restart_is_under_way(const struct restart *restart);

/* Begins one. Later one of the events happens, once. arrays_fd: the directory of
 * `arrays_directory`, or -1. */
enum status restart_begin(struct restart *restart, const struct listener *listeners, size_t count,
			  const char *arrays_directory, int arrays_fd, struct error *err);

#endif
