/* task_push.c - tasks whose elements come from a body as it arrives. */
#include "config.h"
#include "engine/task_steps.h"

#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "engine/spool.h"

/* Bytes gathered before they are fed (chosen). */
#define PUSH_PIECE (256u << 10)
/* Bytes that are kept in memory, for a backend that may fail; and what part of the
 * job's room on disk (limits.spool) they may take, beside its results; chosen. */
#define KEPT_MEMORY (8u << 20)
#define KEPT_PART 4u

struct push {
	size_t element;
	bool swap;
	char *buffer; /* PUSH_PIECE bytes */
	size_t used;
	struct array_desc desc;

	/* All elements that were fed, where the backend may fail; NULL: not
	 * needed, or there was no room for them. */
	struct spool *kept;
};

void task_drop_push(struct task *task)
{
	if (task->push == NULL)
		return;
	spool_destroy(task->push->kept);
	free(task->push->buffer);
	free(task->push);
	task->push = NULL;
}

/* A body comes once. */
static void keep(struct task *task, const void *elements, uint64_t size)
{
	struct push *push = task->push;

	if (push->kept == NULL || spool_write(push->kept, elements, size, NULL) == STATUS_OK)
		return;
	spool_destroy(push->kept); /* no room: the job may do without */
	push->kept = NULL;
}

static void begin_to_keep(struct task *task)
{
	const uint64_t room = engine_limits(task->engine)->spool / KEPT_PART;
	const struct spool_config config = {
		.directory = engine_spool_directory(task->engine),
		.memory = KEPT_MEMORY,
		.limit = room > KEPT_MEMORY ? room : KEPT_MEMORY,
	};

	if (task->run != NULL && run_may_be_failed(task->run))
		task->push->kept = spool_create(&config);
}

static enum status feed_kept(struct task *task)
{
	const struct push *push = task->push;
	const uint64_t size = spool_size(push->kept);
	char *piece = malloc(TASK_PIECE);
	enum status status = STATUS_OK;

	if (piece == NULL)
		return fail(&task->error, STATUS_OUT_OF_MEMORY, "no memory for a body");
	for (uint64_t at = 0; at < size && status == STATUS_OK; at += TASK_PIECE) {
		uint64_t some = size - at < TASK_PIECE ? size - at : TASK_PIECE;

		status = task_check_cancelled(task);
		if (status == STATUS_OK)
			status = spool_read(push->kept, at, piece, some, &task->error);
		if (status == STATUS_OK)
			status = task_feed(task, piece, some / push->element);
	}
	free(piece);
	return status;
}

/* What came so far is fed to the host's backend; what will come follows. */
static enum status push_on_host(struct task *task)
{
	enum status status = task_leave_backend(task);

	if (status == STATUS_OK)
		status = task_open_run(task, &task->push->desc, true);
	if (status == STATUS_OK)
		status = feed_kept(task);
	spool_destroy(task->push->kept);
	task->push->kept = NULL;
	return status;
}

enum status task_begin(struct engine *engine, struct task *task, const struct array_desc *desc,
		       bool swap)
{
	enum status status;

	task->push = calloc(1, sizeof(*task->push));
	if (task->push != NULL)
		task->push->buffer = malloc(PUSH_PIECE);
	if (task->push == NULL || task->push->buffer == NULL) {
		fail(&task->error, STATUS_OUT_OF_MEMORY, "no memory for a body");
		return task_settle(task, STATUS_OUT_OF_MEMORY);
	}
	task->engine = engine;
	task->started_ns = clock_ns();
	task->push->element = dtype_size(desc->dtype);
	task->push->swap = swap;
	task->push->desc = *desc;
	status = task_open_run(task, desc, false);
	if (status != STATUS_OK)
		return task_settle(task, status);
	begin_to_keep(task);
	return STATUS_OK;
}

static enum status push_buffer(struct task *task)
{
	struct push *push = task->push;
	uint64_t count = push->used / push->element;
	size_t left = push->used % push->element;
	enum status status;

	if (push->swap)
		array_swap_bytes(push->buffer, push->element, count);
	keep(task, push->buffer, count * push->element);
	status = task_feed(task, push->buffer, count);
	if (push->kept != NULL && task_failed_by_backend(task, status))
		status = push_on_host(task);
	memmove(push->buffer, push->buffer + count * push->element, left);
	push->used = left;
	return status;
}

enum status task_push(struct task *task, const void *bytes, size_t size)
{
	struct push *push = task->push;
	const char *next = bytes;
	enum status status;

	if (task->done)
		return task->error.status;
	status = task_check_cancelled(task);
	while (size > 0 && status == STATUS_OK) {
		size_t room = PUSH_PIECE - push->used;
		size_t piece = size < room ? size : room;

		memcpy(push->buffer + push->used, next, piece);
		push->used += piece;
		next += piece;
		size -= piece;
		if (push->used == PUSH_PIECE)
			status = push_buffer(task);
	}
	return status == STATUS_OK ? status : task_settle(task, status);
}

enum status task_end(struct task *task)
{
	enum status status;

	if (task->done)
		return task->error.status;
	status = push_buffer(task);
	if (status == STATUS_OK && task->push->used > 0)
		status = fail(&task->error, STATUS_BAD_SHAPE,
			      "the body ends inside an element: %zu of %zu bytes", task->push->used,
			      task->push->element);
	if (status == STATUS_OK)
		status = task_finish_run(task);
	if (task->push->kept != NULL && task_failed_by_backend(task, status)) {
		status = push_on_host(task);
		if (status == STATUS_OK)
			status = task_finish_run(task);
	}
	return task_settle(task, status);
}
