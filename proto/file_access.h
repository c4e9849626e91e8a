/* file_access.h - how the wire layer opens files, without knowing which ones
 * may be opened: the daemon gives it these calls (daemon/roots.c). */
#ifndef PROTO_FILE_ACCESS_H
#define PROTO_FILE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/status.h"

/* What one array's patterns may cost in all, in directory entries looked at: a
 * few seconds at worst (chosen). Without a bound a pattern that goes down and up
 * again keeps a thread for ever. */
#define FILE_GLOB_EFFORT ((uint64_t)1 << 22)

struct file_list {
	char **paths; /* owned, from malloc */
	size_t count;
};

struct output_file; /* a file being written, not yet visible */

struct file_access {
	void *context;

	/* A regular file beneath a root, opened for reading: a descriptor of
	 * the caller's. STATUS_PATH_FORBIDDEN whether or not it exists when
	 * it lies outside; STATUS_FILE_NOT_FOUND; STATUS_FILE_UNREADABLE. */
	enum status (*open_read)(void *context, const char *path, int *fd, struct error *err);

	/* Paths that match a pattern (* ? [...] and \ only; no match across
	 * '/'), in byte order. Without a glob character: the path itself.
	 * STATUS_FILE_NOT_FOUND when nothing matches; STATUS_TOO_LARGE when it
	 * has used up the effort, which each call leaves smaller. */
	enum status (*glob)(void *context, const char *pattern, uint64_t *effort,
			    struct file_list *out, struct error *err);

	/* A new file beneath a writable root: unnamed until it is committed.
	 * STATUS_FILE_EXISTS when it exists and overwrite is false. */
	enum status (*output_open)(void *context, const char *path, bool overwrite,
				   struct output_file **out, int *fd, struct error *err);

	/* fsync, then give it its name at once (STATUS_FILE_EXISTS may come
	 * here too). Frees the output_file, also on failure. */
	enum status (*output_commit)(struct output_file *file, struct error *err);
	void (*output_discard)(struct output_file *file); /* NULL is fine */
};

void file_list_free(struct file_list *list);

#endif
