#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>
#include "daemon/loop.h"
#include "daemon/log.h"
#include "daemon/restart.h"

/* Cancelled work stops at its next piece. After a second signal it gets this
 * long; then the process ends all the same (chosen). */
#define CUT_MS 2000u
#define POLL_MS 5u     /* while the end is waited for */
#define GRACE_MS 250u  /* for requests on their way on open connections (chosen) */
#define ANSWER_MS 500u /* for what was cancelled to be answered (chosen) */

enum phase { PHASE_RUN, PHASE_LEAVE, PHASE_DRAIN, PHASE_CUT };

struct loop {
	uv_loop_t uv;
	uv_signal_t terminate, interrupt, renew;
	uv_async_t wake;
	uv_timer_t sweep, connections, limit, poll;

	struct restart *restart;
	struct loop_parts parts;
	struct service *service; /* of the parts */
	enum phase phase;
	bool left;         /* another process has taken over */
	uint64_t since_ms; /* uv_now() when the phase began */
	uint64_t begun_ms; /* when the loop did */
};

void loop_wake(void *loop)
{
	uv_async_send(&((struct loop *)loop)->wake);
}

static void on_sweep(uv_timer_t *timer)
{
	struct loop *loop = timer->data;
	uint64_t later = watch_sweep(loop->service->watch);

	if (later != 0)
		uv_timer_start(&loop->sweep, on_sweep, later, 0);
}

static void on_connections(uv_timer_t *timer)
{
	struct loop *loop = timer->data;

	if (connections_sweep(&loop->service->connections))
		uv_timer_start(timer, on_connections, CONNECTIONS_SWEEP_MS, 0);
}

/* Closing a connection on which a request is just arriving would lose it; its
 * answer says "Connection: close", so that clients move on. */
static void end_when_idle(struct loop *loop)
{
	if (loop->phase == PHASE_LEAVE && atomic_load(&loop->service->active) == 0 &&
	    connections_count(&loop->service->connections) == 0)
		uv_stop(&loop->uv);
	if (loop->phase != PHASE_DRAIN || atomic_load(&loop->service->active) > 0)
		return;
	if (connections_count(&loop->service->connections) == 0 ||
	    uv_now(&loop->uv) - loop->since_ms >= GRACE_MS)
		uv_stop(&loop->uv);
}

static void cut(struct loop *loop);

static void on_drain(uv_timer_t *timer)
{
	end_when_idle(timer->data);
}

/* --- restarts ------------------------------------------------------------------ */

static void take_no_more(struct loop *loop)
{
	for (size_t i = 0; i < loop->parts.count; i++)
		http_quiesce(loop->parts.https[i]);
}

static void on_leave_limit(uv_timer_t *timer)
{
	struct loop *loop = timer->data;

	log_line(LOG_INFO, "the drain limit has passed: %zu connections are closed",
		 connections_count(&loop->service->connections));
	if (atomic_load(&loop->service->active) > 0)
		cut(loop);
	else
		uv_stop(&loop->uv);
}

static void on_ready(void *context)
{
	struct loop *loop = context;

	if (loop->phase != PHASE_RUN)
		return;
	log_line(LOG_INFO, "another process takes the connections");
	loop->left = true;
	loop->phase = PHASE_LEAVE;
	loop->since_ms = uv_now(&loop->uv);
	atomic_store(&loop->service->leaving, true);
	for (size_t i = 0; i < loop->parts.count; i++)
		loop->parts.listeners[i].given = true;
	take_no_more(loop);
	uv_timer_start(&loop->limit, on_leave_limit, loop->service->settings->drain_ms, 0);
	uv_timer_start(&loop->poll, on_drain, 0, POLL_MS);
}

static void on_failed(void *context, const char *why)
{
	struct loop *loop = context;

	log_line(LOG_ERROR, "the restart failed, this process serves on: %s", why);
	arrays_thaw(engine_arrays(loop->service->engine));
}

static void renew(struct loop *loop)
{
	const char *directory = loop->service->settings->array_directory;
	struct arrays *arrays = engine_arrays(loop->service->engine);
	struct error err = {0};

	if (loop->phase != PHASE_RUN || restart_is_under_way(loop->restart)) {
		log_line(LOG_WARNING, "no restart: %s",
			 loop->phase != PHASE_RUN ? "foldd is ending" : "one is under way");
		return;
	}
	log_line(LOG_INFO, "restarting in place");
	arrays_freeze(arrays);
	if (arrays_mortal(arrays) > 0)
		log_line(LOG_WARNING,
			 "%zu arrays end with this process: arrays.directory and "
			 "arrays.copy = disk would keep them",
			 arrays_mortal(arrays));
	if (restart_begin(loop->restart, loop->parts.listeners, loop->parts.count, directory,
			  arrays_directory_fd(arrays), &err) != STATUS_OK)
		on_failed(loop, err.text);
}

static void on_renew(uv_signal_t *handle, int number)
{
	(void)number;
	renew(handle->data);
}

/* A new process has a new context. A device that is lost soon after the start is
 * broken, or some client's job breaks it: another restart would not help. */
static void renew_device(struct loop *loop)
{
	const struct settings *settings = loop->service->settings;
	const size_t mortal = arrays_mortal(engine_arrays(loop->service->engine));

	if (!settings->restart_lost)
		return;
	if (uv_now(&loop->uv) - loop->begun_ms < settings->restart_age_ms)
		log_line(LOG_WARNING, "no restart for the device: this process is younger than "
				      "compute.restart_age");
	else if (mortal > 0)
		log_line(LOG_WARNING,
			 "no restart for the device: %zu arrays would end by it; "
			 "SIGUSR2 restarts all the same",
			 mortal);
	else
		renew(loop);
}

static void on_wake(uv_async_t *async)
{
	struct loop *loop = async->data;

	if (loop->service == NULL)
		return;
	end_when_idle(loop);
	if (atomic_exchange(&loop->service->device_lost, false))
		renew_device(loop);
	on_sweep(&loop->sweep);
	if (!uv_is_active((uv_handle_t *)&loop->connections))
		on_connections(&loop->connections);
}

static void on_poll(uv_timer_t *timer)
{
	struct loop *loop = timer->data;

	watch_cancel_all(loop->service->watch);
	if (watch_count(loop->service->watch) > 0)
		return;
	if (atomic_load(&loop->service->active) == 0 ||
	    uv_now(&loop->uv) - loop->since_ms >= ANSWER_MS)
		uv_stop(&loop->uv);
}

/* Bodies still on their way are given up, jobs stop at the next piece. */
static void cut(struct loop *loop)
{
	if (loop->phase == PHASE_CUT)
		return;
	loop->phase = PHASE_CUT;
	loop->since_ms = uv_now(&loop->uv);
	service_close_gate(loop->service);
	uv_timer_start(&loop->poll, on_poll, 0, POLL_MS);
}

static void on_limit(uv_timer_t *timer)
{
	struct loop *loop = timer->data;

	log_line(LOG_WARNING, "the drain limit has passed: cancelling what is left");
	cut(loop);
}

static void on_stuck(uv_timer_t *timer)
{
	struct loop *loop = timer->data;

	log_line(LOG_ERROR, "a job does not stop: ending without it");
	for (size_t i = 0; i < loop->parts.count; i++)
		http_quiesce(loop->parts.https[i]); /* removes the socket file */
	_exit(EXIT_FAILURE);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct loop *loop = handle->data;

	(void)number;
	if (loop->phase == PHASE_RUN || loop->phase == PHASE_LEAVE) {
		loop->phase = PHASE_DRAIN;
		loop->since_ms = uv_now(&loop->uv);
		log_line(LOG_INFO, "draining: %llu requests under way",
			 (unsigned long long)atomic_load(&loop->service->active));
		atomic_store(&loop->service->draining, true);
		take_no_more(loop);
		uv_timer_start(&loop->limit, on_limit, loop->service->settings->drain_ms, 0);
		uv_timer_start(&loop->poll, on_drain, 0, POLL_MS);
	} else {
		log_line(LOG_WARNING, "a second signal: cancelling what is left");
		cut(loop);
		uv_timer_start(&loop->limit, on_stuck, CUT_MS, 0);
	}
}

enum status loop_create(struct loop **out, struct error *err)
{
	struct restart_events events = {.ready = on_ready, .failed = on_failed};
	struct loop *loop = calloc(1, sizeof(*loop));
	int code;

	if (loop == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the event loop");
	code = uv_loop_init(&loop->uv);
	if (code != 0) {
		free(loop);
		return fail(err, STATUS_INTERNAL, "event loop: %s", uv_strerror(code));
	}
	uv_timer_init(&loop->uv, &loop->sweep);
	uv_timer_init(&loop->uv, &loop->connections);
	uv_timer_init(&loop->uv, &loop->limit);
	uv_timer_init(&loop->uv, &loop->poll);
	uv_signal_init(&loop->uv, &loop->terminate);
	uv_signal_init(&loop->uv, &loop->interrupt);
	uv_signal_init(&loop->uv, &loop->renew);
	loop->sweep.data = loop->connections.data = loop;
	loop->limit.data = loop->poll.data = loop;
	loop->terminate.data = loop->interrupt.data = loop->renew.data = loop;
	loop->wake.data = loop;

	events.context = loop;
	code = uv_async_init(&loop->uv, &loop->wake, on_wake);
	if (code == 0)
		code = uv_signal_start(&loop->terminate, on_signal, SIGTERM);
	if (code == 0)
		code = uv_signal_start(&loop->interrupt, on_signal, SIGINT);
	if (code == 0)
		code = uv_signal_start(&loop->renew, on_renew, SIGUSR2);
	if (code != 0)
		fail(err, STATUS_INTERNAL, "event loop: %s", uv_strerror(code));
	if (code == 0 && restart_create(&loop->uv, &events, &loop->restart, err) == STATUS_OK) {
		*out = loop;
		return STATUS_OK;
	}
	loop_destroy(loop);
	return err != NULL ? err->status : STATUS_INTERNAL;
}

static void close_handle(uv_handle_t *handle, void *context)
{
	(void)context;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void loop_destroy(struct loop *loop)
{
	if (loop == NULL)
		return;
	uv_walk(&loop->uv, close_handle, NULL);
	uv_run(&loop->uv, UV_RUN_DEFAULT);
	uv_loop_close(&loop->uv);
	restart_destroy(loop->restart);
	free(loop);
}

bool loop_run(struct loop *loop, const struct loop_parts *parts)
{
	loop->parts = *parts;
	loop->service = parts->service;
	loop->begun_ms = uv_now(&loop->uv);
	on_wake(&loop->wake); /* what came before the loop ran */
	uv_run(&loop->uv, UV_RUN_DEFAULT);
	service_close_gate(loop->service);
	return loop->left;
}
