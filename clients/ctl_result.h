/* ctl_result.h - an answer as a table for people. */
#ifndef CLIENTS_CTL_RESULT_H
#define CLIENTS_CTL_RESULT_H

#include <jansson.h>
#include <stdio.h>
#include "clients/ctl_exit.h"

struct ctl_table_limits {
	size_t rows, columns; /* shown at most, half from each end; 0: all */
};

/* result: an answer of /v1/reduce or /v1/scan, from ctl_json_read(). */
enum ctl_exit ctl_result_print(const json_t *result, const struct ctl_table_limits *limits,
			       FILE *stream);

#endif
