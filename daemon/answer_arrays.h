/* answer_arrays.h - answers about resident arrays. */
#ifndef DAEMON_ANSWER_ARRAYS_H
#define DAEMON_ANSWER_ARRAYS_H

#include "daemon/exchange.h"

/* More than any name has: a longer one is cut, and still too long. */
#define ARRAY_NAME_SIZE 260u

/* The name in "/v1/arrays/NAME" and "/v1/arrays/NAME/data". */
void array_name_of(char out[ARRAY_NAME_SIZE], const char *path);

/* GET and DELETE; a failure is in exchange->error. */
enum status answer_arrays(struct exchange *exchange);

/* PUT, whose array has its name now. */
void answer_stored(struct exchange *exchange);

#endif
