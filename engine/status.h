/* status.h - what went wrong, in the words of the interface.
 *
 * Every function that can fail returns an enum status; one that can explain
 * fills a struct error. Whoever detects a failure explains it with fail(),
 * everybody else passes the status on. Outputs change only on STATUS_OK.
 *
 * One status for each error code of docs/api.md; the HTTP numbers that go with
 * them are in proto/problem.c. */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(enumerator, code on the wire, title) */
#define STATUS_LIST(X)                                                                \
	X(BAD_JSON, "bad_json", "Not valid JSON")                                     \
	X(BAD_JOB, "bad_job", "Job makes no sense")                                   \
	X(UNKNOWN_MEMBER, "unknown_member", "Unknown member")                         \
	X(UNKNOWN_OP, "unknown_op", "Unknown operation")                              \
	X(BAD_DTYPE, "bad_dtype", "Element type not usable here")                     \
	X(BAD_SHAPE, "bad_shape", "Shape does not fit")                               \
	X(BAD_VALUE, "bad_value", "Value not allowed")                                \
	X(BAD_NPY, "bad_npy", "Not a readable NumPy file")                            \
	X(NO_SUCH_BACKEND, "no_such_backend", "No such backend")                      \
	X(UNAUTHORIZED, "unauthorized", "Unauthorized")                               \
	X(FORBIDDEN, "forbidden", "Forbidden")                                        \
	X(PATH_FORBIDDEN, "path_forbidden", "Path outside the allowed roots")         \
	X(NOT_FOUND, "not_found", "Not found")                                        \
	X(FILE_NOT_FOUND, "file_not_found", "File not found")                         \
	X(NO_SUCH_ARRAY, "no_such_array", "No such array")                            \
	X(NO_SUCH_JOB, "no_such_job", "No such job")                                  \
	X(METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed")             \
	X(FILE_CHANGED, "file_changed", "File changed while it was read")             \
	X(FILE_EXISTS, "file_exists", "File exists")                                  \
	X(JOB_EXPIRED, "job_expired", "Job expired")                                  \
	X(ARRAY_EXISTS, "array_exists", "Array exists")                               \
	X(TOO_LARGE, "too_large", "Too large")                                        \
	X(UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "Unsupported media type") \
	X(EMPTY_INPUT, "empty_input", "Nothing to reduce")                            \
	X(NAN_FOUND, "nan_found", "NaN found")                                        \
	X(INTEGER_OVERFLOW, "integer_overflow", "Integer overflow")                   \
	X(EXACT_UNSUPPORTED, "exact_unsupported", "No exact form")                    \
	X(PARTIALS_DIFFER, "partials_differ", "Partials do not fit together")         \
	X(FILE_TRUNCATED, "file_truncated", "File ends early")                        \
	X(FILE_UNREADABLE, "file_unreadable", "File cannot be read")                  \
	X(QUEUE_FULL, "queue_full", "Queue full")                                     \
	X(RATE_LIMITED, "rate_limited", "Rate limited")                               \
	X(INTERNAL, "internal", "Internal error")                                     \
	X(NOT_IMPLEMENTED, "not_implemented", "Not implemented")                      \
	X(DRAINING, "draining", "Shutting down")                                      \
	X(BACKEND_UNAVAILABLE, "backend_unavailable", "Backend unavailable")          \
	X(ARRAY_LOST, "array_lost", "Array lost")                                     \
	X(TIMEOUT, "timeout", "Out of time")                                          \
	X(OUT_OF_MEMORY, "out_of_memory", "Out of memory")

enum status {
	STATUS_OK = 0,
#define X(name, code, title) STATUS_##name,
	STATUS_LIST(X)
#undef X
		STATUS_COUNT
};

/* The code on the wire ("bad_json") and the title; never NULL. */
const char *status_code(enum status status);
const char *status_title(enum status status);

/* One explained failure. Zero-initialise; fail() fills it. */
struct error {
	enum status status;
	char text[320]; /* a sentence for a person, no final period */
	bool has_pointer;
	char pointer[256]; /* RFC 6901, into the job object; "" is the whole */
	bool has_index;
	uint64_t index; /* nan_found, integer_overflow of a scan: element */
	char value[80]; /* integer_overflow: the exact value, or "" */
};

/* Fill err (may be NULL) and return status. Keeps nothing of an earlier
 * failure. The text is cut to fit, never overrun. */
enum status fail(struct error *err, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with a JSON pointer to the member at fault. */
enum status fail_at(struct error *err, enum status status, const char *pointer, const char *format,
		    ...) __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif

#endif
