/* output_file.h - a file beneath a writable root that comes into being whole
 * or not at all: written without a name, synced, then linked or renamed. */
#ifndef DAEMON_OUTPUT_FILE_H
#define DAEMON_OUTPUT_FILE_H

#include <stdbool.h>
#include "daemon/roots.h"

/* The descriptor stays the output_file's own. */
enum status output_file_open(const struct roots *roots, const char *path, bool overwrite,
			     struct output_file **out, int *fd, struct error *err);
enum status output_file_commit(struct output_file *file, struct error *err); /* frees file */
void output_file_discard(struct output_file *file);

#endif
