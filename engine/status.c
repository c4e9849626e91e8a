#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "engine/status.h"

static const struct {
	const char *code, *title;
} statuses[STATUS_COUNT] = {[STATUS_OK] = {"ok", "OK"},
#define X(name, code, title) [STATUS_##name] = {code, title},
			    STATUS_LIST(X)
#undef X
};

const char *status_code(enum status status)
{
	return statuses[status].code;
}

const char *status_title(enum status status)
{
	return statuses[status].title;
}

/* Bytes of the well-formed UTF-8 sequence at s, or 0 (Unicode 15, table 3-7). */
static size_t utf8_sequence(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;

	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < length; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return length;
}

/* Explanations quote what clients sent and file names: any bytes, cut
 * anywhere. They go into JSON and into logs, so that broken UTF-8 and, with
 * `controls`, control characters become question marks. */
static void clean(char *text, bool controls)
{
	unsigned char *s = (unsigned char *)text;

	while (*s != '\0') {
		size_t length = utf8_sequence(s);

		if (length == 0 || (controls && (*s < 0x20 || *s == 0x7f)))
			*s = '?';
		s += length > 0 ? length : 1;
	}
}

static void explain(struct error *err, enum status status, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void explain(struct error *err, enum status status, const char *format, va_list args)
{
	memset(err, 0, sizeof(*err));
	err->status = status;
	if (vsnprintf(err->text, sizeof(err->text), format, args) < 0)
		snprintf(err->text, sizeof(err->text), "%s", status_title(status));
	clean(err->text, true);
}

/* In both: what is quoted may lie in *err itself, so that it changes last. */
enum status fail(struct error *err, enum status status, const char *format, ...)
{
	struct error filled;
	va_list args;

	if (err == NULL)
		return status;
	va_start(args, format);
	explain(&filled, status, format, args);
	va_end(args);
	*err = filled;
	return status;
}

enum status fail_at(struct error *err, enum status status, const char *pointer, const char *format,
		    ...)
{
	struct error filled;
	va_list args;

	if (err == NULL)
		return status;
	va_start(args, format);
	explain(&filled, status, format, args);
	va_end(args);
	filled.has_pointer = true;
	snprintf(filled.pointer, sizeof(filled.pointer), "%s", pointer);
	clean(filled.pointer, false);
	*err = filled;
	return status;
}
