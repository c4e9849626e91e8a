/* asking.h - a request to proto/request.h in one call, and its answer as one
 * line of text. */
#ifndef TESTS_UNIT_PROTO_ASKING_H
#define TESTS_UNIT_PROTO_ASKING_H

#include <stddef.h>
#include <stdint.h>
#include "proto/request.h"

struct question {
	enum endpoint endpoint;
	const char *query, *type; /* NULL: none */
	const void *body;
	size_t size;
	int64_t job_length; /* 0: none (no test needs an empty job object) */
	size_t piece;       /* bytes fed at once; 0: all */
	bool unknown_length;
};

/* Files of the tests lie in a new directory; made by asking_start(), with an
 * engine of small limits: body 1 MiB, json 64 KiB, 4 jobs, spool 64 KiB, 3 files. */
void asking_start(void);
void asking_stop(void);
extern struct engine *asking_engine;
extern struct file_access asking_files;
void asking_write(const char *name, const void *bytes, size_t size);
size_t asking_read(const char *name, void *out, size_t room); /* 0: there is none */
unsigned asking_count(void);                                  /* files there are */

/* "sum=6.0 max=3.0" (arrays: "sum=1,3,6"; a null is "null";
 * written to a file: its path), tasks of a batch
 * parted by " | ", a failure as "code@pointer" or "code". Valid until the next. */
const char *asking(const struct question *question);
const char *asking_text(void); /* the last failure's detail */
/* Of the last answer that had one: its partial result as on the wire. */
const char *asking_partial(void);

#endif
