#include "config.h"
#include "proto/string_list.h"

#include <string.h>

static void skip_space(struct string_list *list)
{
	while (list->p < list->end &&
	       (*list->p == ' ' || *list->p == '\t' || *list->p == '\n' || *list->p == '\r'))
		list->p++;
}

static bool take(struct string_list *list, char c)
{
	skip_space(list);
	if (list->p == list->end || *list->p != c)
		return false;
	list->p++;
	return true;
}

bool string_list_init(struct string_list *out, const char *text, size_t size)
{
	*out = (struct string_list){.p = text, .end = text + size};
	return take(out, '[');
}

void string_list_deinit(struct string_list *list)
{
	json_decref(list->unescaped);
	list->unescaped = NULL;
}

/* The closing quote of a string whose first character is p[0]. */
static const char *string_end(const char *p, const char *end, bool *escaped)
{
	*escaped = false;
	for (;;) {
		const char *quote = memchr(p, '"', (size_t)(end - p));
		const char *back = quote != NULL ? memchr(p, '\\', (size_t)(quote - p)) : NULL;

		if (back == NULL)
			return quote;
		*escaped = true;
		if (end - back < 2)
			return NULL;
		p = back + 2;
	}
}

enum status string_list_next(struct string_list *list, const char **text, size_t *size)
{
	const char *first, *quote;
	bool escaped;

	string_list_deinit(list);
	*text = NULL;
	*size = 0;
	if (take(list, ']'))
		return STATUS_OK;
	if (list->begun && !take(list, ','))
		return STATUS_BAD_VALUE;
	list->begun = true;
	if (!take(list, '"'))
		return STATUS_BAD_VALUE;
	first = list->p;
	quote = string_end(first, list->end, &escaped);
	if (quote == NULL)
		return STATUS_BAD_VALUE;
	list->p = quote + 1;
	*text = first;
	*size = (size_t)(quote - first);
	if (!escaped)
		return STATUS_OK;
	/* base64 needs no escapes, but some write '/' as "\/" */
	list->unescaped = json_loadb(first - 1, *size + 2, JSON_DECODE_ANY, NULL);
	if (list->unescaped == NULL)
		return STATUS_BAD_VALUE;
	*text = json_string_value(list->unescaped);
	*size = json_string_length(list->unescaped);
	return STATUS_OK;
}
