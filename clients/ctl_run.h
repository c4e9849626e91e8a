/* ctl_run.h - the commands: send, and show what comes back. */
#ifndef CLIENTS_CTL_RUN_H
#define CLIENTS_CTL_RUN_H

#include "clients/ctl_exit.h"
#include "clients/ctl_options.h"

enum ctl_exit ctl_run_job(const struct ctl_options *options); /* reduce, scan */
enum ctl_exit ctl_run_batch(const struct ctl_options *options);
enum ctl_exit ctl_run_merge(const struct ctl_options *options);
enum ctl_exit ctl_run_info(const struct ctl_options *options);

/* The server's JSON as it is, with one newline at its end. */
void ctl_run_print_json(const struct ctl_answer *answer);
enum ctl_exit ctl_run_not_json(void); /* says so */

#endif
