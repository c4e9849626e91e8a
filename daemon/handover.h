/* handover.h - what a foldd that restarts gives the process that takes its place:
 * its listening sockets and the directory of arrays, by inheritance, named in the
 * environment; and a pipe on which that process says that it is ready.
 *
 *   FOLDD_HANDOVER   lines "DESCRIPTOR NAME": "ready" of the pipe, "arrays DIRECTORY",
 *                    and a listener's address as configured: "tcp HOST:PORT" or
 *                    "unix PATH"
 */
#ifndef DAEMON_HANDOVER_H
#define DAEMON_HANDOVER_H

#include <stddef.h>
#include "engine/status.h"

#define HANDOVER_VARIABLE "FOLDD_HANDOVER"
#define HANDOVER_READY "ready"

struct handover_item {
	int fd;
	char *name;
};

struct handover {
	struct handover_item *items;
	size_t count;
};

/* Reads the variable and removes it; without it there are no items.
 * STATUS_BAD_VALUE: it is not of that form, or names no open descriptors. */
enum status handover_take(struct handover *out, struct error *err);

/* The descriptor "KIND TEXT" (text NULL: "KIND"), which is the caller's from here
 * on; -1: there is none. */
int handover_find(struct handover *handover, const char *kind, const char *text);

/* Closes what nobody wanted. */
void handover_deinit(struct handover *handover);

/* The variable's value, from malloc; NULL: no memory. The item at i will be
 * descriptor first + i. STATUS_BAD_VALUE: a name has a line break. */
enum status handover_format(const struct handover_item *items, size_t count, int first, char **out,
			    struct error *err);

#endif
