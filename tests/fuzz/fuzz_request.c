/* A whole request: "ENDPOINT\nQUERY\nCONTENT-TYPE\nJOB-LENGTH\n" (the last two
 * may be "-"), then the body. It is fed whole, in small pieces, and with its
 * length unknown: the answer must be the same kind for the first two. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/resident.h"
#include "proto/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void check(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_request: %s\n", what);
		abort();
	}
}

/* ---- files: two, and outputs that nobody keeps ---- */

static enum status open_read(void *context, const char *path, int *fd, struct error *err)
{
	static const char npy[] = "\x93NUMPY\x01\0\x36\0{'descr': '<i2', 'fortran_order': False, "
				  "'shape': (2,)}\n\1\0\2\0";
	static const char raw[] = "\1\2\3\4\5\6\7";
	const bool is_npy = strcmp(path, "a.npy") == 0;
	const size_t size = is_npy ? sizeof(npy) - 1 : sizeof(raw) - 1;

	(void)context;
	if (!is_npy && strcmp(path, "b") != 0)
		return fail(err, STATUS_FILE_NOT_FOUND, "no such file");
	*fd = memfd_create("fuzz", MFD_CLOEXEC);
	check(*fd >= 0 && write(*fd, is_npy ? npy : raw, size) == (ssize_t)size, "no memory file");
	return STATUS_OK;
}

static enum status glob_files(void *context, const char *pattern, uint64_t *effort,
			      struct file_list *out, struct error *err)
{
	(void)context;
	(void)effort;
	(void)err;
	out->paths = calloc(1, sizeof(*out->paths));
	check(out->paths != NULL, "no memory");
	out->paths[0] = strdup(strchr(pattern, '*') != NULL ? "a.npy" : pattern);
	out->count = 1;
	return STATUS_OK;
}

struct output_file {
	int fd;
};

static enum status output_open(void *context, const char *path, bool overwrite,
			       struct output_file **out, int *fd, struct error *err)
{
	(void)context;
	(void)err;
	(void)overwrite;
	if (strcmp(path, "a.npy") == 0)
		return fail(err, STATUS_FILE_EXISTS, "exists");
	*out = malloc(sizeof(**out));
	check(*out != NULL, "no memory");
	(*out)->fd = *fd = memfd_create("fuzz", MFD_CLOEXEC);
	check(*fd >= 0, "no memory file");
	return STATUS_OK;
}

static void output_discard(struct output_file *file)
{
	if (file != NULL)
		close(file->fd);
	free(file);
}

static enum status output_commit(struct output_file *file, struct error *err)
{
	(void)err;
	output_discard(file);
	return STATUS_OK;
}

static const struct file_access files = {NULL,        open_read,     glob_files,
					 output_open, output_commit, output_discard};

/* ---- one request ---- */

static struct engine *engine;

/* One that jobs can name: k, (3, 2) of int16 in Fortran order. */
static void keep_array(void)
{
	static const int16_t elements[] = {1, 2, 3, 4, 5, 6};
	const struct array_desc desc = {
		.dtype = DTYPE_INT16, .ndim = 2, .shape = {3, 2}, .fortran = true};
	struct resident *resident = NULL;
	struct upload *upload = NULL;
	bool created;

	check(upload_create(engine_arrays(engine), "k", true, &upload, NULL) == STATUS_OK &&
		      upload_begin(upload, &desc, NULL, NULL) == STATUS_OK &&
		      upload_write(upload, elements, 6, NULL) == STATUS_OK &&
		      upload_end(upload, NULL) == STATUS_OK &&
		      upload_commit(upload, &created, &resident, NULL) == STATUS_OK,
	      "no array");
	upload_destroy(upload);
	resident_release(resident);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct engine_config config = {.threads = 1};
	struct error err = {0};

	(void)argc;
	(void)argv;
	limits_default(&config.limits);
	config.limits.body = 1 << 20;
	config.limits.json = 1 << 16;
	config.limits.jobs = 50;
	config.limits.state = 1 << 20;
	config.limits.spool = 1 << 20;
	config.limits.files = 3;
	config.arrays.budget = 2 << 20;
	check(engine_create(&config, &engine, &err) == STATUS_OK, err.text);
	keep_array();
	return 0;
}

static enum status finish(struct request *request)
{
	enum status status = STATUS_OK;
	struct task **tasks;
	uint64_t count, i;

	tasks = request_tasks(request, &count);
	check(request_is_batch(request) || count == 1, "a request without a task");
	for (i = 0; i < count; i++) {
		if (!tasks[i]->done)
			task_run(engine, tasks[i]);
	}
	request_commit(request);
	for (i = 0; i < count; i++) {
		struct task_output output;
		bool created;

		request_task_output(tasks[i], &output);
		check(tasks[i]->done, "a task without an end");
		if (tasks[i]->error.status != STATUS_OK)
			check(tasks[i]->error.text[0] != '\0', "no explanation");
		else
			check(tasks[i]->result != NULL || request_stored(request, &created) != NULL,
			      "no result");
		status = status * 31 + tasks[i]->error.status; /* all of them */
	}
	return status;
}

static enum status handle(const struct request_args *args, const uint8_t *body, size_t size,
			  size_t piece)
{
	struct request *request;
	struct error err = {0};
	enum status status = request_create(args, &request, &err);
	size_t at;

	if (status != STATUS_OK) {
		check(err.text[0] != '\0', "no explanation");
		return status;
	}
	for (at = 0; at < size && status == STATUS_OK; at += piece)
		status = request_feed(request, body + at, size - at < piece ? size - at : piece,
				      &err);
	if (status == STATUS_OK)
		status = request_end(request, &err);
	if (status != STATUS_OK)
		check(err.text[0] != '\0' && err.status == status, "no explanation");
	else
		status = finish(request);
	request_destroy(request);
	arrays_delete(engine_arrays(engine), "x", NULL); /* each begins as the others */
	return status;
}

static char *line(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
	size_t length = end != NULL ? (size_t)(end - *data) : *size;
	char *text = strndup((const char *)*data, length);

	check(text != NULL, "no memory");
	*data += end != NULL ? length + 1 : length;
	*size -= end != NULL ? length + 1 : length;
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *endpoint = line(&data, &size), *query = line(&data, &size);
	char *type = line(&data, &size), *length = line(&data, &size);
	struct request_args args = {.files = &files,
				    .endpoint = endpoint[0] == 's'   ? ENDPOINT_SCAN
						: endpoint[0] == 'b' ? ENDPOINT_BATCH
						: endpoint[0] == 'm' ? ENDPOINT_MERGE
						: endpoint[0] == 'a' ? ENDPOINT_ARRAY
								     : ENDPOINT_REDUCE,
				    .array = "x",
				    .query = query,
				    .content_type = strcmp(type, "-") == 0 ? NULL : type,
				    .content_length = (int64_t)size,
				    .job_length = length[0] >= '0' && length[0] <= '9'
							  ? strtoll(length, NULL, 10)
							  : -1};
	enum status whole, pieces;

	if (engine == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	args.engine = engine;
	whole = handle(&args, data, size, size + 1);
	pieces = handle(&args, data, size, 1 + size % 7);
	check(whole == pieces, "the answer depends on the pieces of the body");
	args.content_length = -1;
	whole = handle(&args, data, size, size + 1);
	pieces = handle(&args, data, size, 1 + size % 5);
	check(whole == pieces, "the answer depends on the pieces of a body of unknown length");
	free(endpoint);
	free(query);
	free(type);
	free(length);
	return 0;
}
