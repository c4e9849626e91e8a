/* ctl_merge.h - the partial results that `foldctl merge` sends, and from which
 * file each one came. */
#ifndef CLIENTS_CTL_MERGE_H
#define CLIENTS_CTL_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_text.h"

struct ctl_merge_file {
	const char *name;    /* as given; "standard input" for "-" */
	size_t first, count; /* its partials among all */
};

struct ctl_merge {
	struct ctl_text list; /* "AAAA","BBBB": strings of JSON */
	size_t count;
	struct ctl_merge_file *files;
	size_t file_count;
};

/* A file ("-": standard input) that is an answer with `partial`, a batch's answer,
 * base64 (of one or more partial results, parted by blanks; with blanks inside,
 * too), or a JSON list of these. Zero-initialise merge before the first. */
enum ctl_exit ctl_merge_add(struct ctl_merge *merge, const char *name);
void ctl_merge_deinit(struct ctl_merge *merge);

/* Of a pointer "/partials/N...": "FILE: ", or "FILE, partial result K: " (from 1)
 * when the file has several. False: it leads elsewhere. */
bool ctl_merge_place(const struct ctl_merge *merge, const char *pointer, struct ctl_text *out);

#endif
