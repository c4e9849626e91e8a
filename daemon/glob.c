#include "config.h"

#include <string.h>
#include "daemon/glob.h"

/* The byte after the closing bracket of the set that begins at p ('['), or
 * NULL when nothing closes it: then '[' is an ordinary character. */
static const char *set_end(const char *p, const char *end)
{
	p++;
	if (p < end && (*p == '!' || *p == '^'))
		p++;
	for (bool first = true; p < end; first = false) {
		if (*p == ']' && !first)
			return p + 1;
		if (*p == '\\' && p + 1 < end)
			p++;
		p++;
	}
	return NULL;
}

static unsigned char set_member(const char **p)
{
	if (**p == '\\' && (*p)[1] != '\0')
		(*p)++;
	return (unsigned char)*(*p)++;
}

/* p is past '[', end at the closing ']'. */
static bool set_has(const char *p, const char *end, unsigned char c)
{
	bool negated = *p == '!' || *p == '^';
	bool found = false;

	if (negated)
		p++;
	while (p < end) {
		unsigned char low = set_member(&p);
		unsigned char high = low;

		if (p + 1 < end && *p == '-') {
			p++;
			high = set_member(&p);
		}
		if (low <= c && c <= high)
			found = true;
	}
	return found != negated;
}

/* Match the one element of the pattern at p (not '*') with c; the element's
 * end, or NULL. */
static const char *match_one(const char *p, const char *end, unsigned char c)
{
	const char *close;

	switch (*p) {
	case '?':
		return p + 1;
	case '[':
		close = set_end(p, end);
		if (close != NULL)
			return set_has(p + 1, close - 1, c) ? close : NULL;
		break;
	case '\\':
		if (p + 1 < end)
			p++;
		break;
	}
	return (unsigned char)*p == c ? p + 1 : NULL;
}

bool glob_match(const char *pattern, size_t size, const char *name)
{
	const char *p = pattern, *end = pattern + size;
	const char *star = NULL, *retry = NULL; /* after the last '*'; where it ends */

	if (*name == '.' && (size == 0 || (*p != '.' && strncmp(p, "\\.", 2) != 0)))
		return false;

	while (*name != '\0') {
		const char *next = NULL;

		if (p < end && *p == '*') {
			star = ++p;
			retry = name;
			continue;
		}
		if (p < end)
			next = match_one(p, end, (unsigned char)*name);
		if (next != NULL) {
			p = next;
			name++;
		} else if (star != NULL) {
			p = star; /* let the last '*' take one byte more */
			name = ++retry;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

bool glob_is_pattern(const char *pattern, size_t size)
{
	const char *end = pattern + size;

	for (const char *p = pattern; p < end; p++) {
		if (*p == '*' || *p == '?')
			return true;
		if (*p == '[' && set_end(p, end) != NULL)
			return true;
		if (*p == '\\')
			p++;
	}
	return false;
}

void glob_unescape(char *out, const char *pattern, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (pattern[i] == '\\' && i + 1 < size)
			i++;
		*out++ = pattern[i];
	}
	*out = '\0';
}
