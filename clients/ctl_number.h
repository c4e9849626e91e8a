/* ctl_number.h - numbers as people type them, made into JSON literals without
 * ever becoming binary: what was typed is what the server rounds. */
#ifndef CLIENTS_CTL_NUMBER_H
#define CLIENTS_CTL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include "clients/ctl_text.h"

#define CTL_NUMBER_MAX 2048u /* bytes of one token; a binary64 in full needs 1,077 */

/* Append token[0..size) to out as a JSON value: 7, -0.5, 1e9, "NaN",
 * "Infinity", true. Also takes +7, 007, .5, 5., nan, inf in any case. False,
 * with nothing appended, when it is no number. */
bool ctl_number_to_json(struct ctl_text *out, const char *token, size_t size);

/* Does a command line argument look like a number below 0, not an option? */
bool ctl_number_is_negative_operand(const char *argument);

#endif
