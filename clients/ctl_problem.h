/* ctl_problem.h - what the server says went wrong (RFC 9457), for people. */
#ifndef CLIENTS_CTL_PROBLEM_H
#define CLIENTS_CTL_PROBLEM_H

#include <jansson.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_http.h"

/* Say it on stderr; CTL_JOB_FAILED, or CTL_BUSY for 429 and 503. */
enum ctl_exit ctl_problem_report(const struct ctl_answer *answer);

/* The same for one of a batch: the problem is an entry, `prefix` says which. */
enum ctl_exit ctl_problem_report_entry(const json_t *problem, const char *prefix);

#endif
