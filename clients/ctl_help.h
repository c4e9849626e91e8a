/* ctl_help.h - the texts of --help. */
#ifndef CLIENTS_CTL_HELP_H
#define CLIENTS_CTL_HELP_H

#include <stdio.h>

enum ctl_command {
	CTL_REDUCE,
	CTL_SCAN,
	CTL_BATCH,
	CTL_MERGE,
	CTL_ARRAYS,
	CTL_INFO,
	CTL_COMMAND_COUNT
};

const char *ctl_command_name(enum ctl_command command);

void ctl_help_print(FILE *stream); /* of the program */
void ctl_help_print_command(enum ctl_command command, FILE *stream);

#endif
