#include "config.h"
#include "proto/response.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/resident.h"
#include "proto/accept.h"
#include "proto/problem.h"
#include "proto/request.h"
#include "proto/response_parts.h"

#define SMALL_ROOM 1024u /* bytes that hold the answer of a small job */

static void response_init(struct response *out, int status, const char *content_type)
{
	*out = (struct response){.status = status, .content_type = content_type, .fd = -1};
}

void response_of_error(struct response *out, const struct error *err, const char *id)
{
	struct text text;

	text_init(&text, SMALL_ROOM);
	problem_write(&text, err, id);
	response_init(out, problem_http_status(err->status), PROBLEM_CONTENT_TYPE);
	out->retry_after = problem_retry_after(err->status);
	/* When there is no memory even for this, the number alone says it. */
	out->head = text_take(&text, &out->head_size);
}

static void response_of_no_memory(struct response *out)
{
	struct error err = {0};

	fail(&err, STATUS_OUT_OF_MEMORY, "no memory for the answer");
	response_of_error(out, &err, NULL);
}

void response_init_text(struct response *out, int status, const char *content_type,
			struct text *text)
{
	response_init(out, status, content_type);
	out->head = text_take(text, &out->head_size);
	if (out->head == NULL)
		response_of_no_memory(out);
}

static enum status json_answer(struct response *out, struct engine *engine, const struct task *task,
			       struct error *err)
{
	uint64_t elements = engine_limits(engine)->json_elements;
	struct text text;
	enum status status;

	text_init(&text, SMALL_ROOM);
	status = response_json_write(&text, task, RESPONSE_BODY, &elements, err);
	if (status != STATUS_OK) {
		text_deinit(&text);
		return status;
	}
	response_init_text(out, 200, "application/json", &text);
	return STATUS_OK;
}

/* An .npy or .npz, what else there is to say in Foldd-Job. */
static enum status file_answer(struct response *out, struct engine *engine, const struct task *task,
			       enum accept_form form, struct error *err)
{
	uint64_t elements = 0; /* arrays are left out */
	struct text text;
	size_t size;
	char *job_header;
	enum status status;

	text_init(&text, SMALL_ROOM);
	status = response_json_write(&text, task, RESPONSE_HEADER, &elements, err);
	if (status != STATUS_OK) {
		text_deinit(&text);
		return status;
	}
	job_header = text_take(&text, &size);
	if (job_header == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the answer");

	response_init(out, 200, form == ACCEPT_NPY ? "application/x-npy" : "application/zip");
	status = form == ACCEPT_NPY ? response_npy_body(out, engine, task->result, err)
				    : response_npz_body(out, engine, task->result, err);
	if (status != STATUS_OK) {
		free(job_header);
		return status;
	}
	out->job_header = job_header;
	return STATUS_OK;
}

void response_of_task(struct response *out, struct engine *engine, struct task *task,
		      const char *accept)
{
	enum accept_form form = ACCEPT_JSON;
	struct task_output output = {NULL};
	struct error err = {0};
	enum status status;

	assert(task->done);
	if (task->error.status != STATUS_OK) {
		response_of_error(out, &task->error, NULL);
		return;
	}
	request_task_output(task, &output);
	if (output.path == NULL)
		form = accept_choose(accept, task->result->op_count == 1);
	status = form == ACCEPT_JSON ? json_answer(out, engine, task, &err)
				     : file_answer(out, engine, task, form, &err);
	if (status != STATUS_OK)
		response_of_error(out, &err, NULL);
}

/* One entry: a result, or a problem in its place. */
static void write_entry(struct text *text, const struct task *task, uint64_t *elements)
{
	size_t before = text->size;
	struct error err = {0};

	assert(task->done);
	if (task->error.status != STATUS_OK) {
		problem_write(text, &task->error, NULL);
	} else if (response_json_write(text, task, RESPONSE_BODY, elements, &err) != STATUS_OK) {
		text->size = before;
		problem_write(text, &err, NULL);
	}
}

void response_of_batch(struct response *out, struct engine *engine, struct task *const *tasks,
		       uint64_t count)
{
	uint64_t elements = engine_limits(engine)->json_elements;
	struct text text;

	text_init(&text, SMALL_ROOM);
	text_puts(&text, "{\"results\":[");
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0)
			text_add(&text, ",", 1);
		write_entry(&text, tasks[i], &elements);
	}
	text_puts(&text, "]}");
	response_init_text(out, 200, "application/json", &text);
}

void response_deinit(struct response *response)
{
	free(response->head);
	free(response->job_header);
	free(response->allow);
	resident_release(response->array);
	if (response->fd >= 0)
		close(response->fd);
	*response = (struct response){.fd = -1};
}
