#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include "clients/ctl_exit.h"

enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
{
	va_list args;

	/* What was printed so far belongs before the complaint. */
	fflush(stdout);
	fputs("foldctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

enum ctl_exit ctl_no_memory(void)
{
	return ctl_fail(CTL_LOCAL, "out of memory");
}
