/* http.h - libmicrohttpd: its threads, its limits, its callbacks. */
#ifndef DAEMON_HTTP_H
#define DAEMON_HTTP_H

#include "daemon/listen.h"
#include "daemon/service.h"

struct http; /* the threads of one listener */

/* Takes connections from the listener on. */
enum status http_start(struct service *service, struct listener *listener, struct http **out,
		       struct error *err);

/* No new connections from here on; closes the listener's socket. */
void http_quiesce(struct http *http);

/* Ends the threads and closes all connections. No work may be under way. */
void http_stop(struct http *http);

#endif
