#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>
#include "daemon/loop.h"
#include "daemon/log.h"

/* Cancelled work stops at its next piece. After a second signal it gets this
 * long; then the process ends all the same (chosen). */
#define CUT_MS 2000u
#define POLL_MS 5u     /* while the end is waited for */
#define GRACE_MS 250u  /* for requests on their way on open connections (chosen) */
#define ANSWER_MS 500u /* for what was cancelled to be answered (chosen) */

enum phase { PHASE_RUN, PHASE_DRAIN, PHASE_CUT };

struct loop {
	uv_loop_t uv;
	uv_signal_t terminate, interrupt;
	uv_async_t wake;
	uv_timer_t sweep, connections, limit, poll;

	struct service *service;
	struct http *const *https;
	size_t http_count;
	enum phase phase;
	uint64_t since_ms; /* uv_now() when the phase began */
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
	if (loop->phase != PHASE_DRAIN || atomic_load(&loop->service->active) > 0)
		return;
	if (connections_count(&loop->service->connections) == 0 ||
	    uv_now(&loop->uv) - loop->since_ms >= GRACE_MS)
		uv_stop(&loop->uv);
}

static void on_drain(uv_timer_t *timer)
{
	end_when_idle(timer->data);
}

static void on_wake(uv_async_t *async)
{
	struct loop *loop = async->data;

	if (loop->service == NULL)
		return;
	end_when_idle(loop);
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
	for (size_t i = 0; i < loop->http_count; i++)
		http_quiesce(loop->https[i]); /* removes the socket file */
	_exit(EXIT_FAILURE);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct loop *loop = handle->data;

	(void)number;
	if (loop->phase == PHASE_RUN) {
		loop->phase = PHASE_DRAIN;
		loop->since_ms = uv_now(&loop->uv);
		log_line(LOG_INFO, "draining: %llu requests under way",
			 (unsigned long long)atomic_load(&loop->service->active));
		atomic_store(&loop->service->draining, true);
		for (size_t i = 0; i < loop->http_count; i++)
			http_quiesce(loop->https[i]);
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
	loop->sweep.data = loop->connections.data = loop;
	loop->limit.data = loop->poll.data = loop;
	loop->terminate.data = loop->interrupt.data = loop->wake.data = loop;

	code = uv_async_init(&loop->uv, &loop->wake, on_wake);
	if (code == 0)
		code = uv_signal_start(&loop->terminate, on_signal, SIGTERM);
	if (code == 0)
		code = uv_signal_start(&loop->interrupt, on_signal, SIGINT);
	if (code != 0) {
		loop_destroy(loop);
		return fail(err, STATUS_INTERNAL, "event loop: %s", uv_strerror(code));
	}
	*out = loop;
	return STATUS_OK;
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
	free(loop);
}

void loop_run(struct loop *loop, struct service *service, struct http *const *https, size_t count)
{
	loop->service = service;
	loop->https = https;
	loop->http_count = count;
	on_wake(&loop->wake); /* what came before the loop ran */
	uv_run(&loop->uv, UV_RUN_DEFAULT);
	service_close_gate(service);
}
