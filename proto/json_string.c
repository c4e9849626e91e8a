#include "config.h"
#include "proto/json_string.h"

#include <string.h>

const char *json_string_end(const char *p, const char *end, bool *escaped)
{
	const char *quote = NULL, *back;

	*escaped = false;
	for (p++; p < end; p = back + 2) {
		/* Sought again only when it was an escaped one: a string of
		 * escapes would be read to its end for each of them. */
		if (quote == NULL || quote < p)
			quote = memchr(p, '"', (size_t)(end - p));
		if (quote == NULL)
			return NULL;
		back = memchr(p, '\\', (size_t)(quote - p));
		if (back == NULL)
			return quote + 1;
		*escaped = true;
	}
	return NULL;
}
