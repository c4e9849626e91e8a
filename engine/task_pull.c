/* task_pull.c - tasks whose elements are pulled: memory, files, resident arrays. */
#include "config.h"
#include "engine/task_steps.h"

#include <stdlib.h>
#include "engine/clock.h"
#include "engine/file_cache.h"

/* Bytes of memory that become an array between checks for cancellation (chosen). */
#define UPLOAD_PIECE (64u << 20)

static enum status pull_memory(struct task *task)
{
	const struct source *x = task_x(task);
	size_t size = dtype_size(x->desc.dtype);
	const uint64_t most = task->run != NULL ? run_piece(task->run) : UPLOAD_PIECE / size;
	const char *next = x->data;
	enum status status = STATUS_OK;
	uint64_t left;

	array_count(&x->desc, &left, NULL); /* fits: it is in memory */

	while (left > 0 && status == STATUS_OK) {
		uint64_t count = left < most ? left : most;

		status = task_check_cancelled(task);
		if (status == STATUS_OK)
			status = task_feed(task, next, count);
		next += count * size;
		left -= count;
	}
	return status;
}

static enum status pull_arrays(struct task *task)
{
	const uint64_t most = run_piece(task->run);
	uint64_t left = run_expected(task->run);
	enum status status = STATUS_OK;

	while (left > 0 && status == STATUS_OK) {
		uint64_t count = left < most ? left : most;

		status = task_check_cancelled(task);
		if (status == STATUS_OK)
			status = run_feed_arrays(task->run, count, &task->error);
		left -= count;
	}
	return status;
}

static enum status pull_pieces(struct task *task)
{
	struct source *x = task_x(task);
	uint64_t room = TASK_PIECE / dtype_size(x->desc.dtype);
	uint64_t got = room;
	char *piece = malloc(TASK_PIECE);
	enum status status = STATUS_OK;

	if (piece == NULL)
		return fail(&task->error, STATUS_OUT_OF_MEMORY, "no memory to read a file");
	while (got == room && status == STATUS_OK) {
		uint64_t begin = clock_ns();

		status = task_check_cancelled(task);
		if (status == STATUS_OK)
			status = x->read(x, piece, room, &got, &task->error);
		task->copied_ns += clock_ns() - begin;
		if (status == STATUS_OK)
			status = task_feed(task, piece, got);
	}
	free(piece);
	return status;
}

static enum status pull(struct task *task)
{
	if (task->run != NULL && run_is_resident(task->run))
		return pull_arrays(task);
	return task_x(task)->data != NULL ? pull_memory(task) : pull_pieces(task);
}

static enum status pull_all(struct task *task, bool on_host)
{
	struct source *x = task_x(task);
	enum status status = task_open_run(task, &x->desc, on_host);

	if (status == STATUS_OK)
		status = pull(task);
	if (status == STATUS_OK && x->verify != NULL)
		status = x->verify(x, &task->error);
	return status == STATUS_OK ? task_finish_run(task) : status;
}

static enum status check_reading(void *context, struct error *err)
{
	(void)err; /* it is the task's own */
	return task_check_cancelled(context);
}

/* Files that other jobs read lie in memory; what this one reads will. */
static enum status look_into_cache(struct task *task)
{
	struct file_cache *cache = engine_file_cache(task->engine);
	const struct file_cache_reader reader = {check_reading, task};
	uint64_t begin = clock_ns();
	enum status status = STATUS_OK;

	if (task->upload != NULL)
		return status;
	if (task->x->key != NULL)
		status = file_cache_get(cache, task->x, task->job.cache, &reader, &task->kept_x,
					&task->error);
	if (status == STATUS_OK && task->y != NULL && task->y->key != NULL)
		status = file_cache_get(cache, task->y, task->job.cache, &reader, &task->kept_y,
					&task->error);
	task->copied_ns += clock_ns() - begin;
	return status;
}

enum status task_run(struct engine *engine, struct task *task)
{
	enum status status;

	if (task->done)
		return task->error.status;
	task->engine = engine;
	task->started_ns = clock_ns();
	status = task_check_cancelled(task);
	if (status == STATUS_OK)
		status = look_into_cache(task);
	if (status == STATUS_OK)
		status = pull_all(task, false);
	if (task_failed_by_backend(task, status)) {
		status = task_leave_backend(task);
		if (status == STATUS_OK)
			status = source_rewind(task->x, &task->error);
		if (status == STATUS_OK)
			status = pull_all(task, true);
	}
	return task_settle(task, status);
}
