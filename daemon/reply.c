#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "daemon/reply.h"
#include "engine/resident.h"

#define BLOCK_SIZE (128u * 1024u) /* of a body read from a file: as sendfile */
#define EARLY_HEAD_SIZE 1024u

/* A body that begins in memory and goes on in a file (.npy). */
struct two_parts {
	char *head;
	size_t head_size;
	int fd;
	uint64_t fd_offset;
};

static ssize_t two_parts_read(void *context, uint64_t position, char *out, size_t room)
{
	const struct two_parts *parts = context;
	ssize_t got;

	if (position < parts->head_size) {
		size_t size = parts->head_size - (size_t)position;

		if (size > room)
			size = room;
		memcpy(out, parts->head + position, size);
		return (ssize_t)size;
	}
	do {
		got = pread(parts->fd, out, room,
			    (off_t)(parts->fd_offset + position - parts->head_size));
	} while (got < 0 && errno == EINTR);
	return got <= 0 ? MHD_CONTENT_READER_END_WITH_ERROR : got;
}

static void two_parts_free(void *context)
{
	struct two_parts *parts = context;

	free(parts->head);
	close(parts->fd);
	free(parts);
}

/* A body that begins in memory and goes on in a resident array. */
struct array_body {
	char *head;
	size_t head_size;
	struct resident *array;
};

static ssize_t array_body_read(void *context, uint64_t position, char *out, size_t room)
{
	const struct array_body *body = context;
	uint64_t left, size;

	if (position < body->head_size) {
		size = body->head_size - position;
		size = size < room ? size : room;
		memcpy(out, body->head + position, size);
		return (ssize_t)size;
	}
	position -= body->head_size;
	left = body->array->bytes - position;
	size = left < room ? left : room;
	return resident_read(body->array, position, out, size, NULL) == STATUS_OK
		       ? (ssize_t)size
		       : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void array_body_free(void *context)
{
	struct array_body *body = context;

	free(body->head);
	resident_release(body->array);
	free(body);
}

static struct MHD_Response *take_array(struct response *response)
{
	const uint64_t size = response->head_size + response->array->bytes;
	struct array_body *body = malloc(sizeof(*body));
	struct MHD_Response *out;

	if (body == NULL)
		return NULL;
	*body = (struct array_body){response->head, response->head_size, response->array};
	out = MHD_create_response_from_callback(size, BLOCK_SIZE, array_body_read, body,
						array_body_free);
	if (out == NULL) {
		free(body);
		return NULL;
	}
	response->head = NULL;
	response->array = NULL;
	return out;
}

/* The body leaves the exchange's response on success. */
static struct MHD_Response *take_body(struct response *response)
{
	struct MHD_Response *out;
	struct two_parts *parts;

	if (response->array != NULL)
		return take_array(response);
	if (response->fd < 0) {
		if (response->head == NULL)
			return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
		out = MHD_create_response_from_buffer(response->head_size, response->head,
						      MHD_RESPMEM_MUST_FREE);
		if (out != NULL)
			response->head = NULL;
		return out;
	}
	if (response->head_size == 0) {
		out = MHD_create_response_from_fd_at_offset64(response->fd_size, response->fd,
							      response->fd_offset);
		if (out != NULL)
			response->fd = -1;
		return out;
	}
	parts = malloc(sizeof(*parts));
	if (parts == NULL)
		return NULL;
	*parts = (struct two_parts){response->head, response->head_size, response->fd,
				    response->fd_offset};
	out = MHD_create_response_from_callback(response->head_size + response->fd_size, BLOCK_SIZE,
						two_parts_read, parts, two_parts_free);
	if (out == NULL) {
		free(parts);
		return NULL;
	}
	response->head = NULL;
	response->fd = -1;
	return out;
}

/* Calls `add` for each header field of the answer until it returns false. */
static bool each_field(const struct exchange *exchange,
		       bool (*add)(void *context, const char *name, const char *value),
		       void *context)
{
	const struct response *response = &exchange->response;
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%d", response->retry_after);
	return (response->content_type == NULL ||
		add(context, MHD_HTTP_HEADER_CONTENT_TYPE, response->content_type)) &&
	       add(context, "X-Request-Id", exchange->id) &&
	       (response->allow == NULL || add(context, MHD_HTTP_HEADER_ALLOW, response->allow)) &&
	       (response->retry_after == 0 || add(context, MHD_HTTP_HEADER_RETRY_AFTER, seconds)) &&
	       (response->job_header == NULL || add(context, "Foldd-Job", response->job_header)) &&
	       (!exchange->compressed ||
		(add(context, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") &&
		 add(context, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING))) &&
	       ((!exchange->close && !service_closes(exchange->service)) ||
		add(context, MHD_HTTP_HEADER_CONNECTION, "close"));
}

static bool add_to_response(void *context, const char *name, const char *value)
{
	return MHD_add_response_header(context, name, value) == MHD_YES;
}

enum MHD_Result reply_queue(struct exchange *exchange)
{
	struct MHD_Response *out = take_body(&exchange->response);
	enum MHD_Result result = MHD_NO;

	if (out == NULL)
		return MHD_NO;
	exchange->stage = STAGE_SENT;
	if (each_field(exchange, add_to_response, out)) {
		exchange->status = exchange->response.status;
		result = MHD_queue_response(exchange->connection, (unsigned)exchange->status, out);
	}
	MHD_destroy_response(out);
	return result;
}

struct early {
	char text[EARLY_HEAD_SIZE];
	size_t used;
};

static bool add_to_early(void *context, const char *name, const char *value)
{
	struct early *early = context;
	size_t room = sizeof(early->text) - early->used;
	int size = snprintf(early->text + early->used, room, "%s: %s\r\n", name, value);

	if (size < 0 || (size_t)size >= room)
		return false;
	early->used += (size_t)size;
	return true;
}

static void send_all(int fd, const char *bytes, size_t size, int flags)
{
	while (size > 0) {
		ssize_t sent = send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL | flags);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return;
		bytes += sent;
		size -= (size_t)sent;
	}
}

void reply_early(struct exchange *exchange)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	const struct response *response = &exchange->response;
	char length[24];
	struct early early = {.used = 0};

	exchange->close = true;
	exchange->status = response->status;
	exchange->stage = STAGE_LINGER;
	early.used = (size_t)snprintf(early.text, sizeof(early.text), "HTTP/1.1 %d %s\r\n",
				      response->status,
				      MHD_get_reason_phrase_for((unsigned)response->status));
	snprintf(length, sizeof(length), "%zu", response->head_size);
	if (info == NULL || !each_field(exchange, add_to_early, &early) ||
	    !add_to_early(&early, MHD_HTTP_HEADER_CONTENT_LENGTH, length) ||
	    early.used + 2 > sizeof(early.text))
		return;
	memcpy(early.text + early.used, "\r\n", 2);
	send_all(info->connect_fd, early.text, early.used + 2, MSG_MORE);
	if (strcmp(exchange->method, "HEAD") != 0)
		send_all(info->connect_fd, response->head, response->head_size, 0);
	shutdown(info->connect_fd, SHUT_WR);
}
