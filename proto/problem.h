/* problem.h - a failure as problem details (RFC 9457). */
#ifndef PROTO_PROBLEM_H
#define PROTO_PROBLEM_H

#include "engine/status.h"
#include "proto/text.h"

#define PROBLEM_CONTENT_TYPE "application/problem+json"

/* The problem object. id: by which the log tells of it too; NULL: none. */
void problem_write(struct text *text, const struct error *err, const char *id);

/* Seconds after which trying again makes sense, or 0. */
int problem_retry_after(enum status status);

#endif
