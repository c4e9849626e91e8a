/* port_file.h - tells programs where the daemon listens: one address a line,
 * as in the log; appears whole. */
#ifndef DAEMON_PORT_FILE_H
#define DAEMON_PORT_FILE_H

#include <stddef.h>
#include "daemon/listen.h"

enum status port_file_write(const char *path, const struct listener *listeners, size_t count,
			    struct error *err);

#endif
