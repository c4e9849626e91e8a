#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/beneath.h"
#include "daemon/expand.h"
#include "daemon/output_file.h"
#include "daemon/roots.h"

/* The path made absolute, without slashes at its end; NULL: errno. */
static char *absolute(const char *path)
{
	char here[PATH_MAX];
	char *out;
	size_t size;

	if (path[0] == '/') {
		out = strdup(path);
	} else {
		if (getcwd(here, sizeof(here)) == NULL)
			return NULL;
		if (asprintf(&out, "%s/%s", strcmp(here, "/") == 0 ? "" : here, path) < 0)
			out = NULL;
	}
	if (out == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	size = strlen(out);
	while (size > 0 && out[size - 1] == '/')
		out[--size] = '\0';
	return out;
}

/* may: what the daemon must be allowed there, as of access(2). */
static enum status root_open(struct root *out, const char *path, int may, struct error *err)
{
	const char *what = may & W_OK ? "write root" : "root";

	if (path[0] == '\0')
		return fail(err, STATUS_BAD_VALUE, "a root with an empty path");
	out->path = absolute(path);
	if (out->path == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "%s %s: %s", what, path, strerror(errno));
	out->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (out->fd < 0 || faccessat(AT_FDCWD, path, may, AT_EACCESS) != 0) {
		enum status status =
			fail(err, STATUS_BAD_VALUE, "%s %s: %s", what, path, strerror(errno));

		if (out->fd >= 0)
			close(out->fd);
		free(out->path);
		return status;
	}
	return STATUS_OK;
}

static void list_close(struct root *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		close(list[i].fd);
		free(list[i].path);
	}
	free(list);
}

static enum status list_open(struct root **out, char *const *paths, size_t count, int may,
			     struct error *err)
{
	struct root *list = calloc(count + 1, sizeof(*list));

	if (list == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %zu roots", count);
	for (size_t i = 0; i < count; i++) {
		enum status status = root_open(&list[i], paths[i], may, err);

		if (status != STATUS_OK) {
			list_close(list, i);
			return status;
		}
	}
	*out = list;
	return STATUS_OK;
}

enum status roots_open(struct roots *out, char *const *read, size_t read_count, char *const *write,
		       size_t write_count, uint64_t max_files, struct error *err)
{
	struct roots roots = {
		.read_count = read_count, .write_count = write_count, .max_files = max_files};
	enum status status;

	if (read_count + write_count > 0 && !beneath_works())
		return fail(err, STATUS_BAD_VALUE,
			    "file roots need openat2, which this kernel lacks (Linux 5.6)");
	status = list_open(&roots.read, read, read_count, X_OK, err);
	if (status != STATUS_OK)
		return status;
	status = list_open(&roots.write, write, write_count, W_OK | X_OK, err);
	if (status != STATUS_OK) {
		list_close(roots.read, read_count);
		return status;
	}
	*out = roots;
	return STATUS_OK;
}

void roots_close(struct roots *roots)
{
	list_close(roots->read, roots->read_count);
	list_close(roots->write, roots->write_count);
}

enum status roots_locate(const struct root *roots, size_t count, const char *path,
			 const struct root **root, const char **rest, struct error *err)
{
	const struct root *best = NULL;
	size_t best_size = 0;

	if (path[0] == '\0')
		return fail(err, STATUS_BAD_VALUE, "the path is empty");
	if (path[0] != '/' && count > 0)
		best = &roots[0];
	for (size_t i = 0; path[0] == '/' && i < count; i++) {
		size_t size = strlen(roots[i].path);

		if (strncmp(path, roots[i].path, size) != 0 ||
		    (path[size] != '/' && path[size] != '\0'))
			continue;
		if (best == NULL || size > best_size) {
			best = &roots[i];
			best_size = size;
		}
	}
	if (best == NULL)
		return fail(err, STATUS_PATH_FORBIDDEN, "%s lies beneath no allowed root", path);

	path += best_size;
	while (*path == '/')
		path++;
	*root = best;
	*rest = *path == '\0' ? "." : path;
	return STATUS_OK;
}

static const char *kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "no regular file";
	}
}

/* O_NONBLOCK: a FIFO must not hold the thread until somebody writes to it. */
static enum status open_read(void *context, const char *path, int *fd, struct error *err)
{
	const struct roots *roots = context;
	const struct root *root;
	const char *rest;
	struct stat meta;
	enum status status = roots_locate(roots->read, roots->read_count, path, &root, &rest, err);
	int file;

	if (status != STATUS_OK)
		return status;
	file = beneath_open(root->fd, rest, O_RDONLY | O_NONBLOCK);
	if (file < 0) {
		int error = errno;

		if (error == ENXIO)
			return fail(err, STATUS_FILE_UNREADABLE,
				    "%s is a socket or a device without a driver", path);
		return beneath_fail(err, path, error);
	}
	if (fstat(file, &meta) != 0) {
		status = fail(err, STATUS_FILE_UNREADABLE, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(meta.st_mode)) {
		status = fail(err, STATUS_FILE_UNREADABLE, "%s is %s", path,
			      kind_name(meta.st_mode));
	}
	if (status != STATUS_OK) {
		close(file);
		return status;
	}
	*fd = file;
	return STATUS_OK;
}

static enum status expand(void *context, const char *pattern, uint64_t *effort,
			  struct file_list *out, struct error *err)
{
	return expand_pattern(context, pattern, effort, out, err);
}

static enum status open_output(void *context, const char *path, bool overwrite,
			       struct output_file **out, int *fd, struct error *err)
{
	return output_file_open(context, path, overwrite, out, fd, err);
}

void roots_access(struct roots *roots, struct file_access *out)
{
	*out = (struct file_access){
		.context = roots,
		.open_read = open_read,
		.glob = expand,
		.output_open = open_output,
		.output_commit = output_file_commit,
		.output_discard = output_file_discard,
	};
}
