/* ctl_progress.h - one line on stderr that says how far an upload is. */
#ifndef CLIENTS_CTL_PROGRESS_H
#define CLIENTS_CTL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctl_progress {
	bool wanted;
	bool shown;
	int64_t total; /* bytes; -1: not known */
	uint64_t start_ns, last_ns;
};

void ctl_progress_start(struct ctl_progress *progress, bool wanted, int64_t total);
void ctl_progress_update(struct ctl_progress *progress, uint64_t sent);
void ctl_progress_end(struct ctl_progress *progress, uint64_t sent);

/* "1.50 GB of 8.00 GB, 18 %, 830 MB/s": decimal units. */
void ctl_progress_format(char *out, size_t size, uint64_t sent, int64_t total, uint64_t elapsed_ns);

#endif
