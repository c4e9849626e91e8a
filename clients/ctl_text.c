#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_text.h"

void ctl_text_deinit(struct ctl_text *text)
{
	free(text->bytes);
	memset(text, 0, sizeof(*text));
}

static bool reserve(struct ctl_text *text, size_t size)
{
	size_t room = text->room == 0 ? 64 : text->room;
	char *bytes;

	if (text->failed)
		return false;
	if (size < text->room - text->size)
		return true;
	while (room - text->size <= size) {
		if (__builtin_mul_overflow(room, 2, &room)) {
			text->failed = true;
			return false;
		}
	}
	bytes = realloc(text->bytes, room);
	if (bytes == NULL) {
		text->failed = true;
		return false;
	}
	text->bytes = bytes;
	text->room = room;
	return true;
}

void ctl_text_add(struct ctl_text *text, const void *bytes, size_t size)
{
	if (!reserve(text, size))
		return;
	if (size != 0)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

void ctl_text_puts(struct ctl_text *text, const char *string)
{
	ctl_text_add(text, string, strlen(string));
}

void ctl_text_printf(struct ctl_text *text, const char *format, ...)
{
	char small[256];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(small, sizeof(small), format, args);
	va_end(args);
	if (size < 0) {
		text->failed = true;
	} else if ((size_t)size < sizeof(small)) {
		ctl_text_add(text, small, (size_t)size);
	} else if (reserve(text, (size_t)size)) {
		va_start(args, format);
		vsnprintf(text->bytes + text->size, (size_t)size + 1, format, args);
		va_end(args);
		text->size += (size_t)size;
	}
}

void ctl_text_json_string(struct ctl_text *text, const char *string)
{
	ctl_text_puts(text, "\"");
	for (const char *p = string; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\')
			ctl_text_printf(text, "\\%c", c);
		else if (c < 0x20)
			ctl_text_printf(text, "\\u%04x", c);
		else
			ctl_text_add(text, p, 1);
	}
	ctl_text_puts(text, "\"");
}

void ctl_text_percent(struct ctl_text *text, const char *string)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,";

	for (const char *p = string; *p != '\0'; p++) {
		if (strchr(plain, *p) != NULL)
			ctl_text_add(text, p, 1);
		else
			ctl_text_printf(text, "%%%02X", (unsigned char)*p);
	}
}
