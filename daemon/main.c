#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include "daemon/devices.h"
#include "daemon/handover.h"
#include "daemon/http.h"
#include "daemon/listen.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/options.h"
#include "daemon/port_file.h"
#include "daemon/restart.h"
#include "daemon/roots.h"
#include "daemon/service.h"
#include "engine/arithmetic.h"
#include "engine/array_restore.h"

/* All that main() opens; closed in reverse by daemon_close(). */
struct daemon {
	struct handover handover; /* from the process before this one */
	struct roots roots;
	bool has_roots;
	struct listener *listeners;
	size_t listener_count;
	struct loop *loop;
	struct service service;
	struct http **https;
	size_t http_count;
	bool has_port_file;
};

static enum status open_tcp(struct daemon *daemon, const struct settings *settings,
			    const char *address, struct listener *out, struct error *err)
{
	int fd = handover_find(&daemon->handover, "tcp", address);

	return fd >= 0 ? listen_adopt_tcp(out, fd, address, err)
		       : listen_tcp(out, address, settings->allow_remote != 0, err);
}

static enum status open_unix(struct daemon *daemon, const struct settings *settings,
			     struct listener *out, struct error *err)
{
	const char *path = settings->unix_path;
	int fd = handover_find(&daemon->handover, "unix", path);

	return fd >= 0 ? listen_adopt_unix(out, fd, path, (mode_t)settings->unix_mode, err)
		       : listen_unix(out, path, (mode_t)settings->unix_mode, err);
}

static enum status open_listeners(struct daemon *daemon, const struct settings *settings,
				  struct error *err)
{
	size_t most = settings->tcp.count + 1;
	enum status status = STATUS_OK;

	daemon->listeners = calloc(most, sizeof(*daemon->listeners));
	daemon->https = calloc(most, sizeof(struct http *));
	if (daemon->listeners == NULL || daemon->https == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for listeners");
	for (size_t i = 0; i < settings->tcp.count && status == STATUS_OK; i++) {
		status = open_tcp(daemon, settings, settings->tcp.items[i],
				  &daemon->listeners[daemon->listener_count], err);
		daemon->listener_count += status == STATUS_OK;
	}
	if (settings->unix_path != NULL && status == STATUS_OK) {
		status = open_unix(daemon, settings, &daemon->listeners[daemon->listener_count],
				   err);
		daemon->listener_count += status == STATUS_OK;
	}
	return status;
}

/* Who computes here, and who does not. */
static void log_backends(const struct engine *engine)
{
	for (unsigned i = 0; i < engine_backend_count(engine); i++) {
		struct backend_caps caps;

		engine_backend_describe(engine, i, &caps);
		log_line(LOG_INFO, "backend %s: %s", caps.name, caps.device);
	}
	for (unsigned i = 0; i < engine_absent_count(engine); i++)
		log_line(LOG_INFO, "no backend %s: %s", engine_absent(engine, i)->name,
			 engine_absent(engine, i)->why);
}

/* Jobs go on without it; what it held is read again or lost. */
static void backend_lost(void *context, const char *text)
{
	struct service *service = context;

	log_line(LOG_ERROR, "%s; the host computes its jobs", text);
	atomic_store(&service->device_lost, true);
	service->wake(service->wake_context);
}

/* Arrays are read again only from beneath the roots of today. */
static enum status open_engine(struct daemon *daemon, struct error *err)
{
	struct service *service = &daemon->service;
	struct loop *loop = daemon->loop;
	const struct settings *settings = service->settings;
	/* Its lock is the other process's as well. */
	const int arrays_fd =
		settings->array_directory != NULL
			? handover_find(&daemon->handover, "arrays", settings->array_directory)
			: -1;
	struct engine_config config = {
		.limits = settings->limits,
		.threads = (unsigned)settings->compute_threads,
		.spool_directory = settings->spool_directory,
		.arrays = {.budget = settings->array_budget,
			   .cache_percent = (unsigned)settings->cache_percent,
			   .copy = (enum array_copy)settings->array_copy,
			   .directory = settings->array_directory,
			   .directory_fd = arrays_fd,
			   .opener = {service->files.context, service->files.open_read}},
		.lost = backend_lost,
		.lost_context = service,
	};
	enum status status = engine_create(&config, &service->engine, err);

	if (status != STATUS_OK)
		return status;
	log_backends(service->engine);
	service->scheduler = scheduler_start(service->engine, (unsigned)settings->workers);
	if (service->scheduler == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "cannot start %" PRIu64 " workers",
			    settings->workers);
	service->watch =
		watch_create(service->scheduler, settings->limits.timeout_ms, loop_wake, loop);
	if (service->watch == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the watch");
	return STATUS_OK;
}

static void tell_of_array(const char *text)
{
	log_line(LOG_WARNING, "%s", text);
}

static enum status check_directory(const char *key, const char *directory, struct error *err)
{
	if (directory != NULL && access(directory, W_OK | X_OK) != 0)
		return fail(err, STATUS_BAD_VALUE, "%s %s: %s", key, directory, strerror(errno));
	return STATUS_OK;
}

/* Those that are named; the default of spool_dir is used when a job needs it. */
static enum status check_directories(const struct settings *settings, struct error *err)
{
	enum status status = check_directory("compute.spool_dir", settings->spool_directory, err);

	return status == STATUS_OK
		       ? check_directory("arrays.directory", settings->array_directory, err)
		       : status;
}

static enum status daemon_open(struct daemon *daemon, const struct settings *settings,
			       struct error *err)
{
	struct service *service = &daemon->service;
	enum status status = handover_take(&daemon->handover, err);

	service_init(service);
	if (status == STATUS_OK)
		status = roots_open(&daemon->roots, settings->roots.items, settings->roots.count,
				    settings->write_roots.items, settings->write_roots.count,
				    settings->limits.files, err);
	if (status != STATUS_OK)
		return status;
	daemon->has_roots = true;
	service->settings = settings;
	roots_access(&daemon->roots, &service->files);
	if (getrandom(&service->id_seed, sizeof(service->id_seed), 0) !=
	    (ssize_t)sizeof(service->id_seed))
		return fail(err, STATUS_INTERNAL, "getrandom: %s", strerror(errno));

	status = check_directories(settings, err);
	if (status == STATUS_OK)
		status = open_listeners(daemon, settings, err);
	if (status == STATUS_OK)
		status = loop_create(&daemon->loop, err);
	service->wake = loop_wake;
	service->wake_context = daemon->loop;
	if (status == STATUS_OK)
		status = open_engine(daemon, err);
	if (status == STATUS_OK)
		status = arrays_restore(engine_arrays(service->engine), tell_of_array, err);
	for (size_t i = 0; i < daemon->listener_count && status == STATUS_OK; i++) {
		status = http_start(service, &daemon->listeners[i], &daemon->https[i], err);
		daemon->http_count += status == STATUS_OK;
	}
	if (status == STATUS_OK && settings->port_file != NULL) {
		status = port_file_write(settings->port_file, daemon->listeners,
					 daemon->listener_count, err);
		daemon->has_port_file = status == STATUS_OK;
	}
	return status;
}

/* The HTTP threads may not be stopped while a connection is suspended, and ask
 * the scheduler as long as they run. */
static void daemon_close(struct daemon *daemon)
{
	struct service *service = &daemon->service;

	if (daemon->has_port_file)
		unlink(service->settings->port_file);
	service_close_gate(service);
	service_wait(service);
	for (size_t i = 0; i < daemon->http_count; i++)
		http_stop(daemon->https[i]);
	for (size_t i = daemon->http_count; i < daemon->listener_count; i++)
		listener_close(&daemon->listeners[i]);
	scheduler_stop(service->scheduler);
	watch_destroy(service->watch);
	engine_destroy(service->engine);
	loop_destroy(daemon->loop);
	if (daemon->has_roots)
		roots_close(&daemon->roots);
	handover_deinit(&daemon->handover);
	service_deinit(service);
	free(daemon->listeners);
	free(daemon->https);
}

/* Connections and the files of jobs all take descriptors. */
static void raise_descriptor_limit(const struct settings *settings)
{
	uint64_t wanted = settings->connections * (settings->tcp.count + 1) + 64;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
		log_line(LOG_WARNING,
			 "%llu descriptors are allowed, http.connections may need %llu",
			 (unsigned long long)limit.rlim_cur, (unsigned long long)wanted);
}

/* To the process before this one, which ends then. */
static void tell_ready(struct handover *handover)
{
	int fd = handover_find(handover, HANDOVER_READY, NULL);

	if (fd >= 0) {
		if (write(fd, "ready", 5) != 5)
			log_line(LOG_WARNING, "the process before this one has gone: %s",
				 strerror(errno));
		close(fd);
	}
	handover_deinit(handover);
}

static enum status serve(const struct settings *settings, struct error *err)
{
	struct daemon daemon = {0};
	struct loop_parts parts;
	enum status status;

	signal(SIGPIPE, SIG_IGN);
	raise_descriptor_limit(settings);
	status = daemon_open(&daemon, settings, err);
	if (status == STATUS_OK) {
		for (size_t i = 0; i < daemon.listener_count; i++)
			log_line(LOG_INFO, "listening on %s", daemon.listeners[i].text);
		log_line(LOG_INFO, "foldd %s ready", PACKAGE_VERSION);
		tell_ready(&daemon.handover);
		parts = (struct loop_parts){&daemon.service, daemon.listeners, daemon.https,
					    daemon.http_count};
		/* The port file is the other process's, once there is one. */
		daemon.has_port_file &= !loop_run(daemon.loop, &parts);
		log_line(LOG_INFO, "foldd ends");
	}
	daemon_close(&daemon);
	return status;
}

/* Everything that can be found wrong without listening or computing. */
static enum status check(const struct options *options, struct error *err)
{
	const struct settings *settings = &options->settings;
	struct roots roots;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < settings->tcp.count && status == STATUS_OK; i++)
		status = listen_check_tcp(settings->tcp.items[i], settings->allow_remote != 0, err);
	if (status == STATUS_OK)
		status = check_directories(settings, err);
	if (status == STATUS_OK)
		status = roots_open(&roots, settings->roots.items, settings->roots.count,
				    settings->write_roots.items, settings->write_roots.count,
				    settings->limits.files, err);
	if (status != STATUS_OK)
		return status;
	roots_close(&roots);
	printf("# %s%s\n", options->config_path != NULL ? "from " : "no configuration file",
	       options->config_path != NULL ? options->config_path : "");
	devices_print(stdout);
	settings_print(settings, stdout);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err = {0};
	enum status status;

	arithmetic_init_thread();
	status = restart_remember(argc, argv, &err);
	if (status == STATUS_OK)
		status = options_init(&options, argc, argv, &err);
	if (status == STATUS_OK) {
		log_set_level((enum log_level)options.settings.log_level);
		switch (options.action) {
		case ACTION_HELP:
			options_print_help(stdout);
			break;
		case ACTION_VERSION:
			printf("foldd %s\n", PACKAGE_VERSION);
			break;
		case ACTION_CHECK:
			status = check(&options, &err);
			break;
		case ACTION_SERVE:
			status =
				arithmetic_is_ieee()
					? serve(&options.settings, &err)
					: fail(&err, STATUS_INTERNAL,
					       "this build's arithmetic is not IEEE 754: no result "
					       "could be trusted");
			break;
		}
		options_deinit(&options);
	}
	if (status == STATUS_OK && (fflush(stdout) != 0 || ferror(stdout)))
		status = fail(&err, STATUS_INTERNAL, "standard output: %s", strerror(errno));
	if (status != STATUS_OK)
		fprintf(stderr, "foldd: %s\n", err.text);
	return status == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
