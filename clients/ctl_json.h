/* ctl_json.h - a JSON answer to look into, its numbers as the server wrote
 * them: every number is a string here, so that none is rounded on its way to
 * the table. */
#ifndef CLIENTS_CTL_JSON_H
#define CLIENTS_CTL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A new reference; NULL when text is no JSON or there is no memory. */
json_t *ctl_json_read(const char *text, size_t size);

/* Of what is no JSON: whether it is a value and the beginning of another. */
bool ctl_json_several(const char *text, size_t size);

/* What a cell of a table shows of a value: text, true, false, null; "" for
 * what is missing, an object or a list. */
const char *ctl_json_word(const json_t *value);

/* A member's word. */
const char *ctl_json_member(const json_t *object, const char *name);

#endif
