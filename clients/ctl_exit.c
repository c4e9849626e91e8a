#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "clients/ctl_exit.h"

/* Names and words of any file: no control character reaches a terminal. */
static void put_visible(const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			fprintf(stderr, "\\x%02x", c);
		else
			fputc(c, stderr);
	}
}

enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	/* What was printed so far belongs before the complaint. */
	fflush(stdout);
	fputs("foldctl: ", stderr);
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	put_visible(text != NULL ? text : "out of memory");
	free(text);
	fputc('\n', stderr);
	return code;
}

enum ctl_exit ctl_no_memory(void)
{
	return ctl_fail(CTL_LOCAL, "out of memory");
}
