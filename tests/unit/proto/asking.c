#include "config.h"
#include "asking.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/partial.h"
#include "proto/base64.h"
#include "proto/number_write.h"

struct engine *asking_engine;
static char directory[64];
static char line[4096], detail[400], partial[4096];

static void must(bool good, const char *what)
{
	if (!good) {
		perror(what);
		abort();
	}
}

static char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* ---- file_access over the directory ---- */

static enum status open_read(void *context, const char *path, int *fd, struct error *err)
{
	(void)context;
	if (path[0] == '/')
		return fail(err, STATUS_PATH_FORBIDDEN, "%s lies outside", path);
	*fd = open(path_of(path), O_RDONLY | O_CLOEXEC);
	return *fd >= 0 ? STATUS_OK : fail(err, STATUS_FILE_NOT_FOUND, "%s is not there", path);
}

static enum status glob_files(void *context, const char *pattern, uint64_t *effort,
			      struct file_list *out, struct error *err)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort), i;

	(void)context;
	(void)effort;
	must(count >= 0, directory);
	out->paths = calloc((size_t)count, sizeof(*out->paths));
	for (i = 0; i < count; i++) {
		if (fnmatch(pattern, entries[i]->d_name, FNM_PERIOD) == 0)
			out->paths[out->count++] = strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (out->count > 0)
		return STATUS_OK;
	file_list_free(out);
	return fail(err, STATUS_FILE_NOT_FOUND, "nothing matches %s", pattern);
}

struct output_file {
	char *path;
	int fd;
	bool overwrite;
};

static enum status output_open(void *context, const char *path, bool overwrite,
			       struct output_file **out, int *fd, struct error *err)
{
	(void)context;
	if (!overwrite && access(path_of(path), F_OK) == 0)
		return fail(err, STATUS_FILE_EXISTS, "%s is there already", path);
	*out = malloc(sizeof(**out));
	(*out)->path = strdup(path_of(path));
	(*out)->overwrite = overwrite;
	(*out)->fd = *fd = open(directory, O_TMPFILE | O_RDWR, 0600);
	must(*fd >= 0, directory);
	return STATUS_OK;
}

static void output_discard(struct output_file *file)
{
	if (file == NULL)
		return;
	close(file->fd);
	free(file->path);
	free(file);
}

static enum status output_commit(struct output_file *file, struct error *err)
{
	enum status status = STATUS_OK;
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", file->fd);
	if (file->overwrite)
		unlink(file->path);
	if (linkat(AT_FDCWD, from, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) != 0)
		status = fail(err, STATUS_FILE_EXISTS, "it is there now");
	output_discard(file);
	return status;
}

struct file_access asking_files = {NULL,        open_read,     glob_files,
				   output_open, output_commit, output_discard};

/* ---- the directory and the engine ---- */

void asking_start(void)
{
	struct engine_config config = {.threads = 1};
	struct error err = {0};

	snprintf(directory, sizeof(directory), "/tmp/foldd-asking-XXXXXX");
	must(mkdtemp(directory) != NULL, directory);
	limits_default(&config.limits);
	config.limits.body = 1 << 20;
	config.limits.json = 1 << 16;
	config.limits.jobs = 4;
	config.limits.spool = 1 << 16;
	config.limits.files = 3;
	must(engine_create(&config, &asking_engine, &err) == STATUS_OK, err.text);
}

void asking_stop(void)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, NULL), i;

	for (i = 0; i < count; i++) {
		unlink(path_of(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	rmdir(directory);
	engine_destroy(asking_engine);
}

void asking_write(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(path_of(name), "wb");

	must(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, name);
}

size_t asking_read(const char *name, void *out, size_t room)
{
	FILE *file = fopen(path_of(name), "rb");
	size_t size = file != NULL ? fread(out, 1, room, file) : 0;

	if (file != NULL)
		fclose(file);
	return size;
}

unsigned asking_count(void)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, NULL), i;

	for (i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return (unsigned)count - 2; /* . and .. */
}

/* ---- one request ---- */

static void add(const char *text)
{
	strncat(line, text, sizeof(line) - strlen(line) - 1);
}

static void add_error(const struct error *err)
{
	add(status_code(err->status));
	if (err->has_pointer) {
		add("@");
		add(err->pointer);
	}
	snprintf(detail, sizeof(detail), "%s", err->text);
}

static void note_partial(const struct partial *of)
{
	struct error err = {0};
	unsigned char *bytes;
	struct text text;
	size_t size;

	must(partial_encode(of, &bytes, &size, &err) == STATUS_OK, err.text);
	text_init(&text, 0);
	base64_write(&text, bytes, size);
	must(text.size < sizeof(partial), "a long partial result");
	snprintf(partial, sizeof(partial), "%.*s", (int)text.size, text.bytes);
	text_deinit(&text);
	free(bytes);
}

static void add_result(const struct result *result)
{
	struct error err = {0};
	unsigned i;

	if (result->partial != NULL)
		note_partial(result->partial);

	for (i = 0; i < result->op_count; i++) {
		const struct result_op *op = &result->ops[i];
		const size_t size = dtype_size(op->dtype);
		uint64_t k, count = spool_size(op->data) / size;

		add(i > 0 ? " " : "");
		add(op->key);
		add("=");
		for (k = 0; k < count; k++) {
			char element[8], text[33], null = 0;

			must(spool_read(op->data, k * size, element, size, &err) == STATUS_OK,
			     err.text);
			if (op->nulls != NULL)
				spool_read(op->nulls, k, &null, 1, &err);
			text[number_write(text, op->dtype, element)] = '\0';
			add(k > 0 ? "," : "");
			add(null ? "null" : text);
		}
	}
}

static void add_tasks(struct request *request)
{
	uint64_t count, i;
	struct task **tasks = request_tasks(request, &count);

	for (i = 0; i < count; i++) {
		if (!tasks[i]->done)
			task_run(asking_engine, tasks[i]);
	}
	request_commit(request);
	for (i = 0; i < count; i++) {
		struct task_output output;

		request_task_output(tasks[i], &output);
		add(i > 0 ? " | " : "");
		if (tasks[i]->error.status != STATUS_OK)
			add_error(&tasks[i]->error);
		else if (output.path != NULL)
			add(output.path);
		else
			add_result(tasks[i]->result);
	}
}

const char *asking(const struct question *q)
{
	struct request_args args = {.engine = asking_engine,
				    .files = &asking_files,
				    .endpoint = q->endpoint,
				    .query = q->query,
				    .content_type = q->type,
				    .content_length = q->unknown_length ? -1 : (int64_t)q->size,
				    .job_length = q->job_length > 0 ? q->job_length : -1};
	const size_t piece = q->piece > 0 ? q->piece : q->size + 1;
	struct request *request = NULL;
	struct error err = {0};
	enum status status;
	size_t at;

	line[0] = '\0';
	status = request_create(&args, &request, &err);
	for (at = 0; at < q->size && status == STATUS_OK; at += piece) {
		/* its own allocation: reading past a piece is seen */
		size_t size = q->size - at < piece ? q->size - at : piece;
		char *bytes = malloc(size);

		memcpy(bytes, (const char *)q->body + at, size);
		status = request_feed(request, bytes, size, &err);
		free(bytes);
	}
	if (status == STATUS_OK)
		status = request_end(request, &err);
	if (status == STATUS_OK)
		add_tasks(request);
	else
		add_error(&err);
	request_destroy(request);
	return line;
}

const char *asking_partial(void)
{
	return partial;
}

const char *asking_text(void)
{
	return detail;
}
