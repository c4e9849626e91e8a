#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "clients/ctl_progress.h"
#include "engine/clock.h"

#define FIRST_NS 500000000u /* shorter uploads say nothing; chosen */
#define EVERY_NS 200000000u /* between two lines; chosen */

void ctl_progress_start(struct ctl_progress *progress, bool wanted, int64_t total)
{
	memset(progress, 0, sizeof(*progress));
	progress->wanted = wanted;
	progress->total = total;
	progress->start_ns = clock_ns();
	progress->last_ns = progress->start_ns + FIRST_NS - EVERY_NS;
}

static void format_bytes(char *out, size_t size, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	unsigned unit = 0;

	/* 999.5 would be printed as 1000. */
	while (bytes >= 999.5 && unit < 6) {
		bytes /= 1000;
		unit++;
	}
	snprintf(out, size, "%.*f %s",
		 unit == 0 || bytes >= 99.95 ? 0
		 : bytes >= 9.995            ? 1
					     : 2,
		 bytes, units[unit]);
}

void ctl_progress_format(char *out, size_t size, uint64_t sent, int64_t total, uint64_t elapsed_ns)
{
	char done[32], of[32], rate[32];

	format_bytes(done, sizeof(done), (double)sent);
	format_bytes(rate, sizeof(rate),
		     elapsed_ns == 0 ? 0 : (double)sent * 1e9 / (double)elapsed_ns);
	if (total <= 0) {
		snprintf(out, size, "%s, %s/s", done, rate);
		return;
	}
	format_bytes(of, sizeof(of), (double)total);
	snprintf(out, size, "%s of %s, %d %%, %s/s", done, of,
		 (int)((double)sent * 100 / (double)total), rate);
}

static void show(struct ctl_progress *progress, uint64_t sent, uint64_t now)
{
	char line[128];

	ctl_progress_format(line, sizeof(line), sent, progress->total, now - progress->start_ns);
	/* A terminal's line is written over; elsewhere each is a line. */
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Ksent %s", line);
	else
		fprintf(stderr, "sent %s\n", line);
	progress->last_ns = now;
	progress->shown = true;
}

void ctl_progress_update(struct ctl_progress *progress, uint64_t sent)
{
	uint64_t now;

	if (!progress->wanted)
		return;
	now = clock_ns();
	if (now >= progress->last_ns + EVERY_NS)
		show(progress, sent, now);
}

void ctl_progress_end(struct ctl_progress *progress, uint64_t sent)
{
	if (!progress->shown)
		return;
	show(progress, sent, clock_ns());
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
}
