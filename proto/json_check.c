#include "config.h"
#include "proto/json_check.h"

#include <string.h>
#include "proto/json_string.h"

struct cursor {
	const char *p, *end;
};

static void skip_space(struct cursor *c)
{
	c->p = json_skip_space(c->p, c->end);
}

static bool word(struct cursor *c, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(c->end - c->p) < size || memcmp(c->p, text, size) != 0)
		return false;
	c->p += size;
	return true;
}

static bool digits(struct cursor *c)
{
	const char *first = c->p;

	while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
		c->p++;
	return c->p > first;
}

static bool number(struct cursor *c)
{
	if (c->p < c->end && *c->p == '-')
		c->p++;
	if (c->p < c->end && *c->p == '0')
		c->p++;
	else if (!digits(c))
		return false;
	if (c->p < c->end && *c->p == '.') {
		c->p++;
		if (!digits(c))
			return false;
	}
	if (c->p < c->end && (*c->p == 'e' || *c->p == 'E')) {
		c->p++;
		if (c->p < c->end && (*c->p == '-' || *c->p == '+'))
			c->p++;
		return digits(c);
	}
	return true;
}

static bool escape(struct cursor *c)
{
	int i;

	if (c->p == c->end || *c->p == '\0' || strchr("\"\\/bfnrtu", *c->p) == NULL)
		return false;
	if (*c->p++ != 'u')
		return true;
	for (i = 0; i < 4; i++, c->p++) {
		if (c->p == c->end || *c->p == '\0' ||
		    strchr("0123456789abcdefABCDEF", *c->p) == NULL)
			return false;
	}
	return true;
}

static bool string(struct cursor *c)
{
	if (c->p == c->end || *c->p != '"')
		return false;
	for (c->p++; c->p < c->end;) {
		unsigned char b = (unsigned char)*c->p;

		if (b < 0x20)
			return false;
		c->p++;
		if (b == '"')
			return true;
		if (b == '\\' && !escape(c))
			return false;
	}
	return false;
}

static bool scalar(struct cursor *c)
{
	static const char *const words[] = {"true", "false",    "null",
					    "NaN",  "Infinity", "-Infinity"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word(c, words[i]))
			return true;
	}
	return c->p < c->end && *c->p == '"' ? string(c) : number(c);
}

static bool key(struct cursor *c)
{
	skip_space(c);
	if (!string(c))
		return false;
	skip_space(c);
	return word(c, ":");
}

static bool value(struct cursor *c, unsigned limit)
{
	char closing[JSON_CHECK_DEPTH]; /* what ends each open array or object */
	unsigned depth = 0;
	bool fresh;

	if (limit > JSON_CHECK_DEPTH)
		limit = JSON_CHECK_DEPTH;
	for (;;) {
		skip_space(c);
		fresh = false;
		if (c->p < c->end && (*c->p == '[' || *c->p == '{')) {
			if (depth == limit)
				return false;
			closing[depth++] = *c->p++ == '[' ? ']' : '}';
			fresh = true;
		} else if (!scalar(c)) {
			return false;
		}
		/* what may follow a value, or an opening bracket */
		for (;;) {
			skip_space(c);
			if (depth == 0)
				return true;
			if (c->p < c->end && *c->p == closing[depth - 1]) {
				c->p++;
				depth--;
				fresh = false;
				continue;
			}
			if (!fresh && !word(c, ","))
				return false;
			if (closing[depth - 1] == '}' && !key(c))
				return false;
			break;
		}
	}
}

bool json_check(const char *text, size_t size, unsigned depth, size_t *at)
{
	struct cursor c = {text, text + size};
	bool good = value(&c, depth) && c.p == c.end;

	*at = (size_t)(c.p - text);
	return good;
}
