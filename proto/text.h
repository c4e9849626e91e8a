/* text.h - a byte buffer that grows, and the few things written into one.
 *
 * A failed allocation sticks: later calls do nothing, and text_take() gives
 * NULL. So only the end of a long piece of writing needs a check. */
#ifndef PROTO_TEXT_H
#define PROTO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *bytes; /* no final 0 */
	size_t size; /* bytes written */
	size_t room; /* bytes allocated */
	bool failed;
};

/* room: bytes worth allocating at once; 0 is fine. */
void text_init(struct text *text, size_t room);
void text_deinit(struct text *text);

/* Make room for `more` further bytes. False: no memory. */
bool text_grow(struct text *text, size_t more);

/* Where the next bytes go, with room for `more` of them; the caller writes
 * and adds to text->size. NULL: no memory. */
static inline char *text_reserve(struct text *text, size_t more)
{
	if (text->failed || (text->room - text->size < more && !text_grow(text, more)))
		return NULL;
	return text->bytes + text->size;
}

static inline void text_add(struct text *text, const void *bytes, size_t size)
{
	char *at = text_reserve(text, size);

	if (at == NULL || size == 0)
		return;
	memcpy(at, bytes, size);
	text->size += size;
}

static inline void text_puts(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_uint(struct text *text, uint64_t value);

/* A JSON string with its quotes. What is not UTF-8 becomes U+FFFD: the words
 * of an error may hold any bytes that a client sent. */
void text_quote(struct text *text, const char *string);

/* Give the bytes away (from malloc) and begin anew; NULL when it failed.
 * Followed by a 0 that is not counted. */
char *text_take(struct text *text, size_t *size);

#endif
