/* scratch.h - a directory for one test program, removed at its end. */
#ifndef TESTS_DAEMON_SCRATCH_H
#define TESTS_DAEMON_SCRATCH_H

#include <stddef.h>

/* Make it, and make it the working directory; 0, for cmocka's set-up. */
int scratch_create(void **state);
int scratch_remove(void **state);

extern char scratch_path[64];

/* A file with this text; fails the test when it cannot be made. */
void scratch_write(const char *path, const char *text);

/* Text of a file, cut to size - 1 bytes. */
void scratch_read(const char *path, char *out, size_t size);

/* Entries of a directory, . and .. left out. */
size_t scratch_count(const char *path);

#endif
