/* ctl_sink.h - a file that is there whole, or not at all: written under a
 * temporary name and renamed at the end, with the mode of the file that it takes
 * the place of; links are followed. "-" is standard output. What is no regular
 * file (a device, a FIFO), and a file in a directory that may not be written, is
 * written where it is; an open descriptor (/dev/stdout, /dev/fd/N) goes on. */
#ifndef CLIENTS_CTL_SINK_H
#define CLIENTS_CTL_SINK_H

#include <stddef.h>
#include <stdio.h>
#include "clients/ctl_exit.h"

struct ctl_sink {
	const char *name; /* as given */
	char *target;     /* what the temporary becomes: name, links followed */
	char *temporary;  /* NULL: written in place, or not opened */
	FILE *stream;     /* NULL until the first byte */
};

/* Opens nothing yet: a job that fails leaves no trace. */
void ctl_sink_init(struct ctl_sink *sink, const char *name);
enum ctl_exit ctl_sink_write(struct ctl_sink *sink, const void *bytes, size_t size);
enum ctl_exit ctl_sink_commit(struct ctl_sink *sink);
void ctl_sink_deinit(struct ctl_sink *sink); /* removes what was not committed */

#endif
