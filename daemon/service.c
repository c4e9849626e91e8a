#include "config.h"

#include "daemon/service.h"

void service_init(struct service *service)
{
	connections_init(&service->connections);
	pthread_mutex_init(&service->gate, NULL);
	pthread_cond_init(&service->empty, NULL);
}

void service_deinit(struct service *service)
{
	pthread_cond_destroy(&service->empty);
	pthread_mutex_destroy(&service->gate);
	connections_deinit(&service->connections);
}

enum status service_submit(struct service *service, struct work *work, struct error *err)
{
	enum status status;

	pthread_mutex_lock(&service->gate);
	if (service->closed)
		status = fail(err, STATUS_DRAINING, "foldd is shutting down");
	else
		status = scheduler_submit(service->scheduler, work, err);
	if (status == STATUS_OK)
		service->pending++;
	pthread_mutex_unlock(&service->gate);
	return status;
}

void service_done(struct service *service)
{
	pthread_mutex_lock(&service->gate);
	service->pending--;
	if (service->pending == 0)
		pthread_cond_broadcast(&service->empty);
	pthread_mutex_unlock(&service->gate);
}

void service_close_gate(struct service *service)
{
	pthread_mutex_lock(&service->gate);
	service->closed = true;
	pthread_mutex_unlock(&service->gate);
}

void service_wait(struct service *service)
{
	pthread_mutex_lock(&service->gate);
	while (service->pending > 0)
		pthread_cond_wait(&service->empty, &service->gate);
	pthread_mutex_unlock(&service->gate);
}

bool service_closes(const struct service *service)
{
	return atomic_load(&service->draining) || atomic_load(&service->leaving);
}

void service_enter(struct service *service)
{
	atomic_fetch_add(&service->active, 1);
}

void service_leave(struct service *service)
{
	if (atomic_fetch_sub(&service->active, 1) == 1 && atomic_load(&service->draining))
		service->wake(service->wake_context);
}
