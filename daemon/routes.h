/* routes.h - the table of paths. */
#ifndef DAEMON_ROUTES_H
#define DAEMON_ROUTES_H

#include <stdbool.h>
#include "proto/request.h"

enum method {
	METHOD_GET = 1,
	METHOD_HEAD = 2,
	METHOD_POST = 4,
	METHOD_PUT = 8,
	METHOD_DELETE = 16,
	METHOD_OPTIONS = 32,
	METHOD_OTHER = 0
};

enum route_kind {
	ROUTE_JOB, /* takes a body, gives tasks */
	ROUTE_ARRAYS,
	ROUTE_ARRAY, /* PUT takes a body, too */
	ROUTE_ARRAY_DATA,
	ROUTE_HEALTH,
	ROUTE_READY,
	ROUTE_INFO,
	ROUTE_OPENAPI,
	ROUTE_SERVER, /* "*" of OPTIONS */
	ROUTE_ABSENT  /* of the interface, not served by this build */
};

struct route {
	const char *path; /* "*": one segment that is not empty, "**": the rest */
	unsigned methods; /* of enum method; HEAD and OPTIONS are understood */
	enum route_kind kind;
	enum endpoint endpoint; /* of those that take a body */
};

enum method method_from_name(const char *name);

/* The path of a request target (origin or absolute form), percent-decoded,
 * and where its query begins in it (after '?'; NULL: none). False when the
 * target is no such thing, or when the path does not fit. */
bool target_split(const char *target, char *path, size_t size, const char **query);

/* NULL when the interface has no such path. */
const struct route *route_find(const char *path);
bool route_allows(const struct route *route, enum method method);

/* Whether the method brings a body that becomes tasks. */
bool route_takes_body(const struct route *route, enum method method);

#define ROUTE_ALLOW_SIZE 64u
void route_allow(const struct route *route, char out[ROUTE_ALLOW_SIZE]);

#endif
