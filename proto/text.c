#include "config.h"
#include "proto/text.h"

#include <stdlib.h>

#define TEXT_LEAST 256u /* bytes of a first allocation: chosen */

void text_init(struct text *text, size_t room)
{
	*text = (struct text){0};
	if (room > 0)
		text_grow(text, room);
}

void text_deinit(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}

bool text_grow(struct text *text, size_t more)
{
	size_t needed, room = text->room < TEXT_LEAST ? TEXT_LEAST : text->room * 2;
	char *bytes;

	if (__builtin_add_overflow(text->size, more, &needed))
		goto failed;
	if (room < needed)
		room = needed;
	bytes = realloc(text->bytes, room);
	if (bytes == NULL)
		goto failed;
	text->bytes = bytes;
	text->room = room;
	return true;

failed:
	text->failed = true;
	return false;
}

void text_uint(struct text *text, uint64_t value)
{
	char digits[20]; /* of 2^64 - 1 */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	text_add(text, digits + at, sizeof(digits) - at);
}

static bool continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Bytes of the well-formed UTF-8 character at s, 0 when there is none
 * (Unicode 15, table 3-7). Stops at the final 0: it continues nothing. */
static size_t utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continues(s[1]) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		unsigned char least = s[0] == 0xe0 ? 0xa0 : 0x80;
		unsigned char most = s[0] == 0xed ? 0x9f : 0xbf;

		return s[1] >= least && s[1] <= most && continues(s[2]) ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		unsigned char least = s[0] == 0xf0 ? 0x90 : 0x80;
		unsigned char most = s[0] == 0xf4 ? 0x8f : 0xbf;

		return s[1] >= least && s[1] <= most && continues(s[2]) && continues(s[3]) ? 4 : 0;
	}
	return 0;
}

static void quote_control(struct text *text, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";
	char escape[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};

	if (byte == '\n')
		text_add(text, "\\n", 2);
	else if (byte == '\t')
		text_add(text, "\\t", 2);
	else
		text_add(text, escape, sizeof(escape));
}

void text_quote(struct text *text, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	text_add(text, "\"", 1);
	while (*s != 0) {
		size_t plain = 0, length = 0;

		while (s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\' &&
		       (length = utf8_length(s + plain)) > 0)
			plain += length;
		text_add(text, s, plain);
		s += plain;
		if (*s == 0)
			break;

		if (*s == '"')
			text_add(text, "\\\"", 2);
		else if (*s == '\\')
			text_add(text, "\\\\", 2);
		else if (*s < 0x20)
			quote_control(text, *s);
		else
			text_add(text, "\xef\xbf\xbd", 3);
		s++;
	}
	text_add(text, "\"", 1);
}

char *text_take(struct text *text, size_t *size)
{
	char *end = text_reserve(text, 1), *bytes = text->bytes;

	if (end == NULL) {
		text_deinit(text);
		return NULL;
	}
	*end = 0;
	*size = text->size;
	*text = (struct text){0};
	return bytes;
}
