/* ctl_exit.h - how foldctl ends: the codes that scripts see.
 *
 * Whoever detects a failure says so on stderr with ctl_fail(); everybody else
 * passes the code on. Documented in docs/foldctl.md and in --help. */
#ifndef CLIENTS_CTL_EXIT_H
#define CLIENTS_CTL_EXIT_H

enum ctl_exit {
	CTL_OK = 0,
	CTL_JOB_FAILED = 1,  /* the server answered with a problem */
	CTL_USAGE = 2,       /* the command line makes no sense */
	CTL_UNREACHABLE = 3, /* no connection, or no answer of foldd's */
	CTL_BUSY = 4,        /* 429 or 503: try again later */
	CTL_LOCAL = 5        /* a local file, stream, or memory */
};

/* Say "foldctl: ..." on stderr and return code. */
enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

enum ctl_exit ctl_no_memory(void);

#endif
