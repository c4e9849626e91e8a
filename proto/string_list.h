/* string_list.h - a JSON array of strings, read from the document's text one at a
 * time: however many there are, they take no memory. */
#ifndef PROTO_STRING_LIST_H
#define PROTO_STRING_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "engine/status.h"

struct string_list {
	const char *p, *end;
	bool begun;
	json_t *unescaped; /* the last string, when it had escapes */
};

/* False when the text does not begin an array. */
bool string_list_init(struct string_list *out, const char *text, size_t size);
void string_list_deinit(struct string_list *list);

/* The next string, valid until the next call; NULL at the end. STATUS_BAD_VALUE,
 * unexplained, for an element that is none and for what is no JSON: which of them
 * it is, json_cut_verify() tells. */
enum status string_list_next(struct string_list *list, const char **text, size_t *size);

#endif
