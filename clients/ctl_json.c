#include "config.h"
#include <string.h>
#include "clients/ctl_json.h"
#include "clients/ctl_text.h"

/* End of the string that begins at text[at], one past its closing quote. */
static size_t string_end(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < size ? at + 1 : size;
}

static size_t number_end(const char *text, size_t size, size_t at)
{
	while (at < size && strchr("+-.0123456789eE", text[at]) != NULL && text[at] != '\0')
		at++;
	return at;
}

/* The same JSON with quotes around each number. */
static void quote_numbers(struct ctl_text *out, const char *text, size_t size)
{
	size_t from = 0, at = 0;

	while (at < size) {
		if (text[at] == '"') {
			at = string_end(text, size, at);
		} else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
			size_t end = number_end(text, size, at);

			ctl_text_add(out, text + from, at - from);
			ctl_text_puts(out, "\"");
			ctl_text_add(out, text + at, end - at);
			ctl_text_puts(out, "\"");
			from = at = end;
		} else {
			at++;
		}
	}
	ctl_text_add(out, text + from, size - from);
}

json_t *ctl_json_read(const char *text, size_t size)
{
	struct ctl_text quoted = {0};
	json_t *value = NULL;

	quote_numbers(&quoted, text, size);
	if (!quoted.failed)
		value = json_loadb(quoted.bytes, quoted.size, JSON_ALLOW_NUL, NULL);
	ctl_text_deinit(&quoted);
	return value;
}

bool ctl_json_several(const char *text, size_t size)
{
	struct ctl_text quoted = {0};
	json_error_t read = {.position = 0};
	json_t *value = NULL;
	bool several = false;

	quote_numbers(&quoted, text, size);
	if (!quoted.failed)
		value = json_loadb(quoted.bytes, quoted.size,
				   JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &read);
	if (value != NULL) {
		const char *next = quoted.bytes + read.position;

		next += strspn(next, " \t\r\n,");
		several = *next == '{' || *next == '[' || *next == '"';
	}
	json_decref(value);
	ctl_text_deinit(&quoted);
	return several;
}

const char *ctl_json_word(const json_t *value)
{
	if (value == NULL)
		return "";
	switch (json_typeof(value)) {
	case JSON_STRING:
		return json_string_value(value);
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		return "null";
	default:
		return "";
	}
}

const char *ctl_json_member(const json_t *object, const char *name)
{
	return ctl_json_word(json_object_get(object, name));
}
