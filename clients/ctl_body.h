/* ctl_body.h - the body of a request, made while it is sent: job object and
 * arrays are never in memory together. */
#ifndef CLIENTS_CTL_BODY_H
#define CLIENTS_CTL_BODY_H

#include <stddef.h>
#include <stdint.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_job.h"
#include "clients/ctl_piece.h"
#include "clients/ctl_text.h"

#define CTL_BODY_PIECES 5u

struct ctl_body {
	struct ctl_text query; /* without the '?'; may be empty */
	const char *content_type;
	int64_t size;       /* bytes; -1: chunked */
	int64_t job_length; /* header Foldd-Job-Length; -1: none */
	struct ctl_piece pieces[CTL_BODY_PIECES];
	unsigned piece_count, piece_at;
	uint64_t sent;
};

/* The body of a reduction or scan: kind 1, 2, 3 or 4 of docs/api.md, by where
 * its arrays are. */
enum ctl_exit ctl_body_open(struct ctl_body *out, const struct ctl_job *job);

/* The body of a batch from a file: an envelope {"jobs": ...}, a list of jobs,
 * or jobs one a line. */
enum ctl_exit ctl_body_open_batch(struct ctl_body *out, const char *name);

/* The body of a merge: the job's members, and the list of partial results. */
enum ctl_exit ctl_body_open_merge(struct ctl_body *out, const struct ctl_job *job,
				  const struct ctl_text *partials);
void ctl_body_close(struct ctl_body *body);

/* The next bytes; *got is 0 only at the end. */
enum ctl_exit ctl_body_read(struct ctl_body *body, char *out, size_t size, size_t *got);

#endif
