/* request.h - the only place where the bytes of a request become tasks.
 *
 * Knows nothing of HTTP: it is given the query string, the content type, two
 * lengths, and then the body in pieces of any size. Bodies of kinds 2 to 4
 * (docs/api.md) are reduced as they arrive; JSON is kept until it is whole.
 *
 *   request_create -> request_feed ... -> request_end -> run the tasks that
 *   are not done -> request_commit -> response.h
 */
#ifndef PROTO_REQUEST_H
#define PROTO_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/engine.h"
#include "engine/task.h"
#include "proto/file_access.h"

enum endpoint {
	ENDPOINT_REDUCE,
	ENDPOINT_SCAN,
	ENDPOINT_BATCH,
	ENDPOINT_MERGE,
	ENDPOINT_ARRAY /* the body is an array to be kept */
};

struct request_args {
	struct engine *engine;
	const struct file_access *files; /* NULL: no file jobs: path_forbidden */
	enum endpoint endpoint;
	const char *array;        /* ENDPOINT_ARRAY: its name, else NULL */
	bool only_new;            /* likewise: one of that name is array_exists */
	const char *query;        /* after the '?', still percent-encoded; NULL */
	const char *content_type; /* NULL: none */
	const char *accept;       /* which form the answer takes; NULL: JSON */
	int64_t content_length;   /* of the decoded body; -1: not known */
	int64_t job_length;       /* header Foldd-Job-Length; -1: none */
};

struct request;

/* STATUS_UNSUPPORTED_MEDIA_TYPE, STATUS_TOO_LARGE, ... see docs/api.md. */
enum status request_create(const struct request_args *args, struct request **out,
			   struct error *err);
void request_destroy(struct request *request); /* and its tasks */

/* The next bytes of the body. After a failure the rest of the body need not
 * be given: the answer is the error. */
enum status request_feed(struct request *request, const void *bytes, size_t size,
			 struct error *err);

/* The body is complete. */
enum status request_end(struct request *request, struct error *err);

/* After request_end(): the tasks in order (one, but for a batch); those with
 * `done` set have been run, or refused, already. */
struct task **request_tasks(const struct request *request, uint64_t *count);
bool request_is_batch(const struct request *request);

/* When every task is done: give output files and resident arrays their names. A
 * task whose file or array cannot be named fails. */
void request_commit(struct request *request);

/* After request_commit() of ENDPOINT_ARRAY: the array that has its name now, and
 * whether there was none before; NULL: the task failed. The request's own. */
struct resident;
const struct resident *request_stored(const struct request *request, bool *created);

/* What a task's answer needs of its job object beside the result. */
struct task_output {
	const char *path; /* `output`, as sent; NULL: in the response */
};
void request_task_output(const struct task *task, struct task_output *out);

#endif
