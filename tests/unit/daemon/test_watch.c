#include "config.h"

#include "engine/clock.h"
#include "daemon/watch.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define DEFAULT_MS 60000u

static struct engine *engine;
static struct scheduler *scheduler;
static struct watch *watch;
static atomic_uint wakes, dones;
static sem_t entered, gate;

static enum status gated_read(struct source *self, void *out, uint64_t count, uint64_t *got,
			      struct error *err)
{
	(void)self;
	(void)err;
	sem_post(&entered);
	sem_wait(&gate);
	memset(out, 0, count * sizeof(double));
	*got = count; /* without end: only cancelling ends it */
	return STATUS_OK;
}

static void gated_close(struct source *self)
{
	free(self);
}

struct item {
	struct task *tasks[2], **list;
	struct work work;
	struct watched watched;
	int other; /* the client's end of the connection */
};

static void on_done(struct work *work)
{
	struct item *item = work->owner;

	watch_remove(watch, &item->watched);
	atomic_fetch_add(&dones, 1);
}

static void on_wake(void *context)
{
	(void)context;
	atomic_fetch_add(&wakes, 1);
}

static struct task *make_task(uint64_t timeout_ms)
{
	struct source *source = calloc(1, sizeof(*source));
	struct task *task = task_create();

	assert_non_null(source);
	assert_non_null(task);
	source->desc = (struct array_desc){
		.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {UINT64_C(1) << 40}};
	source->read = gated_read;
	source->close = gated_close;
	task->x = source;
	task->job.op_count = 1;
	task->job.timeout_ms = timeout_ms;
	assert_int_equal(op_parse("count", &task->job.ops[0].spec, NULL), STATUS_OK);
	return task;
}

static void item_start(struct item *item, uint64_t first_ms, uint64_t second_ms)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	item->other = pair[1];
	item->tasks[0] = make_task(first_ms);
	item->tasks[1] = make_task(second_ms);
	item->work =
		(struct work){.tasks = item->tasks, .count = 2, .done = on_done, .owner = item};
	item->watched =
		(struct watched){.work = &item->work, .fd = pair[0], .started_ns = clock_ns()};
	watch_add(watch, &item->watched);
	assert_int_equal(scheduler_submit(scheduler, &item->work, NULL), STATUS_OK);
}

static void item_end(struct item *item)
{
	close(item->watched.fd);
	if (item->other >= 0)
		close(item->other);
	task_destroy(item->tasks[0]);
	task_destroy(item->tasks[1]);
}

static void sleep_ms(unsigned ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

static void wait_for_dones(unsigned count)
{
	for (unsigned i = 0; i < 5000 && atomic_load(&dones) < count; i++)
		sleep_ms(1);
	assert_int_equal(atomic_load(&dones), count);
}

static int set_up(void **state)
{
	struct engine_config config = {.threads = 1};

	(void)state;
	limits_default(&config.limits);
	if (engine_create(&config, &engine, NULL) != STATUS_OK)
		return -1;
	scheduler = scheduler_start(engine, 1);
	sem_init(&entered, 0, 0);
	sem_init(&gate, 0, 0);
	atomic_store(&wakes, 0);
	atomic_store(&dones, 0);
	watch = watch_create(scheduler, DEFAULT_MS, on_wake, NULL);
	return scheduler == NULL || watch == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	scheduler_stop(scheduler);
	watch_destroy(watch);
	engine_destroy(engine);
	return 0;
}

static void idle_needs_no_sweep(void **state)
{
	(void)state;
	assert_int_equal(watch_sweep(watch), 0);
	assert_int_equal(atomic_load(&wakes), 0);
}

static void deadlines_cancel_task_by_task(void **state)
{
	struct item item;
	uint64_t later;

	(void)state;
	item_start(&item, 20, 0);
	assert_int_equal(atomic_load(&wakes), 1);
	later = watch_sweep(watch);
	assert_true(later > 0 && later <= 21);
	assert_false(atomic_load(&item.tasks[0]->cancelled));
	sleep_ms(25);
	watch_sweep(watch);
	assert_true(atomic_load(&item.tasks[0]->cancelled));
	assert_false(atomic_load(&item.tasks[1]->cancelled)); /* has a minute */
	assert_int_equal(item.watched.end, WATCH_RUNS);

	watch_cancel_all(watch);
	assert_true(atomic_load(&item.tasks[1]->cancelled));
	sem_post(&gate);
	sem_post(&gate);
	wait_for_dones(1);
	assert_int_equal(item.watched.end, WATCH_DRAINED);
	assert_int_equal(item.tasks[0]->error.status, STATUS_TIMEOUT);
	assert_int_equal(item.tasks[1]->error.status, STATUS_TIMEOUT);
	assert_int_equal(watch_count(watch), 0);
	item_end(&item);
}

/* A job that waits is answered at its deadline, not when its turn comes. */
static void deadlines_reach_the_queue(void **state)
{
	struct item busy, queued;

	(void)state;
	item_start(&busy, 0, 0);
	sem_wait(&entered);
	item_start(&queued, 10, 10);
	sleep_ms(15);
	watch_sweep(watch);
	assert_int_equal(atomic_load(&dones), 1);
	assert_int_equal(queued.tasks[0]->error.status, STATUS_TIMEOUT);
	assert_int_equal(queued.tasks[1]->error.status, STATUS_TIMEOUT);
	assert_false(atomic_load(&busy.tasks[0]->cancelled));

	watch_cancel_all(watch);
	sem_post(&gate);
	wait_for_dones(2);
	item_end(&busy);
	item_end(&queued);
}

static void clients_that_go_cancel_their_work(void **state)
{
	struct item running, waiting, staying;

	(void)state;
	item_start(&running, 0, 0);
	sem_wait(&entered);
	item_start(&waiting, 0, 0);
	item_start(&staying, 0, 0);
	watch_sweep(watch);
	assert_int_equal(watch_count(watch), 3);
	close(running.other);
	shutdown(waiting.other, SHUT_WR);
	running.other = -1;
	watch_sweep(watch);
	assert_true(atomic_load(&running.tasks[0]->cancelled));
	assert_int_equal(atomic_load(&dones), 1); /* the waiting one */
	assert_int_equal(waiting.watched.end, WATCH_GONE);
	sem_post(&gate);
	sem_wait(&entered); /* the last one has its turn */
	assert_int_equal(atomic_load(&dones), 2);
	assert_int_equal(running.watched.end, WATCH_GONE);
	assert_false(atomic_load(&staying.tasks[0]->cancelled));

	watch_cancel_all(watch);
	sem_post(&gate);
	wait_for_dones(3);
	item_end(&running);
	item_end(&waiting);
	item_end(&staying);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(idle_needs_no_sweep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deadlines_cancel_task_by_task, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deadlines_reach_the_queue, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clients_that_go_cancel_their_work, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
