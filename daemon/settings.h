/* settings.h - the configuration: one table of keys for the file
 * (docs/configuration.md), the command line and what --check prints. */
#ifndef DAEMON_SETTINGS_H
#define DAEMON_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "engine/limits.h"
#include "engine/status.h"

struct strings {
	char **items;
	size_t count;
};

struct settings {
	struct strings tcp; /* HOST:PORT */
	char *unix_path;    /* NULL: none */
	uint64_t unix_mode; /* of the socket file */
	uint64_t allow_remote;
	char *port_file; /* NULL: none */

	uint64_t http_threads;            /* of each listener; 0: as many as cores */
	uint64_t connections;             /* of each listener */
	uint64_t connections_per_address; /* 0: no limit */
	uint64_t idle_s;                  /* a connection without traffic is closed */
	uint64_t connection_memory;       /* bytes of buffers of each */

	uint64_t compute_threads; /* 0: as many as cores */
	uint64_t workers;         /* threads that run queued jobs */
	char *spool_directory;    /* NULL: TMPDIR or /var/tmp */
	uint64_t restart_lost;    /* bool: a restart in place when a device is lost */
	uint64_t restart_age_ms;  /* but not of a process younger than this */

	struct strings roots, write_roots;
	uint64_t array_budget;  /* bytes; 0: a quarter of the backend's memory */
	uint64_t cache_percent; /* of it, for files that jobs read */
	uint64_t array_copy;    /* enum array_copy */
	char *array_directory;  /* NULL: no array survives a restart */
	struct limits limits;
	uint64_t log_level;
	uint64_t drain_ms;
};

void settings_init(struct settings *out); /* the defaults */
void settings_deinit(struct settings *settings);

/* Set one key from text. A key that may be repeated is appended to. The error
 * does not say where the text came from. */
enum status settings_set(struct settings *settings, const char *section, const char *key,
			 const char *value, struct error *err);

/* Make a repeatable key empty. */
void settings_clear(struct settings *settings, const char *section, const char *key);

/* Read a file; errors begin with file:line. */
enum status settings_load(struct settings *settings, const char *path, struct error *err);

/* What only all keys together show; call when all are set. */
enum status settings_finish(struct settings *settings, struct error *err);

/* All keys as a file that would give the same. */
void settings_print(const struct settings *settings, FILE *out);

#endif
