/* ctl_local.h - a file of this machine, or standard input, read once from
 * front to back. */
#ifndef CLIENTS_CTL_LOCAL_H
#define CLIENTS_CTL_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "clients/ctl_exit.h"

#define CTL_LOCAL_HEAD 64u /* bytes looked at first */

enum ctl_format { CTL_FORMAT_AUTO, CTL_FORMAT_NPY, CTL_FORMAT_RAW, CTL_FORMAT_TEXT };

struct ctl_local {
	const char *name; /* as given; "standard input" for "-" */
	int fd;
	bool is_stdin;
	int64_t size;                  /* bytes from here to the end; -1: not known ahead */
	int64_t done;                  /* bytes given out */
	char head[CTL_LOCAL_HEAD + 1]; /* read already, to see what it is; a string */
	size_t head_size;
};

enum ctl_exit ctl_local_open(struct ctl_local *out, const char *name);
void ctl_local_close(struct ctl_local *local);

/* Is it a NumPy file, by its first bytes? By its name? */
bool ctl_local_is_npy(const struct ctl_local *local);
bool ctl_local_is_named_npy(const struct ctl_local *local);

/* Do its first bytes look like a text of numbers? */
bool ctl_local_is_numbers(const struct ctl_local *local);

/* Up to size bytes; *got is 0 only at the end. A file whose size was known and
 * that ends early is an error; what is appended meanwhile is left out. */
enum ctl_exit ctl_local_read(struct ctl_local *local, void *out, size_t size, size_t *got);

#endif
