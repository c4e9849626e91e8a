/* log.h - lines on standard error, one write each. Any thread. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_LEVEL_COUNT };

/* Before threads start. The level at the start is LOG_INFO. */
void log_set_level(enum log_level level);

const char *log_level_name(enum log_level level);
bool log_level_from_name(const char *name, enum log_level *out);
bool log_is_on(enum log_level level);

/* Control characters are written as \xNN, so that nobody can forge a line. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_line_va(enum log_level level, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
