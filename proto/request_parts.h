/* request_parts.h - inside request.c and its parts: one file for each kind of
 * body, and what they share. */
#ifndef PROTO_REQUEST_PARTS_H
#define PROTO_REQUEST_PARTS_H

#include "proto/job_json.h"
#include "proto/job_query.h"
#include "proto/npy.h"
#include "proto/request.h"

#define NO_PART UINT64_MAX

/* What stands behind a task: where its result goes, and which parts of the
 * body it still needs. */
struct request_job {
	struct task *task;
	char *path;               /* `output` as sent; NULL: in the response */
	struct output_file *file; /* while it has no name; made by access */
	const struct file_access *access;
	int fd;        /* of file */
	bool streamed; /* x is pushed as its part arrives */
	uint64_t x, y, segments;
	bool x_typed, y_typed; /* the job gave a dtype */
	enum dtype x_dtype, y_dtype;
};

enum body_kind { BODY_UNDECIDED, BODY_JSON, BODY_NPY, BODY_RAW, BODY_PARTS };

/* Bytes kept until they are whole: a JSON text or an npy header. */
struct gathered {
	char *bytes;
	size_t size, capacity;
};

struct parts; /* request_part_list.h */

struct request {
	struct engine *engine;
	const struct limits *limits;
	const struct file_access *files;
	enum endpoint endpoint;
	char *query_text; /* NULL: none */
	char *accept;     /* likewise */
	int64_t content_length, job_length;
	enum body_kind kind;
	uint64_t received; /* bytes of the body */

	struct gathered text;
	struct task **tasks;
	uint64_t count, capacity;

	/* kinds 2 and 3: the array that is the body */
	struct input body; /* of raw elements: the job's dtype, shape, ... */
	bool begun;        /* the task is being pushed to */
	uint64_t seen;     /* bytes of the body handed over */
	uint64_t skip;     /* bytes before the first element */
	uint64_t expected; /* bytes of elements; ARRAY_UNKNOWN */
	uint64_t pushed;   /* bytes of elements so far */

	struct upload *upload;   /* ENDPOINT_ARRAY: until a task has it */
	struct resident *stored; /* likewise: in the end */
	bool stored_new;

	struct parts *parts; /* kind 4, once its job object is there */
};

/* ---- request.c ---- */

enum status gather(struct gathered *text, const void *bytes, size_t size, uint64_t limit,
		   struct error *err);
enum job_kind request_job_kind(const struct request *request);

/* ---- request_task.c ---- */

/* A task of the job, its sources opened but for parts and the body. The spec is
 * emptied. In a batch a job that fails becomes a refused task. */
enum status request_add(struct request *request, struct job_spec *spec, struct error *err);
enum status request_add_refused(struct request *request, const struct error *why,
				struct error *err);

/* A task that is done: takes the result over, also when it fails. */
enum status request_add_result(struct request *request, struct result *result, bool bits,
			       struct error *err);
struct request_job *request_job_of(const struct task *task);

/* The error of a task that is a request's only one. */
enum status request_task_error(const struct task *task, struct error *err);

/* Take the offsets out of a source of int64; closes it. */
enum status request_segments_from(struct task *task, struct source *source,
				  const struct limits *limits, struct error *err);

/* ---- request_store.c: ENDPOINT_ARRAY ---- */

enum status store_start(struct request *request, const struct request_args *args,
			struct error *err);
void store_deinit(struct request *request);
void store_commit(struct request *request, struct task *task);

/* ---- request_json.c: kind 1 and the job object of kind 4 ---- */

enum status request_read_document(struct request *request, const char *text, size_t size,
				  struct error *err);

/* ---- request_merge.c: /v1/merge ---- */

/* root: the document without its cut arrays. The merge is done here, and adds a
 * task that is done. */
enum status request_read_merge(struct request *request, const json_t *root, struct json_span *spans,
			       struct error *err);

/* ---- request_array.c: kinds 2 and 3 ---- */

enum status array_start(struct request *request, struct error *err);
enum status array_feed(struct request *request, const char *bytes, size_t size, struct error *err);
enum status array_end(struct request *request, struct error *err);

/* The job of a request whose body is empty. */
enum status query_only(struct request *request, struct error *err);

/* ---- request_part_list.c, request_binary.c: kind 4 ---- */

/* Before the jobs: `list` is the member `parts`, NULL when there is none. */
enum status parts_create(struct request *request, const json_t *list, struct error *err);
void parts_destroy(struct parts *parts); /* NULL is fine */
size_t parts_count(const struct parts *parts);

enum status parts_feed(struct request *request, const char *bytes, size_t size, struct error *err);
enum status parts_end(struct request *request, struct error *err);

#endif
