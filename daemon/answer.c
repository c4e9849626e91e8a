#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "daemon/answer.h"
#include "daemon/answer_arrays.h"
#include "daemon/log.h"
#include "proto/gzip.h"

#define GZIP_LEAST 1024u /* bytes of a body worth compressing (docs/api.md) */

/* Where the client may look the failure up, and the log has it. */
static const char *log_internal(const struct exchange *exchange, const struct error *err)
{
	if (err->status != STATUS_INTERNAL)
		return NULL;
	log_line(LOG_ERROR, "internal id=%s %s", exchange->id, err->text);
	return exchange->id;
}

static void compress(struct exchange *exchange)
{
	struct response *response = &exchange->response;
	size_t size;
	void *small;

	if (response->fd >= 0 || response->array != NULL || response->head == NULL ||
	    response->head_size <= GZIP_LEAST ||
	    !headers_accept_gzip(exchange->headers.accept_encoding))
		return;
	small = gzip_all(response->head, response->head_size, &size);
	if (small == NULL)
		return;
	free(response->head);
	response->head = small;
	response->head_size = size;
	exchange->compressed = true;
}

static void ready(struct exchange *exchange, const char *code)
{
	exchange->has_response = true;
	exchange->code = code;
	compress(exchange);
}

static void problem(struct exchange *exchange, const struct error *err)
{
	response_of_error(&exchange->response, err, log_internal(exchange, err));
	if (err->status == STATUS_METHOD_NOT_ALLOWED) {
		char allow[ROUTE_ALLOW_SIZE];

		route_allow(exchange->route, allow);
		exchange->response.allow = strdup(allow);
	}
	ready(exchange, status_code(err->status));
}

void answer_error(struct exchange *exchange)
{
	problem(exchange, &exchange->error);
}

/* A body that does not change. */
static void constant(struct response *out, int status, const char *type, const char *bytes,
		     size_t size)
{
	*out = (struct response){.status = status, .content_type = type, .fd = -1};
	out->head = malloc(size + 1);
	if (out->head == NULL) {
		struct error err = {0};

		fail(&err, STATUS_OUT_OF_MEMORY, "no memory for the answer");
		response_of_error(out, &err, NULL);
		return;
	}
	memcpy(out->head, bytes, size);
	out->head_size = size;
}

static void options(struct exchange *exchange)
{
	char allow[ROUTE_ALLOW_SIZE];

	route_allow(exchange->route, allow);
	exchange->response = (struct response){.status = 204, .fd = -1, .allow = strdup(allow)};
}

void answer_route(struct exchange *exchange)
{
	struct service *service = exchange->service;
	struct response *response = &exchange->response;
	bool draining = atomic_load(&service->draining);

	if (strcmp(exchange->method, "OPTIONS") == 0) {
		options(exchange);
		ready(exchange, "-");
		return;
	}
	switch (exchange->route->kind) {
	case ROUTE_HEALTH:
		response_of_health(response, service->engine, true, NULL);
		break;
	case ROUTE_READY:
		response_of_health(response, service->engine, !draining,
				   draining ? "draining" : NULL);
		break;
	case ROUTE_INFO:
		response_of_info(response, service->engine);
		break;
	case ROUTE_OPENAPI:
		constant(response, 200, "application/yaml", openapi_yaml, openapi_yaml_size);
		break;
	case ROUTE_ARRAYS:
	case ROUTE_ARRAY:
	case ROUTE_ARRAY_DATA:
		if (answer_arrays(exchange) != STATUS_OK) {
			answer_error(exchange);
			return;
		}
		break;
	case ROUTE_JOB:
	case ROUTE_SERVER:
	case ROUTE_ABSENT:
		fail(&exchange->error, STATUS_INTERNAL, "no handler of %s", exchange->path);
		answer_error(exchange);
		return;
	}
	ready(exchange, "-");
}

/* Tasks that were cancelled because foldd ends did not run out of time. */
static void tell_draining(struct task **tasks, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (tasks[i]->error.status == STATUS_TIMEOUT)
			fail(&tasks[i]->error, STATUS_DRAINING,
			     "foldd is shutting down and the job took too long to wait for");
	}
}

void answer_tasks(struct exchange *exchange)
{
	struct engine *engine = exchange->service->engine;
	struct task **tasks;
	uint64_t count;
	const char *code = "-";

	request_commit(exchange->request);
	tasks = request_tasks(exchange->request, &count);
	if (exchange->watched.end == WATCH_DRAINED)
		tell_draining(tasks, count);

	if (request_is_batch(exchange->request)) {
		for (uint64_t i = 0; i < count; i++)
			log_internal(exchange, &tasks[i]->error);
		response_of_batch(&exchange->response, engine, tasks, count);
	} else if (tasks[0]->error.status == STATUS_INTERNAL) {
		problem(exchange, &tasks[0]->error);
		return;
	} else if (tasks[0]->error.status == STATUS_OK && exchange->route->kind == ROUTE_ARRAY) {
		answer_stored(exchange);
	} else {
		response_of_task(&exchange->response, engine, tasks[0], exchange->headers.accept);
		if (tasks[0]->error.status != STATUS_OK)
			code = status_code(tasks[0]->error.status);
	}
	ready(exchange, code);
}
