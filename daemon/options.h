/* options.h - the command line: what to do, and keys that override those of
 * the configuration file. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>
#include "daemon/settings.h"

enum action { ACTION_SERVE, ACTION_CHECK, ACTION_HELP, ACTION_VERSION };

struct options {
	enum action action;
	struct settings settings;
	const char *config_path; /* the file that was read; NULL: none */
};

/* Reads the file that the command line names, or the default one when it is
 * there, then the command line over it. argv must outlive the options. */
enum status options_init(struct options *out, int argc, char **argv, struct error *err);
void options_deinit(struct options *options);

void options_print_help(FILE *out);

#endif
