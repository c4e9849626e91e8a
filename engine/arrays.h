/* arrays.h - the resident arrays: names, and the budget of their memory.
 *
 * A name is given and taken at once; jobs keep the array they began with, whose
 * memory is free when the last of them has ended. From any thread. */
#ifndef ENGINE_ARRAYS_H
#define ENGINE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/status.h"

struct array_disk;
struct backend;
struct backend_ops;
struct budget;
struct resident;

/* Where there is a second copy of an array that came in a body. */
enum array_copy {
	ARRAY_COPY_HOST, /* in host memory, where the array is not there itself */
	ARRAY_COPY_DISK, /* in the directory: it survives a restart */
	ARRAY_COPY_NONE
};

/* How the files of arrays are opened again. */
struct array_opener {
	void *context;
	/* As file_access.open_read of proto/; NULL: none may be read. */
	enum status (*open_read)(void *context, const char *path, int *fd, struct error *err);
};

struct arrays_config {
	uint64_t budget;        /* bytes; 0: a quarter of the backend's memory */
	unsigned cache_percent; /* of it that files may take (file_cache.h) */
	enum array_copy copy;
	/* What survives a restart is remembered there: arrays put by file, and
	 * with ARRAY_COPY_DISK all. NULL: none does. */
	const char *directory;
	/* A descriptor of it from the process before this one, which holds its
	 * lock; becomes the arrays'. Not above 2: none. */
	int directory_fd;
	struct array_opener opener;
};

struct arrays;

enum status arrays_create(const struct arrays_config *config, const struct backend_ops *ops,
			  struct backend *backend, struct arrays **out, struct error *err);
void arrays_destroy(struct arrays *arrays); /* no job may hold one any more */

/* STATUS_BAD_VALUE: no name of an array. */
enum status arrays_check_name(const char *name, struct error *err);

/* A reference of the caller's. STATUS_BAD_VALUE, STATUS_NO_SUCH_ARRAY. */
enum status arrays_get(struct arrays *arrays, const char *name, struct resident **out,
		       struct error *err);

/* Those of one moment by name, a reference and the list the caller's; the list is
 * not NULL on success. */
enum status arrays_list(struct arrays *arrays, struct resident ***out, size_t *count,
			struct error *err);
void arrays_list_free(struct resident **list, size_t count);

/* Gives the array its name, in place of any other of that name (*created: there
 * was none). With only_new one that is there is STATUS_ARRAY_EXISTS. The caller
 * keeps its own reference. */
enum status arrays_put(struct arrays *arrays, struct resident *resident, bool only_new,
		       bool *created, struct error *err);

/* STATUS_BAD_VALUE, STATUS_NO_SUCH_ARRAY. */
enum status arrays_delete(struct arrays *arrays, const char *name, struct error *err);

/* From here on no name is given or taken, but STATUS_DRAINING, until thawed: what
 * another process reads from the directory stays so. Waits for changes under way. */
void arrays_freeze(struct arrays *arrays);
void arrays_thaw(struct arrays *arrays);

/* Arrays that end with this process. */
size_t arrays_mortal(struct arrays *arrays);

/* A descriptor of the directory, with its lock; -1: there is none. */
int arrays_directory_fd(const struct arrays *arrays);

uint64_t arrays_used(const struct arrays *arrays); /* bytes, also of those that only
						    * jobs hold */
uint64_t arrays_budget(const struct arrays *arrays);

/* Around what changes names or the directory. Begun only with STATUS_OK, else
 * STATUS_DRAINING. */
enum status arrays_begin_change(struct arrays *arrays, struct error *err);
void arrays_end_change(struct arrays *arrays);

/* For array_upload.c and array_restore.c. An array without a name yet; NULL: no
 * memory. */
struct resident *arrays_new(struct arrays *arrays, const char *name);
struct array_disk *arrays_disk(const struct arrays *arrays); /* NULL: none */
enum array_copy arrays_copy(const struct arrays *arrays);

/* Called while an array finds no room in the budget, until there is some or it is
 * false. Before the first job. */
void arrays_set_reclaim(struct arrays *arrays, bool (*reclaim)(void *context), void *context);

/* Whether they lie in the host's own memory. */
bool arrays_are_hosts(const struct arrays *arrays);

/* Of the backend that holds the arrays. */
enum status arrays_backend_state(const struct arrays *arrays, struct error *err);
const struct array_opener *arrays_opener(const struct arrays *arrays);

#endif
