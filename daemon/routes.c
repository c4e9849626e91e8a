#include "config.h"

#include <string.h>
#include <strings.h>
#include "daemon/routes.h"

static const struct {
	enum method method;
	const char *name;
} methods[] = {
	{METHOD_GET, "GET"}, {METHOD_HEAD, "HEAD"},     {METHOD_POST, "POST"},
	{METHOD_PUT, "PUT"}, {METHOD_DELETE, "DELETE"}, {METHOD_OPTIONS, "OPTIONS"},
};
#define METHOD_COUNT (sizeof(methods) / sizeof(methods[0]))

static const struct route routes[] = {
	{"/v1/reduce", METHOD_POST, ROUTE_JOB, ENDPOINT_REDUCE},
	{"/v1/scan", METHOD_POST, ROUTE_JOB, ENDPOINT_SCAN},
	{"/v1/batch", METHOD_POST, ROUTE_JOB, ENDPOINT_BATCH},
	{"/v1/merge", METHOD_POST, ROUTE_JOB, ENDPOINT_MERGE},
	{"/healthz", METHOD_GET, ROUTE_HEALTH, 0},
	{"/readyz", METHOD_GET, ROUTE_READY, 0},
	{"/v1/info", METHOD_GET, ROUTE_INFO, 0},
	{"/openapi.yaml", METHOD_GET, ROUTE_OPENAPI, 0},
	{"/v1/jobs", METHOD_GET | METHOD_POST, ROUTE_ABSENT, 0},
	{"/v1/jobs/*", METHOD_GET | METHOD_DELETE, ROUTE_ABSENT, 0},
	{"/v1/jobs/*/events", METHOD_GET, ROUTE_ABSENT, 0},
	{"/v1/arrays", METHOD_GET, ROUTE_ARRAYS, 0},
	{"/v1/arrays/*", METHOD_GET | METHOD_PUT | METHOD_DELETE, ROUTE_ARRAY, ENDPOINT_ARRAY},
	{"/v1/arrays/*/data", METHOD_GET, ROUTE_ARRAY_DATA, 0},
	{"/metrics", METHOD_GET, ROUTE_ABSENT, 0},
	{"/v1/stats", METHOD_GET, ROUTE_ABSENT, 0},
	{"/v1/stats/events", METHOD_GET, ROUTE_ABSENT, 0},
	{"/", METHOD_GET, ROUTE_ABSENT, 0},
	{"/v2", METHOD_GET, ROUTE_ABSENT, 0},
	{"/v2/**", METHOD_GET | METHOD_POST, ROUTE_ABSENT, 0},
};

static const struct route whole_server = {"*", METHOD_OPTIONS, ROUTE_SERVER, 0};

enum method method_from_name(const char *name)
{
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].method;
	}
	return METHOD_OTHER;
}

static int hex_digit(char c)
{
	const char digits[] = "0123456789abcdef";
	const char *found = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);

	return found == NULL ? -1 : (int)(found - digits);
}

/* '%2F' stays what it is: no path of ours has a slash within a segment. */
static bool decode_path(char *out, size_t room, const char *text, size_t size)
{
	const char *end = text + size;
	size_t used = 0;

	out[0] = '\0'; /* out is a string whatever comes */
	while (text < end) {
		char c = *text++;

		if (c == '%') {
			int high = text < end ? hex_digit(text[0]) : -1;
			int low = high >= 0 && text + 1 < end ? hex_digit(text[1]) : -1;

			if (low < 0 || (high == 0 && low == 0))
				return false;
			if (16 * high + low != '/') {
				c = (char)(16 * high + low);
				text += 2;
			}
		}
		if (used + 1 >= room)
			return false;
		out[used++] = c;
		out[used] = '\0';
	}
	return true;
}

bool target_split(const char *target, char *path, size_t size, const char **query)
{
	size_t length;

	if (strncasecmp(target, "http://", 7) == 0) {
		target += 7;
		target += strcspn(target, "/?");
	}
	length = strcspn(target, "?");
	*query = target[length] == '?' ? target + length + 1 : NULL;
	if (length == 0)
		return decode_path(path, size, "/", 1);
	return (target[0] == '/' || strcmp(target, "*") == 0) &&
	       decode_path(path, size, target, length);
}

static bool matches(const char *pattern, const char *path)
{
	while (*pattern != '\0') {
		if (strcmp(pattern, "**") == 0)
			return *path != '\0';
		if (*pattern == '*') {
			size_t segment = strcspn(path, "/");

			if (segment == 0)
				return false;
			path += segment;
			pattern++;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return *path == '\0';
}

const struct route *route_find(const char *path)
{
	if (strcmp(path, "*") == 0)
		return &whole_server;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		if (matches(routes[i].path, path))
			return &routes[i];
	}
	return NULL;
}

static unsigned allowed(const struct route *route)
{
	unsigned set = route->methods | METHOD_OPTIONS;

	return (set & METHOD_GET) != 0 ? set | METHOD_HEAD : set;
}

bool route_allows(const struct route *route, enum method method)
{
	return (allowed(route) & method) != 0;
}

bool route_takes_body(const struct route *route, enum method method)
{
	return (route->kind == ROUTE_JOB && method == METHOD_POST) ||
	       (route->kind == ROUTE_ARRAY && method == METHOD_PUT);
}

void route_allow(const struct route *route, char out[ROUTE_ALLOW_SIZE])
{
	out[0] = '\0';
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		if (!route_allows(route, methods[i].method))
			continue;
		if (out[0] != '\0')
			strcat(out, ", ");
		strcat(out, methods[i].name);
	}
}
