#include "config.h"
#include "engine/task.h"

#include <stdlib.h>
#include "engine/clock.h"
#include "engine/resident.h"
#include "engine/task_steps.h"

/* Bytes that a core copies in a ns; chosen. */
#define COPIED_IN_NS 4u

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
	task_drop_push(task);
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

enum status task_settle(struct task *task, enum status status)
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

enum status task_check_cancelled(struct task *task)
{
	if (!atomic_load_explicit(&task->cancelled, memory_order_relaxed))
		return STATUS_OK;
	return fail(&task->error, STATUS_TIMEOUT, "the job was given up after its time had passed");
}

struct source *task_x(const struct task *task)
{
	return task->kept_x != NULL ? task->kept_x : task->x;
}

enum status task_open_run(struct task *task, const struct array_desc *desc, bool on_host)
{
	const struct run_args args = {
		.engine = task->engine,
		.job = &task->job,
		.x = desc,
		.from = task_x(task),
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

enum status task_feed(struct task *task, const void *x, uint64_t count)
{
	return task->upload != NULL ? upload_write(task->upload, x, count, &task->error)
				    : run_feed(task->run, x, count, &task->error);
}

enum status task_finish_run(struct task *task)
{
	return task->upload != NULL ? upload_end(task->upload, &task->error)
				    : run_finish(task->run, &task->result, &task->error);
}

bool task_failed_by_backend(const struct task *task, enum status status)
{
	return task->run != NULL && run_failed_by_backend(task->run, status);
}

enum status task_leave_backend(struct task *task)
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
