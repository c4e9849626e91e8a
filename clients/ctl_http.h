/* ctl_http.h - one request to foldd and its answer, by libcurl, over TCP or a
 * UNIX socket. */
#ifndef CLIENTS_CTL_HTTP_H
#define CLIENTS_CTL_HTTP_H

#include <stdbool.h>
#include "clients/ctl_body.h"
#include "clients/ctl_exit.h"
#include "clients/ctl_sink.h"
#include "clients/ctl_text.h"

#define CTL_HTTP_DEFAULT_URL "http://127.0.0.1:7460"

struct ctl_server {
	const char *url;       /* base, without a path */
	const char *unix_path; /* NULL: TCP */
	bool progress;         /* of uploads, on stderr */
};

/* FOLDD_URL or the default; progress when stderr is a terminal. */
void ctl_server_init(struct ctl_server *server);

struct ctl_request {
	const char *path;      /* "/v1/reduce" */
	const char *accept;    /* NULL: JSON */
	const char *method;    /* NULL: POST with a body, else GET */
	bool only_new;         /* If-None-Match: * */
	struct ctl_body *body; /* NULL: none */
	struct ctl_sink *sink; /* gets a good answer that is of type
				* `accept`; NULL: all goes to text */
};

struct ctl_answer {
	long status;          /* HTTP number */
	long retry_after;     /* seconds, 0: not said */
	struct ctl_text text; /* body, unless the sink got it */
	bool in_sink;
};

/* CTL_OK: an answer came, good or bad. */
enum ctl_exit ctl_http_send(struct ctl_answer *out, const struct ctl_server *server,
			    const struct ctl_request *request);
void ctl_answer_deinit(struct ctl_answer *answer);

#endif
