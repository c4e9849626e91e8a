/* expand.h - the files that a pattern names, beneath the roots. */
#ifndef DAEMON_EXPAND_H
#define DAEMON_EXPAND_H

#include "daemon/roots.h"

/* As file_access.glob. A directory on the way that cannot be read, or a link
 * that leads out of the root, is an error: what is left out silently would
 * make a wrong sum. */
enum status expand_pattern(const struct roots *roots, const char *pattern, uint64_t *effort,
			   struct file_list *out, struct error *err);

#endif
