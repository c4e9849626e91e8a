/* headers.h - what foldd reads of a request's header. */
#ifndef DAEMON_HEADERS_H
#define DAEMON_HEADERS_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/status.h"

struct MHD_Connection;

/* Texts are the connection's, valid until the request is completed; NULL when
 * there is no such field; the first when there are several. */
struct headers {
	const char *accept, *accept_encoding, *content_type, *content_encoding, *request_id,
		*if_none_match;
	int64_t content_length; /* 0: no body; -1: chunked */
	int64_t job_length;     /* Foldd-Job-Length; -1: none, or no number */
	bool bad_job_length;
	bool expect_continue;
};

/* Refuses (STATUS_BAD_VALUE) what other HTTP implementations may read as
 * another request than libmicrohttpd does: length and chunks together, several
 * lengths, no or several hosts, odd names of fields. The connection cannot be
 * used any further then. */
enum status headers_check_framing(struct MHD_Connection *connection, const char *version,
				  struct error *err);

void headers_read(struct headers *out, struct MHD_Connection *connection);

/* Whether an Accept-Encoding field takes gzip (RFC 9110, 12.5.3). */
bool headers_accept_gzip(const char *accept_encoding);

#endif
