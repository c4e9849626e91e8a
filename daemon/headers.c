#include "config.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "daemon/headers.h"
#include "daemon/quantity.h"

struct framing {
	unsigned hosts, lengths, codings;
	bool bad_length, bad_coding, bad_name, bad_value;
};

/* token of RFC 9110, 5.6.2 */
static bool is_token(const char *text, size_t size)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		bool alphanumeric =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!alphanumeric && (c == '\0' || strchr(others, c) == NULL))
			return false;
	}
	return size > 0;
}

static enum MHD_Result look_at(void *context, enum MHD_ValueKind kind, const char *name,
			       size_t name_size, const char *value, size_t value_size)
{
	struct framing *framing = context;
	uint64_t length;

	(void)kind;
	if (!is_token(name, name_size))
		framing->bad_name = true;
	if (value == NULL || strlen(value) != value_size)
		framing->bad_value = true;
	else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0)
		framing->hosts++;
	else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
		framing->codings++;
		if (strcasecmp(value, "chunked") != 0)
			framing->bad_coding = true;
	} else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
		framing->lengths++;
		if (!quantity_count(value, &length) || length > INT64_MAX)
			framing->bad_length = true;
	}
	return MHD_YES;
}

enum status headers_check_framing(struct MHD_Connection *connection, const char *version,
				  struct error *err)
{
	struct framing seen = {0};
	bool is_1_0 = strcmp(version, MHD_HTTP_VERSION_1_0) == 0;
	const char *why = NULL;

	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, look_at, &seen);
	if (seen.bad_name)
		why = "a header field has a name that is not allowed";
	else if (seen.bad_value)
		why = "a header field has a NUL in its value, or no value";
	else if (seen.lengths > 0 && seen.codings > 0)
		why = "both Content-Length and Transfer-Encoding";
	else if (seen.lengths > 1)
		why = "several Content-Length fields";
	else if (seen.bad_length)
		why = "Content-Length is no number of bytes";
	else if (seen.codings > 1 || seen.bad_coding)
		why = "a Transfer-Encoding other than chunked";
	else if (seen.codings > 0 && is_1_0)
		why = "Transfer-Encoding in HTTP/1.0";
	else if (seen.hosts > 1)
		why = "several Host fields";
	else if (seen.hosts == 0 && !is_1_0)
		why = "no Host field";
	if (why != NULL)
		return fail(err, STATUS_BAD_VALUE, "bad framing: %s", why);
	return STATUS_OK;
}

static const char *lookup(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

void headers_read(struct headers *out, struct MHD_Connection *connection)
{
	const char *length = lookup(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	const char *job = lookup(connection, "Foldd-Job-Length");
	const char *expect = lookup(connection, MHD_HTTP_HEADER_EXPECT);
	uint64_t number = 0;

	*out = (struct headers){
		.accept = lookup(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_encoding = lookup(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
		.content_type = lookup(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
		.content_encoding = lookup(connection, MHD_HTTP_HEADER_CONTENT_ENCODING),
		.if_none_match = lookup(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.request_id = lookup(connection, "X-Request-Id"),
		.expect_continue = expect != NULL && strcasecmp(expect, "100-continue") == 0,
		.job_length = -1,
	};
	if (lookup(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL)
		out->content_length = -1;
	else if (length != NULL && quantity_count(length, &number))
		out->content_length = (int64_t)number;

	if (job != NULL && quantity_count(job, &number) && number <= INT64_MAX)
		out->job_length = (int64_t)number;
	else
		out->bad_job_length = job != NULL;
}

/* q of the parameters behind a coding; 1 when there is none. */
static bool weight_is_zero(const char *parameters, size_t size)
{
	const char *end = parameters + size;

	while (parameters < end &&
	       (*parameters == ' ' || *parameters == '\t' || *parameters == ';'))
		parameters++;
	if (end - parameters < 2 || strncasecmp(parameters, "q=", 2) != 0)
		return false;
	for (parameters += 2; parameters < end; parameters++) {
		if (*parameters >= '1' && *parameters <= '9')
			return false;
	}
	return true;
}

bool headers_accept_gzip(const char *accept_encoding)
{
	bool any = false;

	while (accept_encoding != NULL && *accept_encoding != '\0') {
		size_t item, name;

		accept_encoding += strspn(accept_encoding, ", \t");
		item = strcspn(accept_encoding, ",");
		name = strcspn(accept_encoding, ",; \t");
		if ((name == 4 && strncasecmp(accept_encoding, "gzip", 4) == 0) ||
		    (name == 6 && strncasecmp(accept_encoding, "x-gzip", 6) == 0))
			return !weight_is_zero(accept_encoding + name, item - name);
		if (name == 1 && *accept_encoding == '*')
			any = !weight_is_zero(accept_encoding + name, item - name);
		accept_encoding += item;
	}
	return any;
}
