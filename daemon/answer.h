/* answer.h - what an exchange is answered with: fills its response. */
#ifndef DAEMON_ANSWER_H
#define DAEMON_ANSWER_H

#include "daemon/exchange.h"

/* A problem, from exchange->error. */
void answer_error(struct exchange *exchange);

/* The paths that take no body. */
void answer_route(struct exchange *exchange);

/* The tasks of the request have been run: name the files, write the results. */
void answer_tasks(struct exchange *exchange);

#endif
