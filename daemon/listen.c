#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "daemon/listen.h"
#include "daemon/quantity.h"

static enum status split(const char *address, char *host, size_t host_size, const char **port,
			 struct error *err)
{
	const char *colon = strrchr(address, ':');
	const char *begin = address;
	size_t size = colon == NULL ? 0 : (size_t)(colon - address);
	uint64_t number;

	if (size >= 2 && begin[0] == '[' && begin[size - 1] == ']') {
		begin++;
		size -= 2;
	} else if (memchr(begin, ':', size) != NULL) {
		return fail(err, STATUS_BAD_VALUE,
			    "address \"%s\": an IPv6 address goes in brackets: [::1]:7460",
			    address);
	}
	if (size == 0 || size >= host_size)
		return fail(err, STATUS_BAD_VALUE, "address \"%s\" is not HOST:PORT", address);
	if (!quantity_count(colon + 1, &number) || number > 65535)
		return fail(err, STATUS_BAD_VALUE, "address \"%s\": the port is not 0 to 65535",
			    address);
	memcpy(host, begin, size);
	host[size] = '\0';
	*port = colon + 1;
	return STATUS_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)address;

		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	if (address->sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const void *)address;

		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	}
	return false;
}

static enum status resolve(const char *address, bool allow_remote, struct addrinfo **out,
			   struct error *err)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	char host[INET6_ADDRSTRLEN + 32]; /* with a zone */
	const char *port = NULL;
	struct addrinfo *found;
	enum status status = split(address, host, sizeof(host), &port, err);
	int code;

	if (status != STATUS_OK)
		return status;
	code = getaddrinfo(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, port, &hints,
			   &found);
	if (code == EAI_NONAME)
		return fail(err, STATUS_BAD_VALUE,
			    "address \"%s\": the host is neither a numeric address nor localhost",
			    address);
	if (code != 0)
		return fail(err, STATUS_BAD_VALUE, "address \"%s\": %s", address,
			    gai_strerror(code));
	if (!allow_remote && !is_loopback(found->ai_addr)) {
		freeaddrinfo(found);
		return fail(err, STATUS_BAD_VALUE,
			    "address \"%s\" can be reached from other machines, and foldd has no "
			    "access tokens yet: whoever gets there may run jobs; if that is meant, "
			    "say --allow-remote (allow_remote = yes)",
			    address);
	}
	*out = found;
	return STATUS_OK;
}

enum status listen_check_tcp(const char *address, bool allow_remote, struct error *err)
{
	struct addrinfo *found;
	enum status status = resolve(address, allow_remote, &found, err);

	if (status == STATUS_OK)
		freeaddrinfo(found);
	return status;
}

/* The bound address as text: the port may have been chosen by the kernel. */
static enum status describe(struct listener *listener, struct error *err)
{
	struct sockaddr_storage bound;
	socklen_t size = sizeof(bound);
	char host[INET6_ADDRSTRLEN + 32], port[8];
	int code;

	if (getsockname(listener->fd, (struct sockaddr *)&bound, &size) != 0)
		return fail(err, STATUS_INTERNAL, "getsockname: %s", strerror(errno));
	code = getnameinfo((struct sockaddr *)&bound, size, host, sizeof(host), port, sizeof(port),
			   NI_NUMERICHOST | NI_NUMERICSERV);
	if (code != 0)
		return fail(err, STATUS_INTERNAL, "getnameinfo: %s", gai_strerror(code));
	snprintf(listener->text, sizeof(listener->text),
		 bound.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
	return STATUS_OK;
}

enum status listen_tcp(struct listener *out, const char *address, bool allow_remote,
		       struct error *err)
{
	struct listener listener = {.address = address};
	struct addrinfo *found;
	int on = 1;
	enum status status = resolve(address, allow_remote, &found, err);

	if (status != STATUS_OK)
		return status;
	listener.fd =
		socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	if (listener.fd < 0) {
		status =
			fail(err, STATUS_BAD_VALUE, "address \"%s\": %s", address, strerror(errno));
		goto free_found;
	}
	setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (found->ai_family == AF_INET6)
		setsockopt(listener.fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(listener.fd, found->ai_addr, found->ai_addrlen) != 0 ||
	    listen(listener.fd, SOMAXCONN) != 0)
		status =
			fail(err, STATUS_BAD_VALUE, "address \"%s\": %s", address, strerror(errno));
	else
		status = describe(&listener, err);
	if (status == STATUS_OK)
		*out = listener;
	else
		close(listener.fd);

free_found:
	freeaddrinfo(found);
	return status;
}

/* Remove a socket file that a daemon left behind which is gone. */
static enum status remove_stale(const struct sockaddr_un *address, struct error *err)
{
	const char *path = address->sun_path;
	struct stat meta;
	int fd, error;

	if (lstat(path, &meta) != 0)
		return STATUS_OK; /* bind() will say what else is wrong */
	if (!S_ISSOCK(meta.st_mode))
		return fail(err, STATUS_BAD_VALUE, "%s exists and is no socket", path);

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fail(err, STATUS_INTERNAL, "socket: %s", strerror(errno));
	error = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ? 0 : errno;
	close(fd);
	if (error != ECONNREFUSED)
		return fail(err, STATUS_BAD_VALUE, "%s is in use%s%s", path, error ? ": " : "",
			    error ? strerror(error) : "");
	if (unlink(path) != 0)
		return fail(err, STATUS_BAD_VALUE, "%s cannot be replaced: %s", path,
			    strerror(errno));
	return STATUS_OK;
}

static void name_unix(struct listener *listener, const struct stat *meta)
{
	listener->device = meta->st_dev;
	listener->inode = meta->st_ino;
	snprintf(listener->text, sizeof(listener->text), "unix:%s", listener->address);
}

enum status listen_unix(struct listener *out, const char *path, mode_t mode, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct listener listener = {.address = path, .is_unix = true};
	struct stat meta;
	enum status status;
	mode_t mask;
	int bound;

	if (strlen(path) >= sizeof(address.sun_path))
		return fail(err, STATUS_BAD_VALUE, "%s: a socket's path has at most %zu bytes",
			    path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	status = remove_stale(&address, err);
	if (status != STATUS_OK)
		return status;

	listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener.fd < 0)
		return fail(err, STATUS_INTERNAL, "socket: %s", strerror(errno));
	/* By the mask, so that there is no moment with wider rights; no other
	 * thread runs yet. */
	mask = umask(0777 & ~mode);
	bound = bind(listener.fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (bound != 0 || listen(listener.fd, SOMAXCONN) != 0 || lstat(path, &meta) != 0) {
		status = fail(err, STATUS_BAD_VALUE, "%s: %s", path, strerror(errno));
		if (bound == 0)
			unlink(path);
		close(listener.fd);
		return status;
	}
	name_unix(&listener, &meta);
	*out = listener;
	return STATUS_OK;
}

const char *listener_kind(const struct listener *listener)
{
	return listener->is_unix ? "unix" : "tcp";
}

static enum status check_listens(const struct listener *listener, struct error *err)
{
	int listens = 0;
	socklen_t size = sizeof(listens);

	if (getsockopt(listener->fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
		return STATUS_OK;
	close(listener->fd);
	return fail(err, STATUS_BAD_VALUE, "what was handed over for %s is no listening socket",
		    listener->address);
}

enum status listen_adopt_tcp(struct listener *out, int fd, const char *address, struct error *err)
{
	struct listener listener = {.fd = fd, .address = address};
	enum status status = check_listens(&listener, err);

	if (status != STATUS_OK)
		return status;
	status = describe(&listener, err);
	if (status == STATUS_OK)
		*out = listener;
	else
		close(fd);
	return status;
}

enum status listen_adopt_unix(struct listener *out, int fd, const char *path, mode_t mode,
			      struct error *err)
{
	struct listener listener = {.fd = fd, .address = path, .is_unix = true};
	enum status status = check_listens(&listener, err);
	struct stat meta;

	if (status != STATUS_OK)
		return status;
	if (chmod(path, mode) != 0 || lstat(path, &meta) != 0) {
		status = fail(err, STATUS_BAD_VALUE, "%s: %s", path, strerror(errno));
		close(fd);
		return status;
	}
	name_unix(&listener, &meta);
	*out = listener;
	return STATUS_OK;
}

void listener_close(struct listener *listener)
{
	const char *path = listener->text + strlen("unix:");
	struct stat meta;

	if (listener->is_unix && !listener->given && lstat(path, &meta) == 0 &&
	    meta.st_dev == listener->device && meta.st_ino == listener->inode)
		unlink(path);
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
}
