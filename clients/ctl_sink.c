#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clients/ctl_sink.h"

void ctl_sink_init(struct ctl_sink *sink, const char *name)
{
	memset(sink, 0, sizeof(*sink));
	sink->name = name;
}

static enum ctl_exit local_error(const struct ctl_sink *sink)
{
	return ctl_fail(CTL_LOCAL, "%s: %s",
			strcmp(sink->name, "-") == 0 ? "standard output" : sink->name,
			strerror(errno));
}

/* The descriptor that a path stands for; -1: for none. */
static int descriptor_of(const char *name)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (strcmp(name, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(name, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *digits;
		size_t count;

		if (strncmp(name, folders[i], strlen(folders[i])) != 0)
			continue;
		digits = name + strlen(folders[i]);
		count = strspn(digits, "0123456789");
		if (count > 0 && count < 9 && digits[count] == '\0') /* an int has more */
			return atoi(digits);
	}
	return -1;
}

/* Takes the descriptor over; -1: errno says why there is none. */
static enum ctl_exit open_stream(struct ctl_sink *sink, int fd)
{
	enum ctl_exit code = CTL_OK;

	if (fd >= 0)
		sink->stream = fdopen(fd, "wb");
	if (sink->stream == NULL) {
		code = local_error(sink);
		if (fd >= 0)
			close(fd);
	}
	return code;
}

/* Where it stands: opened anew, a file behind it would be cut to nothing. */
static enum ctl_exit open_descriptor(struct ctl_sink *sink, int descriptor)
{
	return open_stream(sink, fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

static enum ctl_exit open_in_place(struct ctl_sink *sink)
{
	return open_stream(sink, open(sink->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

/* The temporary gets the mode and, where that is allowed, the owner of the file
 * that it will replace; mkostemp() makes it private. */
static int set_access(int fd, const struct stat *old)
{
	mode_t mask;

	if (old != NULL) {
		if (fchown(fd, old->st_uid, old->st_gid) != 0 && errno != EPERM)
			return -1;
		return fchmod(fd, old->st_mode & 07777);
	}
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

/* Returns a descriptor, or -1. */
static int open_temporary(struct ctl_sink *sink)
{
	int fd;

	if (asprintf(&sink->temporary, "%s.XXXXXX", sink->target) < 0) {
		sink->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(sink->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(sink->temporary);
		sink->temporary = NULL;
	}
	return fd;
}

static enum ctl_exit sink_open(struct ctl_sink *sink)
{
	struct stat old, link;
	bool exists;
	int fd;

	if (strcmp(sink->name, "-") == 0) {
		sink->stream = stdout;
		return CTL_OK;
	}
	exists = stat(sink->name, &old) == 0;
	if (descriptor_of(sink->name) >= 0)
		return open_descriptor(sink, descriptor_of(sink->name));
	if (exists && !S_ISREG(old.st_mode))
		return open_in_place(sink);
	if (!exists && lstat(sink->name, &link) == 0) /* a link to what is not there yet */
		return open_in_place(sink);
	sink->target = exists ? realpath(sink->name, NULL) : strdup(sink->name);
	if (sink->target == NULL)
		return local_error(sink);
	fd = open_temporary(sink);
	if (fd < 0)
		return exists && (errno == EACCES || errno == EROFS) ? open_in_place(sink)
								     : local_error(sink);
	if (set_access(fd, exists ? &old : NULL) != 0) {
		enum ctl_exit code = local_error(sink);

		close(fd);
		return code;
	}
	return open_stream(sink, fd);
}

enum ctl_exit ctl_sink_write(struct ctl_sink *sink, const void *bytes, size_t size)
{
	if (sink->stream == NULL) {
		enum ctl_exit code = sink_open(sink);

		if (code != CTL_OK)
			return code;
	}
	return fwrite(bytes, 1, size, sink->stream) == size ? CTL_OK : local_error(sink);
}

enum ctl_exit ctl_sink_commit(struct ctl_sink *sink)
{
	FILE *stream = sink->stream;

	if (stream == NULL)
		return CTL_OK;
	if (stream == stdout)
		return fflush(stream) == 0 ? CTL_OK : local_error(sink);
	sink->stream = NULL;
	if (fclose(stream) != 0)
		return local_error(sink);
	if (sink->temporary == NULL)
		return CTL_OK;
	if (rename(sink->temporary, sink->target) != 0)
		return local_error(sink);
	free(sink->temporary);
	sink->temporary = NULL;
	return CTL_OK;
}

void ctl_sink_deinit(struct ctl_sink *sink)
{
	if (sink->stream != NULL && sink->stream != stdout)
		fclose(sink->stream);
	if (sink->temporary != NULL)
		unlink(sink->temporary);
	free(sink->temporary);
	free(sink->target);
	memset(sink, 0, sizeof(*sink));
}
