/* ctl_options.h - the command line of one command. */
#ifndef CLIENTS_CTL_OPTIONS_H
#define CLIENTS_CTL_OPTIONS_H

#include <stdbool.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_help.h"
#include "clients/ctl_http.h"
#include "clients/ctl_job.h"
#include "clients/ctl_result.h"

struct ctl_options {
	enum ctl_command command;
	bool help;
	struct ctl_server server;
	bool json;       /* print the server's answer as it is */
	const char *npy; /* write the answer to this .npy, "-": stdout */
	struct ctl_table_limits limits;
	struct ctl_job job;     /* reduce, scan */
	bool several_ops;       /* more than one operation */
	const char *batch_file; /* batch */
	const char **files;     /* merge; the list is owned */
	size_t file_count;
	const char *words[2]; /* array: what to do, and the name */
	unsigned word_count;
	bool only_new;            /* array put */
	const char *partial_file; /* write the partial result there, "-": stdout */
};

/* argv[0] is the command's name. Strings stay argv's. */
enum ctl_exit ctl_options_read(struct ctl_options *out, enum ctl_command command, int argc,
			       char **argv);
void ctl_options_deinit(struct ctl_options *options);

#endif
