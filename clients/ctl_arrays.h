/* ctl_arrays.h - foldctl array: the arrays that stay in the server's memory. */
#ifndef CLIENTS_CTL_ARRAYS_H
#define CLIENTS_CTL_ARRAYS_H

#include "clients/ctl_options.h"

/* All words and options were read: do they make a request? */
enum ctl_exit ctl_arrays_check(struct ctl_options *options);

enum ctl_exit ctl_arrays_run(const struct ctl_options *options);

#endif
