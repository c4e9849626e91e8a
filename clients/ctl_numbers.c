#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "clients/ctl_numbers.h"

void ctl_numbers_init(struct ctl_numbers *numbers, const char *name)
{
	memset(numbers, 0, sizeof(*numbers));
	numbers->name = name;
	numbers->state = CTL_NUMBERS_BEGIN;
	numbers->line = 1;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_separator(char c)
{
	return is_space(c) || c == ',' || c == ';';
}

static enum ctl_exit token_end(struct ctl_numbers *numbers, struct ctl_text *out)
{
	if (numbers->count == 0 && numbers->token_size >= 3 &&
	    memcmp(numbers->token, "\xef\xbb\xbf", 3) == 0) {
		/* A byte order mark, as Windows puts it before UTF-8. */
		numbers->token_size -= 3;
		memmove(numbers->token, numbers->token + 3, numbers->token_size);
	}
	if (numbers->token_size == 0)
		return CTL_OK;
	if (numbers->count != 0)
		ctl_text_puts(out, ",");
	if (!ctl_number_to_json(out, numbers->token, numbers->token_size))
		return ctl_fail(CTL_LOCAL,
				"%s, line %" PRIu64 ": '%.*s' is not a number (raw elements need "
				"--dtype)",
				numbers->name, numbers->line,
				numbers->token_size < 40 ? (int)numbers->token_size : 40,
				numbers->token);
	numbers->count++;
	numbers->token_size = 0;
	return CTL_OK;
}

static enum ctl_exit tokens_feed(struct ctl_numbers *numbers, struct ctl_text *out,
				 const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (is_separator(bytes[i])) {
			enum ctl_exit code = token_end(numbers, out);

			if (code != CTL_OK)
				return code;
			numbers->line += bytes[i] == '\n';
		} else if (bytes[i] == '\0') {
			return ctl_fail(CTL_LOCAL,
					"%s, line %" PRIu64 ": a NUL byte, which no text has (raw "
					"elements need --dtype)",
					numbers->name, numbers->line);
		} else if (numbers->token_size == sizeof(numbers->token)) {
			return ctl_fail(CTL_LOCAL,
					"%s, line %" PRIu64 ": no number has over %u characters",
					numbers->name, numbers->line, CTL_NUMBER_MAX);
		} else {
			numbers->token[numbers->token_size++] = bytes[i];
		}
	}
	return CTL_OK;
}

/* The server would complain of the whole job object around an array that does
 * not end where the text does. */
static enum ctl_exit json_feed(struct ctl_numbers *numbers, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = bytes[i];

		if (numbers->json.ended && !is_space(c))
			return ctl_fail(CTL_LOCAL,
					"%s, line %" PRIu64
					": '%c' after the end of the JSON array",
					numbers->name, numbers->line, c);
		numbers->line += c == '\n';
		if (numbers->json.escaped)
			numbers->json.escaped = false;
		else if (numbers->json.in_string && c == '\\')
			numbers->json.escaped = true;
		else if (c == '"')
			numbers->json.in_string = !numbers->json.in_string;
		else if (!numbers->json.in_string && (c == '[' || c == '{'))
			numbers->json.depth++;
		else if (!numbers->json.in_string && (c == ']' || c == '}'))
			numbers->json.ended = --numbers->json.depth == 0;
	}
	return CTL_OK;
}

enum ctl_exit ctl_numbers_feed(struct ctl_numbers *numbers, struct ctl_text *out, const char *bytes,
			       size_t size)
{
	size_t i = 0;

	if (numbers->state == CTL_NUMBERS_BEGIN) {
		while (i < size && is_space(bytes[i]))
			numbers->line += bytes[i++] == '\n';
		if (i == size)
			return CTL_OK;
		numbers->state = bytes[i] == '[' ? CTL_NUMBERS_JSON : CTL_NUMBERS_TOKENS;
		if (numbers->state == CTL_NUMBERS_TOKENS)
			ctl_text_puts(out, "[");
	}
	if (numbers->state == CTL_NUMBERS_TOKENS)
		return tokens_feed(numbers, out, bytes + i, size - i);
	ctl_text_add(out, bytes + i, size - i);
	return json_feed(numbers, bytes + i, size - i);
}

enum ctl_exit ctl_numbers_end(struct ctl_numbers *numbers, struct ctl_text *out)
{
	enum ctl_exit code;

	if (numbers->state == CTL_NUMBERS_JSON)
		return numbers->json.ended
			       ? CTL_OK
			       : ctl_fail(CTL_LOCAL,
					  "%s: the JSON array does not end: ']' is missing",
					  numbers->name);
	if (numbers->state == CTL_NUMBERS_BEGIN)
		ctl_text_puts(out, "[");
	code = token_end(numbers, out);
	if (code == CTL_OK)
		ctl_text_puts(out, "]");
	return code;
}
