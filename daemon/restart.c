#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/handover.h"
#include "daemon/restart.h"

#define FIRST_FD 3 /* of what is handed over: after the standard streams */

static char program[PATH_MAX];
static char **arguments;

enum status restart_remember(int argc, char **argv, struct error *err)
{
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[size > 0 ? size : 0] = '\0';
	arguments = calloc((size_t)argc + 1, sizeof(*arguments));
	for (int i = 0; i < argc && arguments != NULL; i++) {
		arguments[i] = strdup(argv[i]); /* options_init() cuts them up */
		if (arguments[i] == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the arguments");
	}
	return arguments != NULL ? STATUS_OK
				 : fail(err, STATUS_OUT_OF_MEMORY, "no memory for the arguments");
}

struct restart {
	uv_loop_t *loop;
	struct restart_events events;
	bool under_way;
	bool told; /* one of the events, of this attempt */

	uv_process_t process;
	uv_pipe_t pipe; /* our end of what it says "ready" on */
	unsigned open;  /* of the two handles */
	char word[16];
};

enum status restart_create(uv_loop_t *loop, const struct restart_events *events,
			   struct restart **out, struct error *err)
{
	struct restart *restart = calloc(1, sizeof(*restart));

	if (restart == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a restart");
	restart->loop = loop;
	restart->events = *events;
	*out = restart;
	return STATUS_OK;
}

void restart_destroy(struct restart *restart)
{
	free(restart);
}

bool restart_is_under_way(const struct restart *restart)
{
	return restart->under_way;
}

static void on_closed(uv_handle_t *handle)
{
	struct restart *restart = handle->data;

	if (--restart->open == 0)
		restart->under_way = false;
}

static void close_once(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_closed);
}

static void tell_failed(struct restart *restart, const char *why)
{
	if (restart->told)
		return;
	restart->told = true;
	restart->events.failed(restart->events.context, why);
}

static void on_exit_of(uv_process_t *process, int64_t status, int signal)
{
	struct restart *restart = process->data;
	char why[96];

	if (signal != 0)
		snprintf(why, sizeof(why), "it was ended by signal %d", signal);
	else
		snprintf(why, sizeof(why), "it ended with status %lld", (long long)status);
	tell_failed(restart, why);
	close_once((uv_handle_t *)&restart->process);
	close_once((uv_handle_t *)&restart->pipe);
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *out)
{
	struct restart *restart = handle->data;

	(void)size;
	*out = uv_buf_init(restart->word, sizeof(restart->word));
}

/* Its end closes without a word when it fails; then on_exit_of() knows more. */
static void on_word(uv_stream_t *pipe, ssize_t size, const uv_buf_t *buffer)
{
	struct restart *restart = pipe->data;

	(void)buffer;
	if (size == 0)
		return;
	if (size > 0 && !restart->told) {
		restart->told = true;
		restart->events.ready(restart->events.context);
	}
	close_once((uv_handle_t *)&restart->pipe);
	if (restart->told)
		close_once((uv_handle_t *)&restart->process);
}

static size_t list_items(struct handover_item *items, const struct listener *listeners,
			 size_t count, const char *arrays_directory, int arrays_fd)
{
	size_t used = 0;

	items[used++] = (struct handover_item){-1, strdup(HANDOVER_READY)};
	for (size_t i = 0; i < count; i++) {
		struct handover_item *item = &items[used++];

		item->fd = listeners[i].fd;
		if (asprintf(&item->name, "%s %s", listener_kind(&listeners[i]),
			     listeners[i].address) < 0)
			item->name = NULL;
	}
	if (arrays_fd >= 0) {
		items[used].fd = arrays_fd;
		if (asprintf(&items[used].name, "arrays %s", arrays_directory) < 0)
			items[used].name = NULL;
		used++;
	}
	return used;
}

/* The environment of this process and the variable; its strings are not copied. */
static char **environment_with(char *variable)
{
	size_t count = 0;
	char **out;

	while (environ[count] != NULL)
		count++;
	out = calloc(count + 2, sizeof(*out));
	if (out == NULL)
		return NULL;
	memcpy(out, environ, count * sizeof(*out));
	out[count] = variable;
	return out;
}

static enum status spawn(struct restart *restart, const struct handover_item *items, size_t count,
			 char **environment, struct error *err)
{
	uv_stdio_container_t *stdio = calloc(FIRST_FD + count, sizeof(*stdio));
	uv_process_options_t options = {
		.exit_cb = on_exit_of,
		.file = program,
		.args = arguments,
		.env = environment,
		.stdio_count = (int)(FIRST_FD + count),
		.stdio = stdio,
	};
	int code;

	if (stdio == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a restart");
	for (int i = 0; i < FIRST_FD; i++)
		stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = i};
	for (size_t i = 0; i < count; i++)
		stdio[FIRST_FD + i] =
			(uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = items[i].fd};
	stdio[FIRST_FD] = (uv_stdio_container_t){
		.flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
		.data.stream = (uv_stream_t *)&restart->pipe,
	};
	uv_pipe_init(restart->loop, &restart->pipe, 0);
	restart->pipe.data = restart->process.data = restart;
	restart->open = 2;
	restart->under_way = true;
	restart->told = false;
	code = uv_spawn(restart->loop, &restart->process, &options);
	free(stdio);
	if (code == 0)
		code = uv_read_start((uv_stream_t *)&restart->pipe, give_room, on_word);
	if (code == 0)
		return STATUS_OK;
	restart->told = true; /* by what this returns */
	close_once((uv_handle_t *)&restart->process);
	close_once((uv_handle_t *)&restart->pipe);
	return fail(err, STATUS_INTERNAL, "%s: %s", program, uv_strerror(code));
}

enum status restart_begin(struct restart *restart, const struct listener *listeners, size_t count,
			  const char *arrays_directory, int arrays_fd, struct error *err)
{
	struct handover_item *items = calloc(count + 2, sizeof(*items));
	char *text = NULL, *variable = NULL, **environment = NULL;
	enum status status = STATUS_OK;
	size_t used = 0;

	if (items == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a restart");
	used = list_items(items, listeners, count, arrays_directory, arrays_fd);
	for (size_t i = 0; i < used && status == STATUS_OK; i++)
		if (items[i].name == NULL)
			status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a restart");
	if (status == STATUS_OK)
		status = handover_format(items, used, FIRST_FD, &text, err);
	if (status == STATUS_OK && asprintf(&variable, HANDOVER_VARIABLE "=%s", text) >= 0)
		environment = environment_with(variable);
	if (status == STATUS_OK && environment == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a restart");
	if (status == STATUS_OK)
		status = spawn(restart, items, used, environment, err);
	free(environment);
	free(variable);
	free(text);
	for (size_t i = 0; i < used; i++)
		free(items[i].name);
	free(items);
	return status;
}
