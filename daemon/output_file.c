#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/beneath.h"
#include "daemon/output_file.h"

#define TEMPORARY_SIZE 32u
#define TRIES 16 /* other temporary names when one is taken */

struct output_file {
	int directory;
	int fd;
	bool overwrite;
	char temporary[TEMPORARY_SIZE]; /* a name the file has for now, or "" */
	char *path;                     /* as sent, for messages */
	char name[NAME_MAX + 1];        /* in the directory, when it is done */
};

static enum status explain(struct error *err, const char *path, int error)
{
	switch (error) {
	case EEXIST:
	case EISDIR:
	case ENOTEMPTY:
		return fail(err, STATUS_FILE_EXISTS, "%s exists", path);
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case ENOMEM:
		return fail(err, STATUS_OUT_OF_MEMORY, "cannot write %s: %s", path,
			    strerror(error));
	case EACCES:
	case EPERM:
	case EROFS:
		return fail(err, STATUS_PATH_FORBIDDEN, "cannot write %s: %s", path,
			    strerror(error));
	default:
		return fail(err, STATUS_INTERNAL, "cannot write %s: %s", path, strerror(error));
	}
}

/* Cut a path into its directory (beneath the root) and its last component. */
static enum status split(const char *rest, char *parent, char *name, struct error *err)
{
	const char *slash = strrchr(rest, '/');
	const char *last = slash == NULL ? rest : slash + 1;
	size_t size = slash == NULL ? 0 : (size_t)(slash - rest);

	if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return fail(err, STATUS_BAD_VALUE, "the output path names no file");
	if (strlen(last) > NAME_MAX || size >= PATH_MAX)
		return fail(err, STATUS_BAD_VALUE, "the output path is too long");
	strcpy(name, last);
	memcpy(parent, size == 0 ? "." : rest, size == 0 ? 1 : size);
	parent[size == 0 ? 1 : size] = '\0';
	return STATUS_OK;
}

/* What stands there now must be nothing or, to be overwritten, a file or a
 * link (which is replaced, not followed). */
static enum status check_target(const struct output_file *file, struct error *err)
{
	struct stat meta;

	if (fstatat(file->directory, file->name, &meta, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? STATUS_OK : explain(err, file->path, errno);
	if (!file->overwrite)
		return fail(err, STATUS_FILE_EXISTS, "%s exists", file->path);
	if (!S_ISREG(meta.st_mode) && !S_ISLNK(meta.st_mode))
		return fail(err, STATUS_FILE_EXISTS, "%s exists and is no regular file",
			    file->path);
	return STATUS_OK;
}

static void make_temporary_name(char *out)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		random = (uint64_t)getpid() << 32 ^ (uintptr_t)out;
	snprintf(out, TEMPORARY_SIZE, ".foldd-%016llx", (unsigned long long)random);
}

/* Without a name where the file system can, so that not even a crash leaves
 * anything; it gets one through /proc. */
static int create_file(struct output_file *file)
{
	char link[32];
	int fd = openat(file->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (faccessat(AT_FDCWD, link, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return fd;
		close(fd);
	} else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
		return -1;
	}
	for (int i = 0; i < TRIES; i++) {
		make_temporary_name(file->temporary);
		fd = openat(file->directory, file->temporary,
			    O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0)
		file->temporary[0] = '\0';
	return fd;
}

static void release(struct output_file *file)
{
	if (file->temporary[0] != '\0')
		unlinkat(file->directory, file->temporary, 0);
	if (file->fd >= 0)
		close(file->fd);
	if (file->directory >= 0)
		close(file->directory);
	free(file->path);
	free(file);
}

void output_file_discard(struct output_file *file)
{
	if (file != NULL)
		release(file);
}

static enum status prepare(struct output_file *file, const struct root *root, const char *rest,
			   struct error *err)
{
	char parent[PATH_MAX];
	enum status status = split(rest, parent, file->name, err);

	if (status != STATUS_OK)
		return status;
	file->directory = beneath_open(root->fd, parent, O_RDONLY | O_DIRECTORY);
	if (file->directory < 0) {
		int error = errno;

		if (error == EACCES || error == EPERM)
			return explain(err, file->path, error);
		return beneath_fail(err, file->path, error);
	}
	status = check_target(file, err);
	if (status != STATUS_OK)
		return status;
	file->fd = create_file(file);
	return file->fd < 0 ? explain(err, file->path, errno) : STATUS_OK;
}

enum status output_file_open(const struct roots *roots, const char *path, bool overwrite,
			     struct output_file **out, int *fd, struct error *err)
{
	const struct root *root;
	const char *rest;
	struct output_file *file;
	enum status status =
		roots_locate(roots->write, roots->write_count, path, &root, &rest, err);

	if (status != STATUS_OK)
		return status;
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an output file");
	file->directory = file->fd = -1;
	file->overwrite = overwrite;
	file->path = strdup(path);
	if (file->path == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for an output file");
	else
		status = prepare(file, root, rest, err);
	if (status != STATUS_OK) {
		release(file);
		return status;
	}
	*out = file;
	*fd = file->fd;
	return STATUS_OK;
}

/* Give the unnamed file the name. */
static int link_as(const struct output_file *file, const char *name)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, link, file->directory, name, AT_SYMLINK_FOLLOW);
}

/* rename() replaces what is there in one step, link() refuses to. */
static int publish(struct output_file *file)
{
	if (!file->overwrite) {
		if (file->temporary[0] == '\0')
			return link_as(file, file->name);
		return linkat(file->directory, file->temporary, file->directory, file->name, 0);
	}
	if (file->temporary[0] == '\0') {
		char temporary[TEMPORARY_SIZE];

		make_temporary_name(temporary);
		if (link_as(file, temporary) != 0)
			return -1;
		strcpy(file->temporary, temporary);
	}
	if (renameat(file->directory, file->temporary, file->directory, file->name) != 0)
		return -1;
	file->temporary[0] = '\0';
	return 0;
}

enum status output_file_commit(struct output_file *file, struct error *err)
{
	enum status status = STATUS_OK;

	if (fsync(file->fd) != 0 || publish(file) != 0) {
		status = explain(err, file->path, errno);
	} else if (fsync(file->directory) != 0 && errno != EINVAL) { /* EINVAL: cannot here */
		status = explain(err, file->path, errno);
		if (!file->overwrite)
			unlinkat(file->directory, file->name, 0);
	}
	release(file);
	return status;
}
