#include "config.h"
#include "proto/string_list.h"

#include "proto/json_string.h"

static bool take(struct string_list *list, char c)
{
	list->p = json_skip_space(list->p, list->end);
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

enum status string_list_next(struct string_list *list, const char **text, size_t *size)
{
	const char *first, *after;
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
	after = json_string_end(first - 1, list->end, &escaped);
	if (after == NULL)
		return STATUS_BAD_VALUE;
	list->p = after;
	*text = first;
	*size = (size_t)(after - first) - 1;
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
