#include "config.h"
#include <errno.h>
#include <fcntl.h>
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

static enum ctl_exit sink_open(struct ctl_sink *sink)
{
	mode_t mask;
	int fd;

	if (strcmp(sink->name, "-") == 0) {
		sink->stream = stdout;
		return CTL_OK;
	}
	if (asprintf(&sink->temporary, "%s.XXXXXX", sink->name) < 0) {
		sink->temporary = NULL;
		return ctl_no_memory();
	}
	fd = mkostemp(sink->temporary, O_CLOEXEC);
	if (fd < 0) {
		enum ctl_exit code = local_error(sink);

		free(sink->temporary);
		sink->temporary = NULL;
		return code;
	}
	/* mkostemp() makes it private; the user's mask decides instead. */
	mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask) == 0)
		sink->stream = fdopen(fd, "wb");
	if (sink->stream == NULL) {
		enum ctl_exit code = local_error(sink);

		close(fd);
		return code;
	}
	return CTL_OK;
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
	if (sink->temporary == NULL)
		return fflush(stream) == 0 ? CTL_OK : local_error(sink);
	sink->stream = NULL;
	if (fclose(stream) != 0 || rename(sink->temporary, sink->name) != 0)
		return local_error(sink);
	free(sink->temporary);
	sink->temporary = NULL;
	return CTL_OK;
}

void ctl_sink_deinit(struct ctl_sink *sink)
{
	if (sink->temporary != NULL) {
		if (sink->stream != NULL)
			fclose(sink->stream);
		unlink(sink->temporary);
		free(sink->temporary);
	}
	memset(sink, 0, sizeof(*sink));
}
