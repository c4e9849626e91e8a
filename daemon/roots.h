/* roots.h - the directories that jobs may read and write in, and files opened
 * beneath them for proto/ (file_access.h). Constant after roots_open(); calls
 * from any thread. */
#ifndef DAEMON_ROOTS_H
#define DAEMON_ROOTS_H

#include <stddef.h>
#include <stdint.h>
#include "engine/status.h"
#include "proto/file_access.h"

struct root {
	char *path; /* absolute, as it was configured, no '/' at its end
		     * ("" for the root of all) */
	int fd;     /* the directory itself, O_PATH */
};

struct roots {
	struct root *read, *write;
	size_t read_count, write_count;
	uint64_t max_files; /* a pattern with more matches is too_large */
};

/* Paths that are not absolute are taken from the working directory. Fails when
 * one is no directory or when the kernel has no openat2. */
enum status roots_open(struct roots *out, char *const *read, size_t read_count, char *const *write,
		       size_t write_count, uint64_t max_files, struct error *err);
void roots_close(struct roots *roots);

/* The calls of file_access over these roots, which outlive it. */
void roots_access(struct roots *roots, struct file_access *out);

/* Which root a path lies beneath, by its text alone, and the rest of it
 * (within path; "." for the root itself). A path that is not absolute belongs
 * to the first. STATUS_PATH_FORBIDDEN, STATUS_BAD_VALUE. */
enum status roots_locate(const struct root *roots, size_t count, const char *path,
			 const struct root **root, const char **rest, struct error *err);

#endif
