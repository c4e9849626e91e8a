#include "config.h"

#include "daemon/listen.h"
#include "daemon/port_file.h"
#include "tests/unit/daemon/scratch.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

static void checks_addresses(void **state)
{
	static const char *const good[] = {"127.0.0.1:7460", "127.8.8.8:0", "localhost:65535",
					   "[::1]:80"};
	static const struct {
		const char *address, *words;
	} bad[] = {
		{"127.0.0.1", "HOST:PORT"},
		{":80", "HOST:PORT"},
		{"127.0.0.1:", "port"},
		{"127.0.0.1:65536", "port"},
		{"127.0.0.1:-1", "port"},
		{"127.0.0.1:http", "port"},
		{"::1:80", "brackets"},
		{"[]:80", "HOST:PORT"},
		{"host.example:80", "numeric"},
		{"256.0.0.1:80", "numeric"},
		{"0.0.0.0:80", "--allow-remote"},
		{"[::]:80", "--allow-remote"},
		{"192.0.2.1:80", "--allow-remote"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct error err = {0};

		if (listen_check_tcp(good[i], false, &err) != STATUS_OK)
			fail_msg("%s: %s", good[i], err.text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err = {0};

		if (listen_check_tcp(bad[i].address, false, &err) != STATUS_BAD_VALUE ||
		    strstr(err.text, bad[i].words) == NULL)
			fail_msg("%s: \"%s\" lacks \"%s\"", bad[i].address, err.text, bad[i].words);
	}
	assert_int_equal(listen_check_tcp("0.0.0.0:80", true, NULL), STATUS_OK);
}

static void listens_on_tcp(void **state)
{
	struct listener listener, second;
	struct error err = {0};
	struct sockaddr_in address = {.sin_family = AF_INET};
	unsigned port;
	int fd;

	(void)state;
	if (listen_tcp(&listener, "127.0.0.1:0", false, &err) != STATUS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(sscanf(listener.text, "127.0.0.1:%u", &port), 1);
	assert_true(port > 0);
	assert_true((fcntl(listener.fd, F_GETFL) & O_NONBLOCK) != 0);
	address.sin_port = htons((uint16_t)port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(listen_tcp(&second, listener.text, false, &err), STATUS_BAD_VALUE);
	assert_non_null(strstr(err.text, "in use"));
	listener_close(&listener);
}

static void replaces_stale_sockets_only(void **state)
{
	struct listener first, second;
	struct error err = {0};
	struct stat meta;
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "stale"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd); /* its file stays, and nobody listens */
	if (listen_unix(&first, "stale", 0600, &err) != STATUS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(first.text, "unix:stale");
	assert_int_equal(lstat("stale", &meta), 0);
	assert_int_equal(meta.st_mode & 0777, 0600);

	assert_int_equal(listen_unix(&second, "stale", 0600, &err), STATUS_BAD_VALUE);
	assert_non_null(strstr(err.text, "in use"));
	scratch_write("file", "precious");
	assert_int_equal(listen_unix(&second, "file", 0600, &err), STATUS_BAD_VALUE);
	assert_non_null(strstr(err.text, "no socket"));
	assert_int_equal(listen_unix(&second, "no/such/directory", 0600, &err), STATUS_BAD_VALUE);

	listener_close(&first);
	assert_int_equal(access("stale", F_OK), -1);
	assert_int_equal(access("file", F_OK), 0);
}

static void removes_only_its_own_socket(void **state)
{
	struct listener first, second;
	struct error err = {0};

	(void)state;
	assert_int_equal(listen_unix(&first, "s", 0600, &err), STATUS_OK);
	assert_int_equal(unlink("s"), 0);
	assert_int_equal(listen_unix(&second, "s", 0600, &err), STATUS_OK);
	listener_close(&first);
	assert_int_equal(access("s", F_OK), 0);
	listener_close(&second);
	assert_int_equal(access("s", F_OK), -1);
}

static void refuses_long_paths(void **state)
{
	struct listener listener;
	struct error err = {0};
	char path[200];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(listen_unix(&listener, path, 0600, &err), STATUS_BAD_VALUE);
	assert_non_null(strstr(err.text, "107 bytes"));
}

static void writes_the_port_file(void **state)
{
	struct listener listeners[2] = {{.text = "127.0.0.1:5"}, {.text = "unix:/x"}};
	struct error err = {0};
	char text[64];

	(void)state;
	assert_int_equal(port_file_write("ports", listeners, 2, &err), STATUS_OK);
	scratch_read("ports", text, sizeof(text));
	assert_string_equal(text, "127.0.0.1:5\nunix:/x\n");
	assert_int_equal(access("ports.new", F_OK), -1);
	assert_int_equal(port_file_write("no/ports", listeners, 2, &err), STATUS_BAD_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_addresses),
		cmocka_unit_test(listens_on_tcp),
		cmocka_unit_test(replaces_stale_sockets_only),
		cmocka_unit_test(removes_only_its_own_socket),
		cmocka_unit_test(refuses_long_paths),
		cmocka_unit_test(writes_the_port_file),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
