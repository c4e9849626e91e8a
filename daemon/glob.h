/* glob.h - one component of a path against a pattern of the shell: * ? [...]
 * and \; a leading dot is matched by a dot only. Bytes, no locale. Time is at
 * most pattern times name, whatever the pattern. */
#ifndef DAEMON_GLOB_H
#define DAEMON_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern has a glob character that is not escaped. */
bool glob_is_pattern(const char *pattern, size_t size);

bool glob_match(const char *pattern, size_t size, const char *name);

/* Remove the escapes of a component without glob characters; out has room for
 * size + 1 bytes. */
void glob_unescape(char *out, const char *pattern, size_t size);

#endif
