/* exchange.h - one request and its answer, from the request line to the log.
 *
 * One thread at a time: the connection's HTTP thread but between suspension
 * and resumption, when it is the worker's. */
#ifndef DAEMON_EXCHANGE_H
#define DAEMON_EXCHANGE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include "daemon/headers.h"
#include "daemon/routes.h"
#include "daemon/service.h"
#include "daemon/watch.h"
#include "proto/gzip.h"
#include "proto/request.h"
#include "proto/response.h"

#define EXCHANGE_ID_SIZE 129u

enum stage {
	STAGE_HEAD,    /* only the request line has been seen */
	STAGE_BODY,    /* pieces of the body go to the request */
	STAGE_DISCARD, /* pieces are thrown away; then comes the answer */
	STAGE_LINGER,  /* the answer is out, the client still sends */
	STAGE_WORK,    /* suspended; another thread has it */
	STAGE_ANSWER,  /* the response waits to be queued */
	STAGE_SENT     /* queued */
};

struct exchange {
	struct service *service;
	struct MHD_Connection *connection;
	enum stage stage;

	char *target;      /* of the request line, as sent */
	char *path;        /* of it, decoded */
	const char *query; /* within target, or NULL */
	char method[16];   /* cut to fit, for the log */
	const struct route *route;
	struct headers headers;
	char id[EXCHANGE_ID_SIZE];

	uint64_t started_ns; /* CLOCK_MONOTONIC */
	uint64_t received;   /* bytes of the body as they came */
	uint64_t decoded;    /* without Content-Encoding */
	uint64_t discarded;

	bool counted; /* by service_enter() */
	bool close;   /* the connection cannot be used further */
	struct gunzip *gunzip;
	struct request *request;
	struct work work;
	struct watched watched;

	struct error error; /* the first failure outside the tasks */
	bool has_response;
	struct response response;
	bool compressed;  /* the response's body is gzip */
	const char *code; /* for the log: of the problem, or "-" */
	int status;       /* HTTP number sent; 0: none yet */
};

struct exchange *exchange_create(struct service *service, const char *target);
void exchange_destroy(struct exchange *exchange);

/* What libmicrohttpd's access handler is called for, each time. */
enum MHD_Result exchange_step(struct exchange *exchange, struct MHD_Connection *connection,
			      const char *method, const char *version, const char *data,
			      size_t *size);

/* The answer has been sent, or never will be: write the log line. */
void exchange_end(const struct exchange *exchange, bool sent);

#endif
