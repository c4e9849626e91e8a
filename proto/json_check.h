/* json_check.h - is it JSON (RFC 8259, and the bare words NaN, Infinity and
 * -Infinity)? For what is not read because something else is wrong. */
#ifndef PROTO_JSON_CHECK_H
#define PROTO_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True when text is one value. Else *at is the first byte at fault. Arrays and
 * objects may lie in each other `depth` deep, at most JSON_CHECK_DEPTH. */
#define JSON_CHECK_DEPTH 1024u
bool json_check(const char *text, size_t size, unsigned depth, size_t *at);

#endif
