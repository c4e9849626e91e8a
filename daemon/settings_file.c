#include "config.h"

#include <errno.h>
#include <ini.h>
#include <string.h>
#include "daemon/settings.h"

struct reading {
	struct settings *settings;
	const char *path;
	FILE *file;
	unsigned line;      /* stays at the first failure */
	enum status status; /* the first failure, explained in *err */
	struct error *err;
};

static void refuse(struct reading *reading, enum status status, const char *text)
{
	if (reading->status == STATUS_OK)
		reading->status =
			fail(reading->err, status, "%s:%u: %s", reading->path, reading->line, text);
}

/* One line for inih, which does not tell its number to the handler. White
 * space before it is taken off, since inih would join such a line to the one
 * before. */
static char *next_line(char *out, int size, void *context)
{
	struct reading *reading = context;
	char *begin;

	if (reading->status != STATUS_OK || fgets(out, size, reading->file) == NULL)
		return NULL;
	reading->line++;
	if (strchr(out, '\n') == NULL && !feof(reading->file)) {
		refuse(reading, STATUS_BAD_VALUE, "the line is too long (or has a NUL)");
		return NULL;
	}
	begin = out + strspn(out, " \t");
	memmove(out, begin, strlen(begin) + 1);
	return out;
}

static int take_key(void *context, const char *section, const char *name, const char *value)
{
	struct reading *reading = context;
	struct error err = {0};
	enum status status;

	if (reading->status != STATUS_OK)
		return 1;
	status = settings_set(reading->settings, section, name, value, &err);
	if (status != STATUS_OK)
		refuse(reading, status, err.text);
	return 1;
}

enum status settings_load(struct settings *settings, const char *path, struct error *err)
{
	struct reading reading = {
		.settings = settings, .path = path, .status = STATUS_OK, .err = err};
	int line;

	reading.file = fopen(path, "re");
	if (reading.file == NULL)
		return fail(err, STATUS_FILE_UNREADABLE, "%s: %s", path, strerror(errno));
	line = ini_parse_stream(next_line, &reading, take_key, &reading);
	if (reading.status == STATUS_OK && ferror(reading.file))
		reading.status = fail(err, STATUS_FILE_UNREADABLE, "%s: cannot be read", path);
	fclose(reading.file);

	if (line > 0 && (reading.status == STATUS_OK || (unsigned)line < reading.line))
		reading.status =
			fail(err, STATUS_BAD_VALUE,
			     "%s:%d: neither a [section], a key = value nor a comment", path, line);
	else if (reading.status == STATUS_OK && line < 0)
		reading.status = fail(err, STATUS_OUT_OF_MEMORY, "no memory to read %s", path);
	return reading.status;
}
