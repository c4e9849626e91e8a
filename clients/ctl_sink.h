/* ctl_sink.h - a file that is there whole, or not at all: written under a
 * temporary name and renamed at the end. "-" is standard output. */
#ifndef CLIENTS_CTL_SINK_H
#define CLIENTS_CTL_SINK_H

#include <stddef.h>
#include <stdio.h>
#include "clients/ctl_exit.h"

struct ctl_sink {
	const char *name; /* as given */
	char *temporary;  /* NULL: standard output, or not opened */
	FILE *stream;     /* NULL until the first byte */
};

/* Opens nothing yet: a job that fails leaves no trace. */
void ctl_sink_init(struct ctl_sink *sink, const char *name);
enum ctl_exit ctl_sink_write(struct ctl_sink *sink, const void *bytes, size_t size);
enum ctl_exit ctl_sink_commit(struct ctl_sink *sink);
void ctl_sink_deinit(struct ctl_sink *sink); /* removes what was not committed */

#endif
