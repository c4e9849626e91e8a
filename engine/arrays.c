#include "config.h"
#include "engine/arrays.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/array_disk.h"
#include "engine/array_reread.h"

#define ARRAYS_MOST 65536u /* names: empty arrays take memory, too; chosen */
#define BUDGET_PART 4u     /* of the backend's memory, when none is configured */

struct arrays {
	const struct backend_ops *ops;
	struct backend *backend;
	enum array_copy copy;
	struct array_disk *disk;
	struct array_opener opener;
	struct budget budget;

	pthread_rwlock_t change; /* read: while something changes; guards frozen */
	bool frozen;

	pthread_mutex_t lock;   /* guards the list */
	struct resident **list; /* by name */
	size_t count, capacity;
};

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a list of arrays");
}

enum status arrays_create(const struct arrays_config *config, const struct backend_ops *ops,
			  struct backend *backend, struct arrays **out, struct error *err)
{
	struct arrays *arrays = calloc(1, sizeof(*arrays));
	struct backend_caps caps;
	enum status status = STATUS_OK;

	if (arrays == NULL)
		return no_memory(err);
	ops->describe(backend, &caps);
	arrays->ops = ops;
	arrays->backend = backend;
	arrays->copy = config->copy;
	arrays->opener = config->opener;
	atomic_init(&arrays->budget.used, 0);
	arrays->budget.limit = config->budget > 0 ? config->budget : caps.memory / BUDGET_PART;
	pthread_rwlock_init(&arrays->change, NULL);
	pthread_mutex_init(&arrays->lock, NULL);
	if (config->directory != NULL)
		status = array_disk_open(config->directory, config->directory_fd, &arrays->disk,
					 err);
	if (status != STATUS_OK) {
		arrays_destroy(arrays);
		return status;
	}
	*out = arrays;
	return STATUS_OK;
}

void arrays_destroy(struct arrays *arrays)
{
	if (arrays == NULL)
		return;
	for (size_t i = 0; i < arrays->count; i++)
		resident_release(arrays->list[i]);
	free(arrays->list);
	array_disk_close(arrays->disk);
	pthread_mutex_destroy(&arrays->lock);
	pthread_rwlock_destroy(&arrays->change);
	free(arrays);
}

enum status arrays_check_name(const char *name, struct error *err)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";
	const size_t size = strlen(name);

	if (size >= 1 && size <= RESIDENT_NAME_MAX && name[0] != '.' &&
	    strspn(name, allowed) == size)
		return STATUS_OK;
	return fail(err, STATUS_BAD_VALUE,
		    "the name of an array has 1 to %u letters, digits and . _ -, and does not "
		    "begin with a point",
		    RESIDENT_NAME_MAX);
}

/* Where the name is, or would be. */
static size_t find(const struct arrays *arrays, const char *name, bool *found)
{
	size_t low = 0, high = arrays->count;

	*found = false;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(arrays->list[middle]->name, name);

		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum status no_such_array(const char *name, struct error *err)
{
	return fail(err, STATUS_NO_SUCH_ARRAY, "there is no array %s", name);
}

enum status arrays_get(struct arrays *arrays, const char *name, struct resident **out,
		       struct error *err)
{
	struct resident *resident = NULL;
	enum status status = arrays_check_name(name, err);
	bool found;
	size_t at;

	if (status != STATUS_OK)
		return status;
	pthread_mutex_lock(&arrays->lock);
	at = find(arrays, name, &found);
	if (found)
		resident = resident_keep(arrays->list[at]);
	pthread_mutex_unlock(&arrays->lock);
	if (resident == NULL)
		return no_such_array(name, err);
	*out = resident;
	return STATUS_OK;
}

enum status arrays_list(struct arrays *arrays, struct resident ***out, size_t *count,
			struct error *err)
{
	struct resident **list;

	pthread_mutex_lock(&arrays->lock);
	list = malloc((arrays->count + 1) * sizeof(*list));
	if (list != NULL) {
		*count = arrays->count;
		for (size_t i = 0; i < arrays->count; i++)
			list[i] = resident_keep(arrays->list[i]);
	}
	pthread_mutex_unlock(&arrays->lock);
	if (list == NULL)
		return no_memory(err);
	*out = list;
	return STATUS_OK;
}

void arrays_list_free(struct resident **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		resident_release(list[i]);
	free(list);
}

static bool make_room(struct arrays *arrays)
{
	const size_t capacity = arrays->capacity > 0 ? arrays->capacity * 2 : 16;
	struct resident **list;

	if (arrays->count < arrays->capacity)
		return true;
	list = realloc(arrays->list, capacity * sizeof(*list));
	if (list == NULL)
		return false;
	arrays->list = list;
	arrays->capacity = capacity;
	return true;
}

static void insert(struct arrays *arrays, size_t at, struct resident *resident)
{
	memmove(arrays->list + at + 1, arrays->list + at,
		(arrays->count - at) * sizeof(struct resident *));
	arrays->list[at] = resident;
	arrays->count++;
}

enum status arrays_put(struct arrays *arrays, struct resident *resident, bool only_new,
		       bool *created, struct error *err)
{
	struct resident *old = NULL;
	enum status status = STATUS_OK;
	bool found;
	size_t at;

	pthread_mutex_lock(&arrays->lock);
	at = find(arrays, resident->name, &found);
	if (found && only_new) {
		status = fail(err, STATUS_ARRAY_EXISTS, "there is an array %s already",
			      resident->name);
	} else if (found) {
		old = arrays->list[at];
		arrays->list[at] = resident_keep(resident);
	} else if (arrays->count >= ARRAYS_MOST) {
		status = fail(err, STATUS_OUT_OF_MEMORY, "there are %zu arrays already",
			      arrays->count);
	} else if (make_room(arrays)) {
		insert(arrays, at, resident_keep(resident));
	} else {
		status = no_memory(err);
	}
	pthread_mutex_unlock(&arrays->lock);
	if (status != STATUS_OK)
		return status;
	*created = !found;
	if (old != NULL)
		array_disk_forget(arrays->disk, old->record);
	resident_release(old);
	return STATUS_OK;
}

/* No longer in the list; NULL: it was not there. */
static struct resident *take_out(struct arrays *arrays, const char *name)
{
	struct resident *old = NULL;
	bool found;
	size_t at;

	pthread_mutex_lock(&arrays->lock);
	at = find(arrays, name, &found);
	if (found) {
		old = arrays->list[at];
		arrays->count--;
		memmove(arrays->list + at, arrays->list + at + 1,
			(arrays->count - at) * sizeof(struct resident *));
	}
	pthread_mutex_unlock(&arrays->lock);
	return old;
}

enum status arrays_delete(struct arrays *arrays, const char *name, struct error *err)
{
	struct resident *old = NULL;
	enum status status = arrays_check_name(name, err);

	if (status == STATUS_OK)
		status = arrays_begin_change(arrays, err);
	if (status != STATUS_OK)
		return status;
	old = take_out(arrays, name);
	if (old == NULL)
		status = no_such_array(name, err);
	else
		array_disk_forget(arrays->disk, old->record);
	resident_release(old);
	arrays_end_change(arrays);
	return status;
}

enum status arrays_begin_change(struct arrays *arrays, struct error *err)
{
	pthread_rwlock_rdlock(&arrays->change);
	if (!arrays->frozen)
		return STATUS_OK;
	pthread_rwlock_unlock(&arrays->change);
	return fail(err, STATUS_DRAINING,
		    "foldd restarts: arrays are put and deleted again in a moment");
}

void arrays_end_change(struct arrays *arrays)
{
	pthread_rwlock_unlock(&arrays->change);
}

static void set_frozen(struct arrays *arrays, bool frozen)
{
	pthread_rwlock_wrlock(&arrays->change);
	arrays->frozen = frozen;
	pthread_rwlock_unlock(&arrays->change);
}

void arrays_freeze(struct arrays *arrays)
{
	set_frozen(arrays, true);
}

void arrays_thaw(struct arrays *arrays)
{
	set_frozen(arrays, false);
}

size_t arrays_mortal(struct arrays *arrays)
{
	size_t count = 0;

	pthread_mutex_lock(&arrays->lock);
	for (size_t i = 0; i < arrays->count; i++)
		count += arrays->list[i]->record == 0;
	pthread_mutex_unlock(&arrays->lock);
	return count;
}

int arrays_directory_fd(const struct arrays *arrays)
{
	return arrays->disk != NULL ? array_disk_fd(arrays->disk) : -1;
}

uint64_t arrays_used(const struct arrays *arrays)
{
	return atomic_load(&arrays->budget.used);
}

uint64_t arrays_budget(const struct arrays *arrays)
{
	return arrays->budget.limit;
}

static enum status to_memory(void *context, uint64_t offset, const void *bytes, uint64_t size,
			     struct error *err)
{
	(void)err;
	memcpy((char *)context + offset, bytes, size);
	return STATUS_OK;
}

/* What its backend lost, from where it came. */
static enum status recover(const struct resident *resident, char *out, struct error *err)
{
	struct arrays *arrays = resident->recover_context;
	int fd;
	enum status status;

	if (resident->file.path == NULL && !resident->on_disk)
		return fail(err, STATUS_ARRAY_LOST,
			    "it came in a body, and there is no copy of it");
	status = array_reopen(arrays, resident, &fd, err);
	if (status != STATUS_OK)
		return status;
	status = array_reread(resident, fd, to_memory, out, err);
	close(fd);
	return status;
}

struct resident *arrays_new(struct arrays *arrays, const char *name)
{
	struct resident *resident =
		resident_create(name, arrays->ops, arrays->backend, &arrays->budget);

	if (resident != NULL) {
		resident->recover = recover;
		resident->recover_context = arrays;
	}
	return resident;
}

struct array_disk *arrays_disk(const struct arrays *arrays)
{
	return arrays->disk;
}

void arrays_set_reclaim(struct arrays *arrays, bool (*reclaim)(void *context), void *context)
{
	arrays->budget.reclaim = reclaim;
	arrays->budget.reclaim_context = context;
}

bool arrays_are_hosts(const struct arrays *arrays)
{
	return !arrays->ops->may_fail;
}

enum status arrays_backend_state(const struct arrays *arrays, struct error *err)
{
	return arrays->ops->state != NULL ? arrays->ops->state(arrays->backend, err) : STATUS_OK;
}

enum array_copy arrays_copy(const struct arrays *arrays)
{
	return arrays->copy;
}

const struct array_opener *arrays_opener(const struct arrays *arrays)
{
	return &arrays->opener;
}
