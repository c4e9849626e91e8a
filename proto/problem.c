#include "config.h"
#include "proto/problem.h"

#include <assert.h>
#include "proto/response.h"

/* Seconds of Retry-After, chosen: a queue drains in well under a second, a
 * process is replaced or a backend comes back in a few. */
#define RETRY_QUEUE 1
#define RETRY_SERVICE 5

/* The HTTP number of each status, as docs/api.md has them. */
static const short http_numbers[STATUS_COUNT] = {
	[STATUS_OK] = 200,
	[STATUS_BAD_JSON] = 400,
	[STATUS_BAD_JOB] = 400,
	[STATUS_UNKNOWN_MEMBER] = 400,
	[STATUS_UNKNOWN_OP] = 400,
	[STATUS_BAD_DTYPE] = 400,
	[STATUS_BAD_SHAPE] = 400,
	[STATUS_BAD_VALUE] = 400,
	[STATUS_BAD_NPY] = 400,
	[STATUS_NO_SUCH_BACKEND] = 400,
	[STATUS_UNAUTHORIZED] = 401,
	[STATUS_FORBIDDEN] = 403,
	[STATUS_PATH_FORBIDDEN] = 403,
	[STATUS_NOT_FOUND] = 404,
	[STATUS_FILE_NOT_FOUND] = 404,
	[STATUS_NO_SUCH_ARRAY] = 404,
	[STATUS_NO_SUCH_JOB] = 404,
	[STATUS_METHOD_NOT_ALLOWED] = 405,
	[STATUS_FILE_CHANGED] = 409,
	[STATUS_FILE_EXISTS] = 409,
	[STATUS_JOB_EXPIRED] = 410,
	[STATUS_ARRAY_EXISTS] = 412,
	[STATUS_TOO_LARGE] = 413,
	[STATUS_UNSUPPORTED_MEDIA_TYPE] = 415,
	[STATUS_EMPTY_INPUT] = 422,
	[STATUS_NAN_FOUND] = 422,
	[STATUS_INTEGER_OVERFLOW] = 422,
	[STATUS_EXACT_UNSUPPORTED] = 422,
	[STATUS_PARTIALS_DIFFER] = 422,
	[STATUS_FILE_TRUNCATED] = 422,
	[STATUS_FILE_UNREADABLE] = 422,
	[STATUS_QUEUE_FULL] = 429,
	[STATUS_RATE_LIMITED] = 429,
	[STATUS_INTERNAL] = 500,
	[STATUS_NOT_IMPLEMENTED] = 501,
	[STATUS_DRAINING] = 503,
	[STATUS_BACKEND_UNAVAILABLE] = 503,
	[STATUS_ARRAY_LOST] = 503,
	[STATUS_TIMEOUT] = 504,
	[STATUS_OUT_OF_MEMORY] = 507,
};

int problem_http_status(enum status status)
{
	assert((unsigned)status < STATUS_COUNT && http_numbers[status] != 0);
	return http_numbers[status];
}

int problem_retry_after(enum status status)
{
	int http = problem_http_status(status);

	return http == 429 ? RETRY_QUEUE : http == 503 ? RETRY_SERVICE : 0;
}

void problem_write(struct text *text, const struct error *err, const char *id)
{
	text_puts(text, "{\"type\":\"urn:foldd:error:");
	text_puts(text, status_code(err->status));
	text_puts(text, "\",\"title\":");
	text_quote(text, status_title(err->status));
	text_puts(text, ",\"status\":");
	text_uint(text, (uint64_t)problem_http_status(err->status));
	text_puts(text, ",\"detail\":");
	text_quote(text, err->text);
	text_puts(text, ",\"code\":");
	text_quote(text, status_code(err->status));
	if (err->has_pointer) {
		text_puts(text, ",\"pointer\":");
		text_quote(text, err->pointer);
	}
	if (err->has_index) {
		text_puts(text, ",\"index\":");
		text_uint(text, err->index);
	}
	if (err->value[0] != 0) {
		text_puts(text, ",\"value\":");
		text_quote(text, err->value);
	}
	if (id != NULL) {
		text_puts(text, ",\"id\":");
		text_quote(text, id);
	}
	text_puts(text, "}");
}
