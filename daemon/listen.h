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
	const char *address;      /* as configured; outlives the listener */
	char text[LISTENER_TEXT]; /* "127.0.0.1:7460", "[::1]:7460",
				   * "unix:/run/foldd.sock" */
	bool is_unix;
	bool given;   /* another process has it too: its file stays */
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

const char *listener_kind(const struct listener *listener); /* "tcp" or "unix" */

/* A socket that listens already, from the process before this one: of the TCP
 * address, or of the path. The descriptor becomes the listener's. STATUS_BAD_VALUE. */
enum status listen_adopt_tcp(struct listener *out, int fd, const char *address, struct error *err);
enum status listen_adopt_unix(struct listener *out, int fd, const char *path, mode_t mode,
			      struct error *err);

/* Close, when nobody else has, and remove the socket file. */
void listener_close(struct listener *listener);

#endif
