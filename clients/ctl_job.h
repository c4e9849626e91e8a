/* ctl_job.h - the job that a command line asks for, in words that go into a
 * JSON object as well as into a query string. */
#ifndef CLIENTS_CTL_JOB_H
#define CLIENTS_CTL_JOB_H

#include <stdbool.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_local.h"
#include "clients/ctl_text.h"

/* Where an array (the first, the second of a dot, the offsets of segments)
 * comes from. */
struct ctl_source {
	enum {
		CTL_SOURCE_NONE,
		CTL_SOURCE_MEMBER, /* `member` says it: data, file, files or array */
		CTL_SOURCE_LOCAL   /* uploaded from `local` */
	} kind;
	struct ctl_text member; /* "data":[1,2] */
	bool is_path;           /* ... that is a file of the server's */
	const char *local;      /* file name or "-"; not owned */
	const char *what;       /* the words that gave it, for messages */
};

struct ctl_job {
	/* Members and their values, separated by ',' and by '&'. */
	struct ctl_text json, query;
	const char *only_json; /* a member that a query string cannot have */

	struct ctl_source x, with, segments;

	const char *slice; /* of x, a resident array: "FIRST,END"; or NULL */

	/* Of raw elements; they go with the part they describe. */
	const char *dtype, *shape, *byteorder, *offset, *format_name;
	enum ctl_format format;
};

void ctl_job_deinit(struct ctl_job *job);

void ctl_job_string(struct ctl_job *job, const char *name, const char *value);
/* A number or true: the same in both. */
void ctl_job_literal(struct ctl_job *job, const char *name, const char *value);
/* Strings separated by commas; one alone is no list. */
void ctl_job_strings(struct ctl_job *job, const char *name, const char *values);
/* Integers separated by commas or white space: always a list in JSON when
 * `always_list`, else one alone is a number. CTL_USAGE names the option. */
enum ctl_exit ctl_job_integers(struct ctl_job *job, const char *name, const char *values,
			       bool always_list, const char *option);
/* A file beneath a writable root of the server. */
void ctl_job_output(struct ctl_job *job, const char *path, bool overwrite);
/* "float32", or "sum:float64,mean:float32": an object. */
void ctl_job_out_dtype(struct ctl_job *job, const char *value);

/* dtype, shape, byteorder, offset and format, as far as given, at the end of
 * json and query (either may be NULL). */
void ctl_job_describe_data(const struct ctl_job *job, struct ctl_text *json,
			   struct ctl_text *query);

#endif
