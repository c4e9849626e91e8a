/* job_query.h - a query string as a job object: the same members, their types by
 * the table of member.h, so that one reader (job_json.h) judges both. */
#ifndef PROTO_JOB_QUERY_H
#define PROTO_JOB_QUERY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "engine/status.h"
#include "proto/json_cut.h"

/* A query string taken apart; names and values decoded, in order. */
struct query_pair {
	char *name, *value; /* in struct query's buffer */
	size_t value_size;
	bool bare; /* no '=' */
};

struct query {
	char *buffer;
	struct query_pair *pairs;
	size_t count;
};

/* text NULL: empty. '&' parts pairs, a '+' is a plus. STATUS_BAD_VALUE: a broken
 * escape, a zero byte or what is not UTF-8. */
enum status query_init(struct query *out, const char *text, struct error *err);
void query_deinit(struct query *query);
bool query_has(const struct query *query, const char *name);

/* The job object. Number arrays are cut out, as json_cut.h does: they are in
 * spans. */
struct query_job {
	json_t *object;
	struct json_span *spans;
	size_t span_count;
	char *numbers; /* the spans' text */
};

enum status query_job_init(struct query_job *out, const struct query *query, struct error *err);
void query_job_deinit(struct query_job *job);

#endif
