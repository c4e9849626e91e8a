/* ctl_numbers.h - a text of numbers turned into a JSON array as it streams by.
 *
 * Numbers are separated by white space, commas or semicolons. A text that
 * begins with '[' is JSON already and passes unchanged; only that it is one
 * array, closed at its end, is seen to here. */
#ifndef CLIENTS_CTL_NUMBERS_H
#define CLIENTS_CTL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_number.h"
#include "clients/ctl_text.h"

struct ctl_numbers {
	const char *name; /* of the text, for messages */
	enum { CTL_NUMBERS_BEGIN, CTL_NUMBERS_JSON, CTL_NUMBERS_TOKENS } state;
	char token[CTL_NUMBER_MAX];
	size_t token_size;
	struct {
		uint64_t depth; /* brackets open */
		bool in_string, escaped, ended;
	} json;
	uint64_t line; /* from 1 */
	uint64_t count;
};

void ctl_numbers_init(struct ctl_numbers *numbers, const char *name);

/* Append to out what the next bytes of the text become. */
enum ctl_exit ctl_numbers_feed(struct ctl_numbers *numbers, struct ctl_text *out, const char *bytes,
			       size_t size);
enum ctl_exit ctl_numbers_end(struct ctl_numbers *numbers, struct ctl_text *out);

#endif
