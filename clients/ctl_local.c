#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clients/ctl_local.h"
#include "proto/npy.h"

static enum ctl_exit read_some(const struct ctl_local *local, void *out, size_t size, size_t *got)
{
	ssize_t n;

	do {
		n = read(local->fd, out, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return ctl_fail(CTL_LOCAL, "%s: %s", local->name, strerror(errno));
	*got = (size_t)n;
	return CTL_OK;
}

static enum ctl_exit read_head(struct ctl_local *local)
{
	while (local->head_size < CTL_LOCAL_HEAD) {
		size_t got = 0;
		enum ctl_exit code = read_some(local, local->head + local->head_size,
					       CTL_LOCAL_HEAD - local->head_size, &got);

		if (code != CTL_OK)
			return code;
		if (got == 0)
			break;
		local->head_size += got;
	}
	return CTL_OK;
}

/* Bytes to come, of what has a size. Kernel files (/proc) say 0 and have some. */
static int64_t size_ahead(const struct ctl_local *local, const struct stat *info)
{
	off_t at;

	if (!S_ISREG(info->st_mode) || info->st_size == 0)
		return -1;
	at = local->is_stdin ? lseek(local->fd, 0, SEEK_CUR) : 0;
	return at < 0 || at > info->st_size ? -1 : info->st_size - at;
}

enum ctl_exit ctl_local_open(struct ctl_local *out, const char *name)
{
	struct ctl_local local = {.name = name, .is_stdin = strcmp(name, "-") == 0};
	enum ctl_exit code;
	struct stat info;

	if (local.is_stdin)
		local.name = "standard input";
	local.fd = local.is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (local.fd < 0 || fstat(local.fd, &info) != 0) {
		code = ctl_fail(CTL_LOCAL, "%s: %s", local.name, strerror(errno));
		goto close_file;
	}
	if (S_ISDIR(info.st_mode)) {
		code = ctl_fail(CTL_LOCAL, "%s: is a directory", local.name);
		goto close_file;
	}
	local.size = size_ahead(&local, &info);
	code = read_head(&local);
	if (code != CTL_OK)
		goto close_file;
	*out = local;
	return CTL_OK;

close_file:
	ctl_local_close(&local);
	return code;
}

void ctl_local_close(struct ctl_local *local)
{
	if (local->fd >= 0 && !local->is_stdin)
		close(local->fd);
	local->fd = -1;
}

bool ctl_local_is_npy(const struct ctl_local *local)
{
	return local->head_size >= NPY_MAGIC_SIZE &&
	       memcmp(local->head, NPY_MAGIC, NPY_MAGIC_SIZE) == 0;
}

bool ctl_local_is_named_npy(const struct ctl_local *local)
{
	size_t size = strlen(local->name);

	return size > 4 && strcmp(local->name + size - 4, ".npy") == 0;
}

bool ctl_local_is_numbers(const struct ctl_local *local)
{
	/* Four bytes: two numbers and what parts them. */
	return local->head_size >= 4 &&
	       strspn(local->head, "0123456789+-.eE,; \t\r\n") == local->head_size &&
	       strpbrk(local->head, "0123456789") != NULL;
}

enum ctl_exit ctl_local_read(struct ctl_local *local, void *out, size_t size, size_t *got)
{
	size_t from_head = local->done < (int64_t)local->head_size
				   ? local->head_size - (size_t)local->done
				   : 0;
	size_t n = 0;

	if (local->size >= 0 && (int64_t)size > local->size - local->done)
		size = (size_t)(local->size - local->done);
	if (size != 0 && from_head != 0) {
		n = size < from_head ? size : from_head;
		memcpy(out, local->head + local->done, n);
	} else if (size != 0) {
		enum ctl_exit code = read_some(local, out, size, &n);

		if (code != CTL_OK)
			return code;
	}
	local->done += (int64_t)n;
	if (n == 0 && local->size >= 0 && local->done < local->size)
		return ctl_fail(CTL_LOCAL, "%s: ended early, it was changed while it was sent",
				local->name);
	*got = n;
	return CTL_OK;
}
