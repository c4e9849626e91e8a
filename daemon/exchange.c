#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "daemon/answer.h"
#include "daemon/answer_arrays.h"
#include "daemon/exchange.h"
#include "daemon/log.h"
#include "daemon/reply.h"
#include "engine/clock.h"

/* A failed request's body is read to its end when this much is left of it, so
 * that the connection can be used again (chosen). */
#define DISCARD_MAX ((uint64_t)1 << 20)

/* After an early answer: how much more a client may send that does not look at
 * it. Closing at once would reset the connection and lose the answer. */
#define LINGER_MAX ((uint64_t)64 << 20)

struct exchange *exchange_create(struct service *service, const char *target)
{
	size_t size = strlen(target) + 2; /* "/" takes the place of nothing */
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (exchange == NULL)
		return NULL;
	exchange->target = malloc(size);
	exchange->path = malloc(size);
	if (exchange->target == NULL || exchange->path == NULL) {
		exchange_destroy(exchange);
		return NULL;
	}
	strcpy(exchange->target, target);
	exchange->path[0] = '\0';
	exchange->service = service;
	exchange->started_ns = clock_ns();
	exchange->code = "-";
	exchange->response.fd = -1;
	return exchange;
}

void exchange_destroy(struct exchange *exchange)
{
	if (exchange == NULL)
		return;
	if (exchange->counted)
		service_leave(exchange->service);
	if (exchange->has_response)
		response_deinit(&exchange->response);
	gunzip_destroy(exchange->gunzip);
	request_destroy(exchange->request);
	free(exchange->target);
	free(exchange->path);
	free(exchange);
}

void exchange_end(const struct exchange *exchange, bool sent)
{
	const char *code = exchange->code;

	if (exchange->stage == STAGE_HEAD || !log_is_on(LOG_INFO))
		return; /* the parser answered it */
	if (exchange->watched.end == WATCH_GONE)
		code = "client_gone";
	else if (!sent && exchange->stage != STAGE_LINGER)
		code = "not_sent";
	log_line(LOG_INFO, "request id=%s %s %s status=%d code=%s in=%" PRIu64 " us=%" PRIu64,
		 exchange->id, exchange->method, exchange->path, exchange->status, code,
		 exchange->received, (clock_ns() - exchange->started_ns) / 1000);
}

/* The client's own id when it is printable, else one of ours. */
static void choose_id(struct exchange *exchange)
{
	struct service *service = exchange->service;
	const char *given = exchange->headers.request_id;
	size_t size = given == NULL ? 0 : strlen(given);
	bool good = size > 0 && size < EXCHANGE_ID_SIZE;

	for (size_t i = 0; good && i < size; i++)
		good = given[i] > ' ' && given[i] <= '~';
	if (good)
		strcpy(exchange->id, given);
	else
		snprintf(exchange->id, sizeof(exchange->id), "%016" PRIx64 "-%" PRIu64,
			 service->id_seed, (uint64_t)atomic_fetch_add(&service->next_id, 1));
}

/* exchange->error is set: throw away what is left of a short body, or answer
 * while it comes. */
static enum MHD_Result refuse(struct exchange *exchange)
{
	int64_t length = exchange->headers.content_length;
	bool before_body = exchange->stage == STAGE_HEAD;
	bool is_short = length < 0 || (uint64_t)length - exchange->received <= DISCARD_MAX;

	if (is_short && !exchange->close && !(before_body && exchange->headers.expect_continue)) {
		exchange->stage = STAGE_DISCARD;
		return MHD_YES;
	}
	answer_error(exchange);
	/* A client that waits for "100 Continue" has sent nothing yet. */
	if (before_body && (length == 0 || exchange->close || exchange->headers.expect_continue))
		return reply_queue(exchange);
	reply_early(exchange);
	return MHD_YES;
}

/* All that can be said before the body, in the order of docs/api.md. */
static enum status check_head(struct exchange *exchange, const char *version, struct error *err)
{
	enum status status;
	size_t size = strlen(exchange->target) + 2;
	bool is_target;

	headers_read(&exchange->headers, exchange->connection);
	choose_id(exchange);
	is_target = target_split(exchange->target, exchange->path, size, &exchange->query);
	status = headers_check_framing(exchange->connection, version, err);
	if (status != STATUS_OK) {
		exchange->close = true;
		return status;
	}
	exchange->route = is_target ? route_find(exchange->path) : NULL;
	if (exchange->route == NULL)
		return fail(err, STATUS_NOT_FOUND, "there is no %s",
			    is_target ? exchange->path : exchange->target);
	if (!route_allows(exchange->route, method_from_name(exchange->method)))
		return fail(err, STATUS_METHOD_NOT_ALLOWED, "%s does not take %s", exchange->path,
			    exchange->method);
	if (strcmp(exchange->method, "OPTIONS") == 0)
		return STATUS_OK;
	if (exchange->route->kind == ROUTE_ABSENT)
		return fail(err, STATUS_NOT_IMPLEMENTED, "this build does not serve %s yet",
			    exchange->path);
	if (route_takes_body(exchange->route, method_from_name(exchange->method)) &&
	    atomic_load(&exchange->service->draining))
		return fail(err, STATUS_DRAINING, "foldd is shutting down");
	return STATUS_OK;
}

/* Content-Encoding, and whether the body is too large before it has come. */
static enum status check_body(struct exchange *exchange, struct error *err)
{
	const char *coding = exchange->headers.content_encoding;
	int64_t length = exchange->headers.content_length;
	uint64_t limit = engine_limits(exchange->service->engine)->body;

	if (coding != NULL &&
	    (strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0)) {
		exchange->gunzip = gunzip_create();
		if (exchange->gunzip == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory to decompress");
		limit += limit / 64 + 1024; /* data may grow a little by it */
	} else if (coding != NULL && strcasecmp(coding, "identity") != 0) {
		return fail(err, STATUS_UNSUPPORTED_MEDIA_TYPE,
			    "Content-Encoding %s: only gzip is taken", coding);
	}
	if (engine_limits(exchange->service->engine)->body != 0 && length > 0 &&
	    (uint64_t)length > limit)
		return fail(err, STATUS_TOO_LARGE,
			    "the body has %" PRId64 " bytes, limits.body is %" PRIu64, length,
			    engine_limits(exchange->service->engine)->body);
	return STATUS_OK;
}

static enum status open_request(struct exchange *exchange, struct error *err)
{
	const struct headers *headers = &exchange->headers;
	char name[ARRAY_NAME_SIZE];
	struct request_args args = {
		.engine = exchange->service->engine,
		.files = &exchange->service->files,
		.endpoint = exchange->route->endpoint,
		.query = exchange->query,
		.content_type = headers->content_type,
		.accept = headers->accept,
		.content_length = exchange->gunzip != NULL ? -1 : headers->content_length,
		.job_length = headers->job_length,
	};

	enum status status;

	if (exchange->route->kind == ROUTE_ARRAY) {
		array_name_of(name, exchange->path);
		args.array = name;
		args.only_new =
			headers->if_none_match != NULL && strcmp(headers->if_none_match, "*") == 0;
	}
	status = request_create(&args, &exchange->request, err);
	if (status == STATUS_OK && headers->bad_job_length)
		return fail(err, STATUS_BAD_VALUE, "Foldd-Job-Length is no number of bytes");
	return status;
}

static enum MHD_Result begin(struct exchange *exchange, const char *method, const char *version)
{
	enum status status;

	snprintf(exchange->method, sizeof(exchange->method), "%s", method);
	exchange->counted = true;
	service_enter(exchange->service);
	status = check_head(exchange, version, &exchange->error);
	if (status == STATUS_OK && route_takes_body(exchange->route, method_from_name(method))) {
		status = check_body(exchange, &exchange->error);
		if (status == STATUS_OK)
			status = open_request(exchange, &exchange->error);
		if (status == STATUS_OK) {
			exchange->stage = STAGE_BODY;
			return MHD_YES;
		}
	} else if (status == STATUS_OK && exchange->headers.content_length > (int64_t)DISCARD_MAX) {
		status = fail(&exchange->error, STATUS_TOO_LARGE, "%s takes no body",
			      exchange->path);
	}
	if (status != STATUS_OK)
		return refuse(exchange);
	exchange->stage = STAGE_DISCARD; /* of a GET: usually there is nothing */
	return MHD_YES;
}

static enum status take_decoded(void *context, const void *bytes, size_t size, struct error *err)
{
	struct exchange *exchange = context;
	uint64_t limit = engine_limits(exchange->service->engine)->body;

	exchange->decoded += size;
	if (limit != 0 && exchange->decoded > limit)
		return fail(err, STATUS_TOO_LARGE,
			    "the body has more bytes than limits.body allows (%" PRIu64 ")", limit);
	return request_feed(exchange->request, bytes, size, err);
}

static enum MHD_Result take_piece(struct exchange *exchange, const char *data, size_t size)
{
	struct error *err = &exchange->error;
	enum status status;

	exchange->received += size;
	if (exchange->gunzip != NULL)
		status = gunzip_feed(exchange->gunzip, data, size, take_decoded, exchange, err);
	else
		status = take_decoded(exchange, data, size, err);
	return status == STATUS_OK ? MHD_YES : refuse(exchange);
}

static enum MHD_Result discard_piece(struct exchange *exchange, size_t size)
{
	exchange->received += size;
	exchange->discarded += size;
	if (exchange->stage == STAGE_LINGER)
		return exchange->discarded <= LINGER_MAX ? MHD_YES : MHD_NO;
	if (exchange->discarded <= DISCARD_MAX)
		return MHD_YES;
	if (exchange->error.status == STATUS_OK)
		fail(&exchange->error, STATUS_TOO_LARGE, "%s takes no body", exchange->path);
	answer_error(exchange);
	reply_early(exchange);
	return MHD_YES;
}

/* On a worker's thread (or the main loop's, when it never began): make the
 * answer there, and hand the exchange back to its HTTP thread. */
static void work_done(struct work *work)
{
	struct exchange *exchange = work->owner;
	struct service *service = exchange->service;

	watch_remove(service->watch, &exchange->watched);
	answer_tasks(exchange);
	exchange->stage = STAGE_ANSWER;
	MHD_resume_connection(exchange->connection); /* it may be gone now */
	service_done(service);
}

/* A file that is read may make its reader wait for a disk or a network, one
 * that is written is synced at its end: neither is for an HTTP thread. */
static bool is_read(const struct source *source)
{
	return source != NULL && source->data == NULL && source->resident == NULL;
}

static bool touches_files(const struct task *task)
{
	return task->output_fd >= 0 || (task->upload != NULL && upload_waits(task->upload)) ||
	       is_read(task->x) || is_read(task->y);
}

static bool runs_here(const struct exchange *exchange)
{
	for (uint64_t i = 0; i < exchange->work.count; i++) {
		if (touches_files(exchange->work.tasks[i]))
			return false;
	}
	return scheduler_is_inline(exchange->service->scheduler, exchange->work.tasks,
				   exchange->work.count);
}

static enum MHD_Result hand_over(struct exchange *exchange)
{
	struct service *service = exchange->service;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	enum status status;

	exchange->work.done = work_done;
	exchange->work.owner = exchange;
	exchange->watched.work = &exchange->work;
	exchange->watched.fd = info->connect_fd;
	exchange->watched.started_ns = clock_ns();
	exchange->stage = STAGE_WORK;

	/* In this order: from submission on another thread has the exchange. */
	MHD_suspend_connection(exchange->connection);
	watch_add(service->watch, &exchange->watched);
	status = service_submit(service, &exchange->work, &exchange->error);
	if (status != STATUS_OK) {
		watch_remove(service->watch, &exchange->watched);
		answer_error(exchange);
		exchange->stage = STAGE_ANSWER;
		MHD_resume_connection(exchange->connection);
	}
	return MHD_YES;
}

static enum MHD_Result end_body(struct exchange *exchange)
{
	struct error *err = &exchange->error;
	enum status status = STATUS_OK;

	if (exchange->gunzip != NULL)
		status = gunzip_end(exchange->gunzip, err);
	if (status == STATUS_OK)
		status = request_end(exchange->request, err);
	if (status != STATUS_OK) {
		answer_error(exchange);
		return reply_queue(exchange);
	}
	exchange->work.tasks = request_tasks(exchange->request, &exchange->work.count);
	if (!runs_here(exchange))
		return hand_over(exchange);
	scheduler_run(exchange->service->engine, exchange->work.tasks, exchange->work.count);
	answer_tasks(exchange);
	return reply_queue(exchange);
}

enum MHD_Result exchange_step(struct exchange *exchange, struct MHD_Connection *connection,
			      const char *method, const char *version, const char *data,
			      size_t *size)
{
	size_t piece = *size;

	exchange->connection = connection;
	*size = 0;
	switch (exchange->stage) {
	case STAGE_HEAD:
		*size = piece; /* this call is not for the body */
		return begin(exchange, method, version);
	case STAGE_BODY:
		return piece > 0 ? take_piece(exchange, data, piece) : end_body(exchange);
	case STAGE_DISCARD:
		if (piece > 0)
			return discard_piece(exchange, piece);
		if (exchange->error.status != STATUS_OK)
			answer_error(exchange);
		else
			answer_route(exchange);
		return reply_queue(exchange);
	case STAGE_LINGER:
		return piece > 0 ? discard_piece(exchange, piece) : MHD_NO;
	case STAGE_ANSWER:
		return exchange->watched.end == WATCH_GONE ? MHD_NO : reply_queue(exchange);
	case STAGE_WORK:
	case STAGE_SENT:
		break;
	}
	return MHD_NO;
}
