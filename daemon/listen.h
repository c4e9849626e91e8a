/* listen.h - the sockets that connections come in by. */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "engine/status.h"

#define LISTENER_TEXT 160u

struct listener {
	int fd;                   /* listening, non-blocking; -1 once closed */
	char text[LISTENER_TEXT]; /* "127.0.0.1:7460", "[::1]:7460",
				   * "unix:/run/foldd.sock" */
	bool is_unix;
	dev_t device; /* of the socket file, so that only our own is */
	ino_t inode;  /* removed */
};

/* "HOST:PORT": a numeric address (IPv6 in brackets) or localhost. One that is
 * reached from other machines needs allow_remote. Binds nothing. */
enum status listen_check_tcp(const char *address, bool allow_remote, struct error *err);

enum status listen_tcp(struct listener *out, const char *address, bool allow_remote,
		       struct error *err);

/* A socket file that nobody answers on is replaced. */
enum status listen_unix(struct listener *out, const char *path, mode_t mode, struct error *err);

/* Close, when nobody else has, and remove the socket file. */
void listener_close(struct listener *listener);

#endif
