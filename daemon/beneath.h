/* beneath.h - open something below a directory, whatever '..' and links say:
 * openat2(2), Linux 5.6. */
#ifndef DAEMON_BENEATH_H
#define DAEMON_BENEATH_H

#include <stdbool.h>
#include "engine/status.h"

/* False on a kernel without openat2. */
bool beneath_works(void);

/* A descriptor, or -1 and errno: EXDEV when the path leads out of the
 * directory, ELOOP for links of /proc. O_CLOEXEC and O_NOCTTY are added; no
 * file is created. */
int beneath_open(int directory, const char *path, int flags);

/* What the errno of a failed open of `path` for reading means. */
enum status beneath_fail(struct error *err, const char *path, int error);

#endif
