#include "config.h"

#include "daemon/connections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static struct connections connections;

static int set_up(void **state)
{
	(void)state;
	connections_init(&connections);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	connections_deinit(&connections);
	return 0;
}

static void make_unix(int pair[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void make_tcp(int pair[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	pair[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(pair[1], (struct sockaddr *)&address, size), 0);
	pair[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(pair[0] >= 0);
	close(listener);
}

static int events(int epoll)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 0);
}

/* What libmicrohttpd does: take the event, read what was asked for, and wait
 * for the next event. */
static void check_missed_end(int pair[2])
{
	struct epoll_event want = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct connection *connection;
	char text[8];
	bool first;

	assert_int_equal(write(pair[1], "abc", 3), 3);
	shutdown(pair[1], SHUT_WR);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &want), 0);
	assert_int_equal(events(epoll), 1);
	assert_int_equal(read(pair[0], text, 2), 2);
	assert_int_equal(events(epoll), 0); /* the end has been missed */

	connection = connections_add(&connections, pair[0], &first);
	assert_true(first);
	assert_true(connections_sweep(&connections)); /* only looks */
	assert_int_equal(events(epoll), 0);
	assert_true(connections_sweep(&connections));
	assert_int_equal(events(epoll), 1);
	assert_int_equal(read(pair[0], text, 8), 1); /* what came before is there */
	assert_int_equal(text[0], 'c');
	assert_int_equal(read(pair[0], text, 8), 0);
	assert_int_equal(write(pair[0], "answer", 6), 6); /* and half remains */
	assert_int_equal(read(pair[1], text, 8), 6);

	connections_remove(&connections, connection);
	assert_false(connections_sweep(&connections));
	close(epoll);
	close(pair[0]);
	close(pair[1]);
}

static void wakes_tcp(void **state)
{
	int pair[2];

	(void)state;
	make_tcp(pair);
	check_missed_end(pair);
}

static void wakes_unix(void **state)
{
	int pair[2];

	(void)state;
	make_unix(pair);
	check_missed_end(pair);
}

static void leaves_open_ones_alone(void **state)
{
	struct connection *one, *two;
	char text[4];
	bool first;
	int a[2], b[2];

	(void)state;
	make_tcp(a);
	make_unix(b);
	one = connections_add(&connections, a[0], &first);
	two = connections_add(&connections, b[0], &first);
	assert_false(first);
	assert_int_equal(connections_count(&connections), 2);
	for (int i = 0; i < 3; i++)
		assert_true(connections_sweep(&connections));
	assert_int_equal(write(a[1], "xy", 2), 2);
	assert_int_equal(read(a[0], text, sizeof(text)), 2);
	assert_int_equal(write(b[1], "xy", 2), 2);
	assert_int_equal(read(b[0], text, sizeof(text)), 2);
	connections_remove(&connections, one);
	connections_remove(&connections, two);
	connections_remove(&connections, NULL);
	assert_int_equal(connections_count(&connections), 0);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakes_tcp),
		cmocka_unit_test(wakes_unix),
		cmocka_unit_test(leaves_open_ones_alone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
