#include "config.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "daemon/connections.h"

void connections_init(struct connections *connections)
{
	pthread_mutex_init(&connections->lock, NULL);
	connections->head.previous = connections->head.next = &connections->head;
	connections->count = 0;
}

void connections_deinit(struct connections *connections)
{
	pthread_mutex_destroy(&connections->lock);
}

struct connection *connections_add(struct connections *connections, int fd, bool *first)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection == NULL)
		return NULL;
	connection->fd = fd;
	pthread_mutex_lock(&connections->lock);
	connection->previous = connections->head.previous;
	connection->next = &connections->head;
	connection->previous->next = connection;
	connections->head.previous = connection;
	*first = connections->count++ == 0;
	pthread_mutex_unlock(&connections->lock);
	return connection;
}

void connections_remove(struct connections *connections, struct connection *connection)
{
	if (connection == NULL)
		return;
	pthread_mutex_lock(&connections->lock);
	connection->previous->next = connection->next;
	connection->next->previous = connection->previous;
	connections->count--;
	pthread_mutex_unlock(&connections->lock);
	free(connection);
}

size_t connections_count(struct connections *connections)
{
	size_t count;

	pthread_mutex_lock(&connections->lock);
	count = connections->count;
	pthread_mutex_unlock(&connections->lock);
	return count;
}

static bool has_ended(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLRDHUP};

	return poll(&polled, 1, 0) > 0;
}

bool connections_sweep(struct connections *connections)
{
	bool any;

	pthread_mutex_lock(&connections->lock);
	for (struct connection *c = connections->head.next; c != &connections->head; c = c->next) {
		bool ended = has_ended(c->fd);

		if (ended && c->ended)
			shutdown(c->fd, SHUT_RD);
		c->ended = ended;
	}
	any = connections->count > 0;
	pthread_mutex_unlock(&connections->lock);
	return any;
}
