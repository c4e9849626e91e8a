#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "daemon/log.h"

#define TEXT_MAX 2048u /* bytes of one message; more is cut (chosen) */

static const char *const level_names[LOG_LEVEL_COUNT] = {"error", "warning", "info", "debug"};
static enum log_level current = LOG_INFO;

void log_set_level(enum log_level level)
{
	current = level;
}

const char *log_level_name(enum log_level level)
{
	return level_names[level];
}

bool log_level_from_name(const char *name, enum log_level *out)
{
	for (unsigned i = 0; i < LOG_LEVEL_COUNT; i++) {
		if (strcmp(name, level_names[i]) == 0) {
			*out = (enum log_level)i;
			return true;
		}
	}
	return false;
}

bool log_is_on(enum log_level level)
{
	return level <= current;
}

static size_t write_time(char *out, size_t size)
{
	struct timespec now;
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &utc);
	return used + (size_t)snprintf(out + used, size - used, ".%03ldZ ", now.tv_nsec / 1000000);
}

static size_t write_escaped(char *out, const char *text)
{
	size_t used = 0;

	for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
		if (*p < 0x20 || *p == 0x7f)
			used += (size_t)sprintf(out + used, "\\x%02x", (unsigned)*p);
		else
			out[used++] = (char)*p;
	}
	return used;
}

void log_line_va(enum log_level level, const char *format, va_list args)
{
	char text[TEXT_MAX];
	char line[64 + 4 * TEXT_MAX];
	size_t used;
	ssize_t written;

	if (!log_is_on(level))
		return;
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		return;

	used = write_time(line, 48);
	used += (size_t)sprintf(line + used, "%s ", level_names[level]);
	used += write_escaped(line + used, text);
	line[used++] = '\n';
	written = write(STDERR_FILENO, line, used);
	(void)written; /* nobody is left to tell */
}

void log_line(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_line_va(level, format, args);
	va_end(args);
}
