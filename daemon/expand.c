#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/beneath.h"
#include "daemon/expand.h"
#include "daemon/glob.h"

#define MAX_COMPONENTS 64u /* of a pattern: bounds recursion and descriptors (chosen) */

/* In directory entries: what opening a directory, or looking for a name, costs. */
#define EFFORT_DIRECTORY 64u
#define EFFORT_NAME 8u

struct walk {
	const struct root *root;
	const char *pattern; /* whole, for messages */
	size_t prefix;       /* bytes of `path` before the part beneath the root */
	char path[PATH_MAX]; /* found so far, as open_read() takes it */
	uint64_t max_files;
	uint64_t effort; /* what is left of it */
	struct file_list found;
	size_t room;
	unsigned depth;
};

static enum status keep(struct walk *walk, struct error *err)
{
	char *copy;

	if (walk->found.count >= walk->max_files)
		return fail(err, STATUS_TOO_LARGE, "%s matches more than %llu files", walk->pattern,
			    (unsigned long long)walk->max_files);
	if (walk->found.count == walk->room) {
		size_t room = walk->room == 0 ? 16 : 2 * walk->room;
		char **paths = realloc(walk->found.paths, room * sizeof(*paths));

		if (paths == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a list of files");
		walk->found.paths = paths;
		walk->room = room;
	}
	copy = strdup(walk->path);
	if (copy == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a list of files");
	walk->found.paths[walk->found.count++] = copy;
	return STATUS_OK;
}

static enum status spend(struct walk *walk, uint64_t effort, struct error *err)
{
	if (walk->effort < effort)
		return fail(err, STATUS_TOO_LARGE, "%s looks at too many directories",
			    walk->pattern);
	walk->effort -= effort;
	return STATUS_OK;
}

/* Where beneath the root the walk is, for openat2. */
static const char *here(const struct walk *walk)
{
	return walk->path[walk->prefix] == '\0' ? "." : walk->path + walk->prefix;
}

/* Append a component at the end `used` of the path; its new end, or 0. */
static size_t append(struct walk *walk, size_t used, const char *name)
{
	size_t size = strlen(name);

	if (used > walk->prefix)
		walk->path[used++] = '/';
	if (used + size + 1 >= sizeof(walk->path))
		return 0;
	memcpy(walk->path + used, name, size + 1);
	return used + size;
}

static enum status too_long(struct error *err)
{
	return fail(err, STATUS_BAD_VALUE, "the path is too long");
}

/* A last component without glob characters, behind one with them: a match
 * when it exists. What cannot be opened for another reason is kept, and
 * opening it will say why. */
static enum status keep_if_there(struct walk *walk, struct error *err)
{
	enum status status = spend(walk, EFFORT_NAME, err);
	int fd;

	if (status != STATUS_OK)
		return status;
	fd = beneath_open(walk->root->fd, here(walk), O_PATH);
	if (fd >= 0)
		close(fd);
	else if (errno == ENOENT || errno == ENOTDIR)
		return STATUS_OK;
	return keep(walk, err);
}

static enum status descend(struct walk *walk, size_t used, const char *rest, struct error *err);

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum status match_entries(struct walk *walk, DIR *directory, size_t used, const char *rest,
				 size_t size, struct error *err)
{
	enum status status = STATUS_OK;
	struct dirent *entry;

	for (;;) {
		size_t end;

		errno = 0;
		entry = readdir(directory);
		if (entry == NULL && errno != 0)
			return fail(err, STATUS_FILE_UNREADABLE, "%s: %s", walk->path,
				    strerror(errno));
		if (entry == NULL)
			return STATUS_OK;
		status = spend(walk, 1, err);
		if (status != STATUS_OK)
			return status;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    !glob_match(rest, size, entry->d_name))
			continue;
		end = append(walk, used, entry->d_name);
		if (end == 0)
			status = too_long(err);
		else if (rest[size] == '\0')
			status = keep(walk, err);
		else
			status = descend(walk, end, rest + size, err);
		walk->path[used] = '\0';
		if (status != STATUS_OK)
			return status;
	}
}

static enum status match_here(struct walk *walk, size_t used, const char *rest, size_t size,
			      struct error *err)
{
	enum status status = spend(walk, EFFORT_DIRECTORY, err);
	DIR *directory;
	int fd;

	if (status != STATUS_OK)
		return status;
	fd = beneath_open(walk->root->fd, here(walk), O_RDONLY | O_DIRECTORY);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return STATUS_OK; /* matches nothing */
	if (fd < 0)
		return beneath_fail(err, walk->path, errno);
	directory = fdopendir(fd);
	if (directory == NULL) {
		close(fd);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to list %s", walk->path);
	}
	status = match_entries(walk, directory, used, rest, size, err);
	closedir(directory);
	return status;
}

/* path[0..used) is done, `rest` of the pattern is left. */
static enum status descend(struct walk *walk, size_t used, const char *rest, struct error *err)
{
	char plain[2 * NAME_MAX + 1];
	enum status status;
	size_t size, end;

	while (*rest == '/')
		rest++;
	size = strcspn(rest, "/");
	if (++walk->depth > MAX_COMPONENTS)
		return fail(err, STATUS_BAD_VALUE, "the path has more than %u components",
			    MAX_COMPONENTS);

	if (glob_is_pattern(rest, size)) {
		status = match_here(walk, used, rest, size, err);
	} else if (size >= sizeof(plain)) {
		status = too_long(err);
	} else {
		glob_unescape(plain, rest, size);
		end = append(walk, used, plain);
		if (end == 0)
			status = too_long(err);
		else if (rest[size] == '\0')
			status = keep_if_there(walk, err);
		else
			status = descend(walk, end, rest + size, err);
		walk->path[used] = '\0';
	}
	walk->depth--;
	return status;
}

static enum status single(const char *pattern, struct file_list *out, struct error *err)
{
	char **paths = malloc(sizeof(*paths));
	char *path = malloc(strlen(pattern) + 1);

	if (paths == NULL || path == NULL) {
		free(paths);
		free(path);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a path");
	}
	glob_unescape(path, pattern, strlen(pattern));
	paths[0] = path;
	out->paths = paths;
	out->count = 1;
	return STATUS_OK;
}

static bool has_pattern(const char *pattern)
{
	while (*pattern != '\0') {
		size_t size = strcspn(pattern, "/");

		if (glob_is_pattern(pattern, size))
			return true;
		pattern += size + (pattern[size] == '/');
	}
	return false;
}

enum status expand_pattern(const struct roots *roots, const char *pattern, uint64_t *effort,
			   struct file_list *out, struct error *err)
{
	struct walk *walk;
	const char *rest;
	enum status status;

	if (!has_pattern(pattern))
		return single(pattern, out, err);

	if (pattern[strlen(pattern) - 1] == '/')
		return fail(err, STATUS_BAD_VALUE, "%s ends in '/': it can match no file", pattern);
	walk = calloc(1, sizeof(*walk));
	if (walk == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to match %s", pattern);
	status = roots_locate(roots->read, roots->read_count, pattern, &walk->root, &rest, err);
	if (status != STATUS_OK)
		goto free_walk;
	walk->pattern = pattern;
	walk->max_files = roots->max_files;
	walk->effort = *effort;
	if (pattern[0] == '/') {
		walk->prefix = strlen(walk->root->path) + 1;
		if (walk->prefix >= sizeof(walk->path)) {
			status = too_long(err);
			goto free_walk;
		}
		strcpy(walk->path, walk->root->path);
		strcat(walk->path, "/");
	}
	status = descend(walk, walk->prefix, rest, err);
	*effort = walk->effort;
	if (status == STATUS_OK && walk->found.count == 0)
		status = fail(err, STATUS_FILE_NOT_FOUND, "nothing matches %s", pattern);
	if (status != STATUS_OK) {
		file_list_free(&walk->found);
		goto free_walk;
	}
	qsort(walk->found.paths, walk->found.count, sizeof(*walk->found.paths), by_name);
	*out = walk->found;

free_walk:
	free(walk);
	return status;
}
