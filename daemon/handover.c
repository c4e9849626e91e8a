#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/handover.h"

static enum status bad(const char *line, const char *why, struct error *err)
{
	return fail(err, STATUS_BAD_VALUE, HANDOVER_VARIABLE " \"%s\": %s", line, why);
}

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for what a process handed over");
}

static enum status add(struct handover *out, const char *line, struct error *err)
{
	struct handover_item *items;
	char *end;
	long fd;

	errno = 0;
	fd = strtol(line, &end, 10);
	if (errno != 0 || end == line || *end != ' ' || end[1] == '\0' || fd < 3 || fd > INT_MAX)
		return bad(line, "it is not DESCRIPTOR NAME", err);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
		return bad(line, strerror(errno), err);
	items = realloc(out->items, (out->count + 1) * sizeof(*items));
	if (items == NULL)
		return no_memory(err);
	out->items = items;
	items[out->count] = (struct handover_item){(int)fd, strdup(end + 1)};
	if (items[out->count].name == NULL)
		return no_memory(err);
	out->count++;
	return STATUS_OK;
}

enum status handover_take(struct handover *out, struct error *err)
{
	const char *text = getenv(HANDOVER_VARIABLE);
	enum status status = STATUS_OK;
	char *copy, *rest, *line;

	*out = (struct handover){0};
	if (text == NULL)
		return STATUS_OK;
	copy = strdup(text);
	if (copy == NULL)
		return no_memory(err);
	unsetenv(HANDOVER_VARIABLE);
	for (line = strtok_r(copy, "\n", &rest); line != NULL && status == STATUS_OK;
	     line = strtok_r(NULL, "\n", &rest))
		status = add(out, line, err);
	free(copy);
	if (status != STATUS_OK)
		handover_deinit(out);
	return status;
}

int handover_find(struct handover *handover, const char *kind, const char *text)
{
	const size_t size = strlen(kind);

	for (size_t i = 0; i < handover->count; i++) {
		struct handover_item *item = &handover->items[i];
		const char *name = item->name;
		int fd = item->fd;

		if (fd < 0 || strncmp(name, kind, size) != 0)
			continue;
		if (text == NULL ? name[size] != '\0'
				 : name[size] != ' ' || strcmp(name + size + 1, text) != 0)
			continue;
		item->fd = -1;
		return fd;
	}
	return -1;
}

void handover_deinit(struct handover *handover)
{
	for (size_t i = 0; i < handover->count; i++) {
		if (handover->items[i].fd >= 0)
			close(handover->items[i].fd);
		free(handover->items[i].name);
	}
	free(handover->items);
	*handover = (struct handover){0};
}

enum status handover_format(const struct handover_item *items, size_t count, int first, char **out,
			    struct error *err)
{
	size_t size = 0;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);
	bool good = stream != NULL;

	for (size_t i = 0; i < count && good; i++) {
		if (strchr(items[i].name, '\n') != NULL) {
			fclose(stream);
			free(text);
			return bad(items[i].name, "a line break cannot be handed over", err);
		}
		good = fprintf(stream, "%d %s\n", first + (int)i, items[i].name) > 0;
	}
	good = stream != NULL && fclose(stream) == 0 && good;
	if (!good) {
		free(text);
		return no_memory(err);
	}
	*out = text;
	return STATUS_OK;
}
