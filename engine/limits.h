/* limits.h - what one request may use. Filled from the configuration
 * (daemon/config.c); limits_default() is what a daemon starts with. */
#ifndef ENGINE_LIMITS_H
#define ENGINE_LIMITS_H

#include <stdint.h>

struct limits {
	uint64_t body;          /* bytes of one body, decoded (0: no limit) */
	uint64_t json;          /* bytes of a JSON body or job object */
	uint64_t depth;         /* nesting of JSON */
	uint64_t jobs;          /* jobs of one /v1/batch */
	uint64_t state;         /* bytes of memory one job may need beyond
				 * its input pieces */
	uint64_t spool;         /* bytes of results or parts one job may put
				 * on disk */
	uint64_t json_elements; /* elements of all result arrays of a JSON
				 * answer, of a batch in all */
	uint64_t inline_ns;     /* predicted time up to which a job runs on
				 * the thread that read it */
	uint64_t queue_jobs;    /* jobs waiting for a worker */
	uint64_t timeout_ms;    /* of a job, when it names none (0: none) */
	uint64_t files;         /* files one job may read */
};

void limits_default(struct limits *out);

#endif
