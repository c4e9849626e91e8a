/* json_string.h - where strings and white space of a JSON text end. */
#ifndef PROTO_JSON_STRING_H
#define PROTO_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>

/* p is at the opening quote: the place after the closing one, or NULL. *escaped:
 * there is a backslash between. Takes time in proportion to the string, whatever
 * it holds. */
const char *json_string_end(const char *p, const char *end, bool *escaped);

/* The first place from p on that is no white space. */
static inline const char *json_skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

#endif
