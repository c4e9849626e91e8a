#include "config.h"
#include "engine/task.h"

#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "engine/file_cache.h"
#include "engine/resident.h"
#include "engine/run.h"
#include "engine/spool.h"

/* Bytes of memory, and of a file, that are reduced between checks for
 * cancellation; multiples of a tile of every type. 64 MiB take a core 2 ms. */
#define PIECE (64u << 20)
#define READ_PIECE (4u << 20)
/* The same of memory of a backend, which may be a device's: a GPU reads this in
 * a quarter of a millisecond, a CPU in 50. */
#define ARRAY_PIECE (1u << 30)
/* Bytes that a core copies in a ns; chosen. */
#define COPIED_IN_NS 4u
/* Bytes of a pushed body gathered before they are fed; the same. */
#define PUSH_PIECE (256u << 10)
/* Bytes of one that are kept in memory, for a backend that may fail; and what part of
 * the job's room on disk (limits.spool) they may take, beside its results; chosen. */
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

struct task *task_create(void)
{
	struct task *task = calloc(1, sizeof(*task));

	if (task == NULL)
		return NULL;
	task->most_elements = UINT64_MAX;
	task->output_fd = -1;
	atomic_init(&task->cancelled, false);
	task->created_ns = clock_ns();
	return task;
}

/* What only a running task needs. */
static void release(struct task *task)
{
	run_close(task->run);
	task->run = NULL;
	if (task->push != NULL) {
		spool_destroy(task->push->kept);
		free(task->push->buffer);
	}
	free(task->push);
	task->push = NULL;
	source_close(task->kept_x);
	source_close(task->kept_y);
	source_close(task->x);
	source_close(task->y);
	task->kept_x = task->kept_y = task->x = task->y = NULL;
}

static void drop_upload(struct task *task)
{
	upload_destroy(task->upload);
	task->upload = NULL;
}

void task_destroy(struct task *task)
{
	if (task == NULL)
		return;
	release(task);
	drop_upload(task);
	result_destroy(task->result);
	free(task->job.offsets);
	if (task->owner_free != NULL)
		task->owner_free(task->owner);
	free(task);
}

void task_refuse(struct task *task, const struct error *err)
{
	task->error = *err;
	task->done = true;
	release(task);
	drop_upload(task);
}

uint64_t task_cost_ns(struct engine *engine, const struct task *task)
{
	struct plan *plan;
	struct chosen_backend chosen;
	uint64_t count, cost = 0;

	if (task->done || task->x == NULL)
		return 0;
	if (task->upload != NULL)
		return array_count(&task->x->desc, &count, NULL) == STATUS_OK
			       ? count * dtype_size(task->x->desc.dtype) / COPIED_IN_NS
			       : 0;
	plan = malloc(sizeof(*plan));
	if (plan == NULL)
		return 0;
	if (plan_make(plan, &task->job, &task->x->desc, task->y != NULL ? &task->y->desc : NULL,
		      engine_limits(engine), NULL) == STATUS_OK &&
	    array_count(&task->x->desc, &count, NULL) == STATUS_OK &&
	    engine_choose_at(engine, plan, count, source_home(task->x), &chosen, NULL) == STATUS_OK)
		cost = chosen.cost_ns;
	free(plan);
	return cost;
}

static void set_times(struct task *task)
{
	uint64_t end = clock_ns();
	uint64_t queued = task->started_ns - task->created_ns;
	uint64_t running = end - task->started_ns;

	task->result->elapsed.queue_us = queued / 1000;
	task->result->elapsed.copy_us = task->copied_ns / 1000;
	task->result->elapsed.compute_us = (running - task->copied_ns) / 1000;
	task->result->elapsed.total_us = (end - task->created_ns) / 1000;
}

/* The task has come to its end, well or not. */
static enum status settle(struct task *task, enum status status)
{
	task->error.status = status;
	if (status == STATUS_OK && task->result != NULL)
		set_times(task);
	task->done = true;
	release(task);
	if (status != STATUS_OK)
		drop_upload(task);
	return status;
}

static enum status check_cancelled(struct task *task)
{
	if (!atomic_load_explicit(&task->cancelled, memory_order_relaxed))
		return STATUS_OK;
	return fail(&task->error, STATUS_TIMEOUT, "the job was given up after its time had passed");
}

/* What is pulled. */
static struct source *x_of(const struct task *task)
{
	return task->kept_x != NULL ? task->kept_x : task->x;
}

static enum status open_run(struct task *task, const struct array_desc *desc, bool on_host)
{
	const struct run_args args = {
		.engine = task->engine,
		.job = &task->job,
		.x = desc,
		.from = x_of(task),
		.y = task->kept_y != NULL ? task->kept_y : task->y,
		.most_elements = task->most_elements,
		.output_fd = task->output_fd,
		.output_reserve = task->output_reserve,
		.on_host = on_host,
	};

	if (task->upload != NULL)
		return upload_begin(task->upload, desc, task->x != NULL ? task->x->file : NULL,
				    &task->error);
	return run_open(&args, &task->run, &task->error);
}

static enum status feed(struct task *task, const void *x, uint64_t count)
{
	return task->upload != NULL ? upload_write(task->upload, x, count, &task->error)
				    : run_feed(task->run, x, count, &task->error);
}

static enum status finish_run(struct task *task)
{
	return task->upload != NULL ? upload_end(task->upload, &task->error)
				    : run_finish(task->run, &task->result, &task->error);
}

/* --- pulled ---------------------------------------------------------------- */

static enum status pull_memory(struct task *task)
{
	const struct source *x = x_of(task);
	size_t size = dtype_size(x->desc.dtype);
	const char *next = x->data;
	enum status status = STATUS_OK;
	uint64_t left;

	array_count(&x->desc, &left, NULL); /* fits: it is in memory */

	while (left > 0 && status == STATUS_OK) {
		uint64_t count = left < PIECE / size ? left : PIECE / size;

		status = check_cancelled(task);
		if (status == STATUS_OK)
			status = feed(task, next, count);
		next += count * size;
		left -= count;
	}
	return status;
}

static enum status pull_arrays(struct task *task)
{
	const uint64_t most = ARRAY_PIECE / dtype_size(x_of(task)->desc.dtype);
	uint64_t left = run_expected(task->run);
	enum status status = STATUS_OK;

	while (left > 0 && status == STATUS_OK) {
		uint64_t count = left < most ? left : most;

		status = check_cancelled(task);
		if (status == STATUS_OK)
			status = run_feed_arrays(task->run, count, &task->error);
		left -= count;
	}
	return status;
}

static enum status pull_pieces(struct task *task)
{
	struct source *x = x_of(task);
	uint64_t room = READ_PIECE / dtype_size(x->desc.dtype);
	uint64_t got = room;
	char *piece = malloc(READ_PIECE);
	enum status status = STATUS_OK;

	if (piece == NULL)
		return fail(&task->error, STATUS_OUT_OF_MEMORY, "no memory to read a file");
	while (got == room && status == STATUS_OK) {
		uint64_t begin = clock_ns();

		status = check_cancelled(task);
		if (status == STATUS_OK)
			status = x->read(x, piece, room, &got, &task->error);
		task->copied_ns += clock_ns() - begin;
		if (status == STATUS_OK)
			status = feed(task, piece, got);
	}
	free(piece);
	return status;
}

static enum status pull(struct task *task)
{
	if (task->run != NULL && run_is_resident(task->run))
		return pull_arrays(task);
	return x_of(task)->data != NULL ? pull_memory(task) : pull_pieces(task);
}

static enum status pull_all(struct task *task, bool on_host)
{
	struct source *x = x_of(task);
	enum status status = open_run(task, &x->desc, on_host);

	if (status == STATUS_OK)
		status = pull(task);
	if (status == STATUS_OK && x->verify != NULL)
		status = x->verify(x, &task->error);
	return status == STATUS_OK ? finish_run(task) : status;
}

/* A backend that is lost, or has no memory left, takes no job with it: the host
 * computes it, from the first element. */
static bool failed_by_backend(const struct task *task, enum status status)
{
	return task->run != NULL && run_failed_by_backend(task->run, status);
}

static enum status leave_backend(struct task *task)
{
	engine_note_lost(task->engine);
	run_close(task->run);
	task->run = NULL;
	task->error = (struct error){0};
	/* What was kept may be lost with the backend: the files are there. */
	source_close(task->kept_x);
	source_close(task->kept_y);
	task->kept_x = task->kept_y = NULL;
	return source_rewind(task->y, &task->error);
}

static enum status check_reading(void *context, struct error *err)
{
	(void)err; /* it is the task's own */
	return check_cancelled(context);
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
	status = check_cancelled(task);
	if (status == STATUS_OK)
		status = look_into_cache(task);
	if (status == STATUS_OK)
		status = pull_all(task, false);
	if (failed_by_backend(task, status)) {
		status = leave_backend(task);
		if (status == STATUS_OK)
			status = source_rewind(task->x, &task->error);
		if (status == STATUS_OK)
			status = pull_all(task, true);
	}
	return settle(task, status);
}

/* --- pushed ---------------------------------------------------------------- */

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
	char *piece = malloc(READ_PIECE);
	enum status status = STATUS_OK;

	if (piece == NULL)
		return fail(&task->error, STATUS_OUT_OF_MEMORY, "no memory for a body");
	for (uint64_t at = 0; at < size && status == STATUS_OK; at += READ_PIECE) {
		uint64_t some = size - at < READ_PIECE ? size - at : READ_PIECE;

		status = check_cancelled(task);
		if (status == STATUS_OK)
			status = spool_read(push->kept, at, piece, some, &task->error);
		if (status == STATUS_OK)
			status = feed(task, piece, some / push->element);
	}
	free(piece);
	return status;
}

/* What came so far is fed to the host's backend; what will come follows. */
static enum status push_on_host(struct task *task)
{
	enum status status = leave_backend(task);

	if (status == STATUS_OK)
		status = open_run(task, &task->push->desc, true);
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
		return settle(task, STATUS_OUT_OF_MEMORY);
	}
	task->engine = engine;
	task->started_ns = clock_ns();
	task->push->element = dtype_size(desc->dtype);
	task->push->swap = swap;
	task->push->desc = *desc;
	status = open_run(task, desc, false);
	if (status != STATUS_OK)
		return settle(task, status);
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
	status = feed(task, push->buffer, count);
	if (push->kept != NULL && failed_by_backend(task, status))
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
	status = check_cancelled(task);
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
	return status == STATUS_OK ? status : settle(task, status);
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
		status = finish_run(task);
	if (task->push->kept != NULL && failed_by_backend(task, status)) {
		status = push_on_host(task);
		if (status == STATUS_OK)
			status = finish_run(task);
	}
	return settle(task, status);
}
