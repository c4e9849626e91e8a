/* ctl_text.h - a growing string, and the escapes of JSON and of URLs.
 *
 * An append that fails for want of memory sticks: `failed` is set, later
 * appends do nothing, and whoever uses the text looks once. */
#ifndef CLIENTS_CTL_TEXT_H
#define CLIENTS_CTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct ctl_text {
	char *bytes; /* ended by a 0 that size leaves out; NULL when empty */
	size_t size, room;
	bool failed;
};

void ctl_text_deinit(struct ctl_text *text); /* also of a zeroed one */
void ctl_text_add(struct ctl_text *text, const void *bytes, size_t size);
void ctl_text_puts(struct ctl_text *text, const char *string);
void ctl_text_printf(struct ctl_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void ctl_text_json_string(struct ctl_text *text, const char *string); /* with quotes */
void ctl_text_percent(struct ctl_text *text, const char *string);     /* RFC 3986; commas stay */

#endif
