/* response.h - from finished tasks to the bytes of an answer. */
#ifndef PROTO_RESPONSE_H
#define PROTO_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/engine.h"
#include "engine/task.h"

struct resident;

struct response {
	int status;               /* HTTP number */
	const char *content_type; /* static */
	char *head;               /* bytes of the body, from malloc */
	size_t head_size;
	int fd; /* then fd_size bytes of it from fd_offset; -1:
		 * none. A descriptor of the response's own */
	uint64_t fd_offset, fd_size;
	struct resident *array; /* the bytes of its elements follow the head, or
				 * NULL; a reference of the response's own */
	char *job_header;       /* value of the header Foldd-Job, or NULL */
	char *allow;            /* value of Allow, or NULL */
	int retry_after;        /* seconds, or 0 */
};

/* Answer of /v1/reduce or /v1/scan: JSON, npy or npz as `accept` asks (NULL:
 * JSON). A failed task gives its problem. Never fails: out of memory gives a
 * problem too. */
void response_of_task(struct response *out, struct engine *engine, struct task *task,
		      const char *accept);

/* Answer of /v1/batch: {"results": [result or problem, ...]}. */
void response_of_batch(struct response *out, struct engine *engine, struct task *const *tasks,
		       uint64_t count);

/* What there is to say of an array: 201 when it is `created`, else 200. */
void response_of_array(struct response *out, const struct resident *array, bool created);

/* GET /v1/arrays/NAME/data: the array as .npy. Takes a reference of its own. */
void response_of_array_data(struct response *out, struct resident *array);

/* GET /v1/arrays. */
void response_of_arrays(struct response *out, struct arrays *arrays, struct file_cache *cache);

/* A problem (RFC 9457). id: for internal errors, the request's id; NULL. */
void response_of_error(struct response *out, const struct error *err, const char *id);

/* GET /v1/info. */
void response_of_info(struct response *out, struct engine *engine);

/* GET /healthz and /readyz. */
void response_of_health(struct response *out, struct engine *engine, bool ready, const char *why);

void response_deinit(struct response *response);

/* The HTTP number that goes with a status. */
int problem_http_status(enum status status);

/* openapi.yaml, built in. */
extern const char openapi_yaml[];
extern const size_t openapi_yaml_size;

#endif
