/* task_steps.h - what the two ways of running a task share. Private to task.c,
 * task_pull.c and task_push.c. */
#ifndef ENGINE_TASK_STEPS_H
#define ENGINE_TASK_STEPS_H

#include "engine/run.h"
#include "engine/task.h"

/* Bytes of a file that are reduced between checks for cancellation; a multiple of a
 * tile of every type. */
#define TASK_PIECE (4u << 20)

/* Errors go to task->error. */
enum status task_check_cancelled(struct task *task);

/* What is pulled: x, or what the cache has of it. */
struct source *task_x(const struct task *task);

/* The run of what desc says, or the upload. */
enum status task_open_run(struct task *task, const struct array_desc *desc, bool on_host);
enum status task_feed(struct task *task, const void *x, uint64_t count);
enum status task_finish_run(struct task *task);

/* A backend that is lost, or has no memory left, takes no job with it: the host
 * computes it, from the first element. Whether that was it, and what is left behind. */
bool task_failed_by_backend(const struct task *task, enum status status);
enum status task_leave_backend(struct task *task);

/* The task has come to its end, well or not. */
enum status task_settle(struct task *task, enum status status);

/* What task_push.c has of it. */
void task_drop_push(struct task *task);

#endif
