#include "config.h"

#include "engine/scheduler.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define ELEMENTS 5u

static struct engine *engine;
static sem_t entered, gate; /* of sources that wait */

/* ELEMENTS ones; waits at the gate before the first when it is told to. */
struct gated_source {
	struct source base;
	bool waits;
	uint64_t left;
};

static enum status gated_read(struct source *base, void *out, uint64_t count, uint64_t *got,
			      struct error *err)
{
	struct gated_source *self = (struct gated_source *)base;

	(void)err;
	if (self->waits) {
		sem_post(&entered);
		sem_wait(&gate);
		self->waits = false;
	}
	*got = self->left < count ? self->left : count;
	for (uint64_t i = 0; i < *got; i++)
		((double *)out)[i] = 1.0;
	self->left -= *got;
	return STATUS_OK;
}

static void gated_close(struct source *base)
{
	free(base);
}

static struct task *make_task(bool waits)
{
	struct gated_source *source = calloc(1, sizeof(*source));
	struct task *task = task_create();
	struct error err = {0};

	assert_non_null(source);
	assert_non_null(task);
	source->base.desc =
		(struct array_desc){.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {ELEMENTS}};
	source->base.read = gated_read;
	source->base.close = gated_close;
	source->waits = waits;
	source->left = ELEMENTS;
	task->x = &source->base;
	task->job.kind = JOB_REDUCE;
	task->job.op_count = 1;
	task->job.determinism = DETERMINISM_ORDERED;
	assert_int_equal(op_parse("count", &task->job.ops[0].spec, &err), STATUS_OK);
	return task;
}

struct item {
	struct work work;
	struct task *task;
};

static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *order[64];
static unsigned finished;

static void note_done(struct work *work)
{
	pthread_mutex_lock(&order_lock);
	order[finished++] = work->owner;
	pthread_mutex_unlock(&order_lock);
}

static void item_init(struct item *item, bool waits)
{
	item->task = make_task(waits);
	item->work =
		(struct work){.tasks = &item->task, .count = 1, .done = note_done, .owner = item};
}

static int set_up(void **state)
{
	struct engine_config config = {.threads = 1};

	(void)state;
	limits_default(&config.limits);
	config.limits.queue_jobs = 3;
	config.limits.inline_ns = 1000000;
	sem_init(&entered, 0, 0);
	sem_init(&gate, 0, 0);
	return engine_create(&config, &engine, NULL) != STATUS_OK;
}

static int tear_down(void **state)
{
	(void)state;
	engine_destroy(engine);
	return 0;
}

static int reset(void **state)
{
	(void)state;
	finished = 0;
	return 0;
}

static void runs_in_order_and_drains(void **state)
{
	struct scheduler *scheduler = scheduler_start(engine, 1);
	struct item items[4];
	struct error err = {0};

	(void)state;
	assert_non_null(scheduler);
	for (unsigned i = 0; i < 4; i++) {
		item_init(&items[i], i == 0);
		assert_int_equal(scheduler_submit(scheduler, &items[i].work, &err), STATUS_OK);
		if (i == 0)
			sem_wait(&entered);
	}
	assert_int_equal(scheduler_waiting(scheduler), 3);
	sem_post(&gate);
	scheduler_stop(scheduler); /* finishes all that was submitted */
	assert_int_equal(finished, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_ptr_equal(order[i], &items[i]);
		assert_true(items[i].task->done);
		assert_int_equal(items[i].task->error.status, STATUS_OK);
		assert_int_equal(items[i].task->result->count, ELEMENTS);
		task_destroy(items[i].task);
	}
}

static void refuses_beyond_its_queue(void **state)
{
	struct scheduler *scheduler = scheduler_start(engine, 2);
	struct item items[6];
	struct error err = {0};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		item_init(&items[i], true);
		assert_int_equal(scheduler_submit(scheduler, &items[i].work, &err), STATUS_OK);
		sem_wait(&entered);
	}
	for (unsigned i = 2; i < 6; i++) { /* both workers are busy, 3 may wait */
		item_init(&items[i], false);
		assert_int_equal(scheduler_submit(scheduler, &items[i].work, &err),
				 i < 5 ? STATUS_OK : STATUS_QUEUE_FULL);
	}
	assert_int_equal(err.status, STATUS_QUEUE_FULL);
	assert_int_equal(scheduler_waiting(scheduler), 3);
	sem_post(&gate);
	sem_post(&gate);
	scheduler_stop(scheduler);
	assert_int_equal(finished, 5);
	assert_false(items[5].task->done);
	for (unsigned i = 0; i < 6; i++)
		task_destroy(items[i].task);
}

static void withdraws_what_waits(void **state)
{
	struct scheduler *scheduler = scheduler_start(engine, 1);
	struct item items[5];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		item_init(&items[i], i == 0);
		assert_int_equal(scheduler_submit(scheduler, &items[i].work, NULL), STATUS_OK);
		if (i == 0)
			sem_wait(&entered);
	}
	assert_false(scheduler_withdraw(scheduler, &items[0].work)); /* it runs */
	assert_true(scheduler_withdraw(scheduler, &items[3].work));  /* the last */
	assert_false(scheduler_withdraw(scheduler, &items[3].work));
	assert_true(scheduler_withdraw(scheduler, &items[1].work)); /* the first */
	assert_int_equal(scheduler_waiting(scheduler), 1);
	item_init(&items[4], false);
	assert_int_equal(scheduler_submit(scheduler, &items[4].work, NULL), STATUS_OK);
	sem_post(&gate);
	scheduler_stop(scheduler);
	assert_int_equal(finished, 3);
	assert_ptr_equal(order[1], &items[2]);
	assert_ptr_equal(order[2], &items[4]);
	assert_false(items[1].task->done);
	assert_false(items[3].task->done);
	for (unsigned i = 0; i < 5; i++)
		task_destroy(items[i].task);
}

static void cancelled_tasks_time_out(void **state)
{
	struct scheduler *scheduler = scheduler_start(engine, 1);
	struct item items[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		item_init(&items[i], i == 0);
		assert_int_equal(scheduler_submit(scheduler, &items[i].work, NULL), STATUS_OK);
	}
	sem_wait(&entered);
	atomic_store(&items[1].task->cancelled, true);
	sem_post(&gate);
	scheduler_stop(scheduler);
	assert_int_equal(items[0].task->error.status, STATUS_OK);
	assert_int_equal(items[1].task->error.status, STATUS_TIMEOUT);
	assert_null(items[1].task->result);
	for (unsigned i = 0; i < 2; i++)
		task_destroy(items[i].task);
}

static void tells_short_from_long(void **state)
{
	struct scheduler *scheduler = scheduler_start(engine, 1);
	struct task *tasks[2] = {make_task(false), make_task(false)};
	struct error err = {0};

	(void)state;
	assert_true(scheduler_is_inline(scheduler, tasks, 0));
	assert_true(scheduler_is_inline(scheduler, tasks, 2));
	tasks[1]->x->desc.shape[0] = UINT64_C(1) << 40;
	assert_false(scheduler_is_inline(scheduler, tasks, 2));
	err.status = STATUS_BAD_JOB; /* cmocka has a fail() of its own */
	task_refuse(tasks[1], &err); /* costs nothing any more */
	assert_true(scheduler_is_inline(scheduler, tasks, 2));

	scheduler_run(engine, tasks, 2);
	assert_int_equal(tasks[0]->error.status, STATUS_OK);
	assert_int_equal(tasks[1]->error.status, STATUS_BAD_JOB);
	task_destroy(tasks[0]);
	task_destroy(tasks[1]);
	scheduler_stop(scheduler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runs_in_order_and_drains, reset),
		cmocka_unit_test_setup(refuses_beyond_its_queue, reset),
		cmocka_unit_test_setup(withdraws_what_waits, reset),
		cmocka_unit_test_setup(cancelled_tasks_time_out, reset),
		cmocka_unit_test_setup(tells_short_from_long, reset),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
