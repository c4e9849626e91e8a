/* job_json.h - a job object (docs/api.md), read member by member in the order
 * of the document. The first member at fault is the error, with its pointer. */
#ifndef PROTO_JOB_JSON_H
#define PROTO_JOB_JSON_H

#include <jansson.h>
#include "engine/job.h"
#include "engine/limits.h"
#include "proto/input.h"
#include "proto/json_cut.h"
#include "proto/json_value.h"

/* All that a job object says. */
struct job_spec {
	struct job job;
	struct input x;
	struct input y;        /* `with`; INPUT_NONE without */
	struct input segments; /* data, a file, an array or a part, of int64 */
	char *output;          /* owned path; NULL: in the response */
	bool overwrite;
};

struct job_context {
	const struct limits *limits;
	struct json_span *spans; /* of the number arrays cut out */
	size_t span_count;
	enum job_kind kind;
	bool kind_in_job; /* batch: each job says its kind */
	bool array;       /* a source alone: of an array to be kept */
	bool query;       /* the object was made of a query string */
	bool has_body;    /* the array is the body, of this format: no other source */
	enum input_format body_format;
	bool parts_known;  /* body of kind 4, whose list of parts is good */
	bool parts_here;   /* `parts` may stand in this object: not in a batch's */
	size_t part_count; /* when parts_known */
	/* What is wrong with `parts`, told when its turn comes. */
	const struct error *parts_error;
};

enum status job_json_read(struct job_spec *out, const json_t *object,
			  const struct job_context *context, struct error *err);
void job_spec_deinit(struct job_spec *spec);

#endif
