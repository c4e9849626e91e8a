#include "config.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>
#include "daemon/exchange.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "engine/arithmetic.h"

struct http {
	struct MHD_Daemon *daemon;
	struct listener *listener;
};

static struct connection *connection_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info == NULL ? NULL : info->socket_context;
}

/* The first sight of a request, before libmicrohttpd takes its target apart.
 * When it fails to (0.9.75: no room for all of the query's parameters), it
 * comes here again with the same request, or never says that it ended. */
static void *on_target(void *context, const char *target, struct MHD_Connection *connection)
{
	struct connection *of = connection_of(connection);
	struct exchange *exchange = exchange_create(context, target);

	if (of != NULL) {
		exchange_destroy(of->exchange);
		of->exchange = exchange;
	}
	return exchange;
}

static enum MHD_Result on_step(void *context, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *data,
			       size_t *size, void **state)
{
	static _Thread_local bool prepared;

	(void)context;
	(void)url;
	if (!prepared) {
		arithmetic_init_thread();
		prepared = true;
	}
	if (*state == NULL)
		return MHD_NO; /* no memory */
	return exchange_step(*state, connection, method, version, data, size);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct exchange *exchange = *state;
	struct connection *of = connection_of(connection);

	(void)context;
	if (exchange == NULL)
		return;
	if (of != NULL)
		of->exchange = NULL;
	exchange_end(exchange, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	exchange_destroy(exchange);
	*state = NULL;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	struct service *service = context;
	const union MHD_ConnectionInfo *info;
	bool first = false;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*state != NULL)
			exchange_destroy(((struct connection *)*state)->exchange);
		connections_remove(&service->connections, *state);
		return;
	}
	/* Without memory for this it is served all the same. */
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	*state = connections_add(&service->connections, info->connect_fd, &first);
	if (first)
		service->wake(service->wake_context);
}

__attribute__((format(printf, 2, 0))) static void on_log(void *context, const char *format,
							 va_list args)
{
	char text[512];
	size_t size;

	(void)context;
	vsnprintf(text, sizeof(text), format, args);
	size = strlen(text);
	while (size > 0 && text[size - 1] == '\n')
		text[--size] = '\0';
	/* Mostly what clients do: half requests, closed connections. */
	log_line(LOG_DEBUG, "libmicrohttpd: %s", text);
}

static unsigned thread_count(const struct settings *settings)
{
	unsigned cores = uv_available_parallelism();
	uint64_t count = settings->http_threads != 0 ? settings->http_threads : cores;

	/* The limit of connections is divided among them. */
	return (unsigned)(count < settings->connections ? count : settings->connections);
}

enum status http_start(struct service *service, struct listener *listener, struct http **out,
		       struct error *err)
{
	const struct settings *settings = service->settings;
	unsigned threads = thread_count(settings);
	struct http *http = calloc(1, sizeof(*http));
	struct MHD_OptionItem pool[] = {
		/* One thread is the daemon's own, not a pool. */
		{threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads,
		 NULL},
		{MHD_OPTION_END, 0, NULL},
	};

	if (http == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a listener");
	http->listener = listener;
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_step, service,
		/* first, so that it hears what the other options say */
		MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET, listener->fd,
		MHD_OPTION_URI_LOG_CALLBACK, on_target, service, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, service,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)settings->connections,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)settings->connections_per_address,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)settings->idle_s,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)settings->connection_memory,
		MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
	if (http->daemon == NULL) {
		free(http);
		return fail(err, STATUS_INTERNAL, "%s: libmicrohttpd does not start",
			    listener->text);
	}
	*out = http;
	return STATUS_OK;
}

void http_quiesce(struct http *http)
{
	MHD_socket fd = MHD_quiesce_daemon(http->daemon);

	if (fd != MHD_INVALID_SOCKET)
		listener_close(http->listener);
}

void http_stop(struct http *http)
{
	MHD_stop_daemon(http->daemon);
	listener_close(http->listener);
	free(http);
}
