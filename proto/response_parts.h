/* response_parts.h - what the parts of response.c share. */
#ifndef PROTO_RESPONSE_PARTS_H
#define PROTO_RESPONSE_PARTS_H

#include "engine/task.h"
#include "proto/response.h"
#include "proto/text.h"

enum response_form {
	RESPONSE_BODY,  /* all of it */
	RESPONSE_HEADER /* Foldd-Job: arrays and the partial left out */
};

/* The answer of a task that went well, as a JSON object. *elements: how many
 * may still be written (limits.json_elements); lowered by those that were.
 * After a failure text may have half of it. */
enum status response_json_write(struct text *text, const struct task *task, enum response_form form,
				uint64_t *elements, struct error *err);

/* What an operation's results are; of all operations but for the type. */
void response_desc(struct array_desc *out, const struct result *result, unsigned op);

/* The body as .npy of the one operation, or .npz of all. Sets head and fd. */
enum status response_npy_body(struct response *out, struct engine *engine,
			      const struct result *result, struct error *err);
enum status response_npz_body(struct response *out, struct engine *engine,
			      const struct result *result, struct error *err);

/* A new answer with the text as its body; a problem when the text failed. */
void response_init_text(struct response *out, int status, const char *content_type,
			struct text *text);

#endif
