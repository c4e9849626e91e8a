#include "config.h"
#include "engine/resident.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOVE_PIECE (4u << 20) /* bytes copied at once from array to array; chosen */

static bool take(struct budget *budget, uint64_t bytes)
{
	uint64_t used = atomic_load(&budget->used);

	do {
		if (used > budget->limit || bytes > budget->limit - used)
			return false;
	} while (!atomic_compare_exchange_weak(&budget->used, &used, used + bytes));
	return true;
}

bool budget_take(struct budget *budget, uint64_t bytes)
{
	while (!take(budget, bytes))
		if (bytes > budget->limit || budget->reclaim == NULL ||
		    !budget->reclaim(budget->reclaim_context))
			return false;
	return true;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
	atomic_fetch_sub(&budget->used, bytes);
}

struct resident *resident_create(const char *name, const struct backend_ops *ops,
				 struct backend *backend, struct budget *budget)
{
	struct resident *resident = calloc(1, sizeof(*resident));
	struct backend_caps caps;

	if (resident == NULL)
		return NULL;
	assert(strlen(name) <= RESIDENT_NAME_MAX);
	atomic_init(&resident->references, 1);
	strcpy(resident->name, name);
	resident->ops = ops;
	resident->backend = backend;
	resident->budget = budget;
	ops->describe(backend, &caps);
	memcpy(resident->backend_name, caps.name, sizeof(caps.name));
	clock_gettime(CLOCK_REALTIME, &resident->created);
	return resident;
}

struct resident *resident_keep(struct resident *resident)
{
	atomic_fetch_add(&resident->references, 1);
	return resident;
}

void resident_release(struct resident *resident)
{
	if (resident == NULL || atomic_fetch_sub(&resident->references, 1) > 1)
		return;
	if (resident->array != NULL)
		resident->ops->array_destroy(resident->array);
	budget_give(resident->budget, resident->held);
	free(resident->copy);
	free((char *)resident->file.path);
	free(resident);
}

static enum status move(const struct resident *resident, struct array *to, uint64_t size,
			struct error *err)
{
	const struct backend_ops *ops = resident->ops;
	const void *data = size > 0 ? ops->array_data(resident->array) : NULL;
	char *piece = NULL;
	uint64_t at = 0;
	enum status status = STATUS_OK;

	if (data != NULL)
		return ops->array_write(to, 0, data, size, err);
	if (size > 0) {
		piece = malloc(MOVE_PIECE);
		if (piece == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory to move an array");
	}
	while (at < size && status == STATUS_OK) {
		uint64_t run = size - at < MOVE_PIECE ? size - at : MOVE_PIECE;

		status = ops->array_read(resident->array, at, piece, run, err);
		if (status == STATUS_OK)
			status = ops->array_write(to, at, piece, run, err);
		at += run;
	}
	free(piece);
	return status;
}

static enum status over_budget(const struct resident *resident, uint64_t size, struct error *err)
{
	const uint64_t limit = resident->budget->limit;
	const uint64_t used = atomic_load(&resident->budget->used);

	return fail(err, STATUS_OUT_OF_MEMORY,
		    "the array takes %llu bytes, and of the %llu that arrays may have "
		    "(arrays.budget) %llu are taken",
		    (unsigned long long)size, (unsigned long long)limit, (unsigned long long)used);
}

enum status resident_hold(struct resident *resident, uint64_t size, uint64_t keep, bool copy,
			  struct error *err)
{
	struct array *array = NULL;
	char *grown = NULL;
	enum status status;

	if (!budget_take(resident->budget, size))
		return over_budget(resident, size, err);
	status = resident->ops->array_create(resident->backend, size, &array, err);
	if (status == STATUS_OK && keep > 0)
		status = move(resident, array, keep, err);
	if (status == STATUS_OK && copy && resident->ops->array_data(array) == NULL) {
		grown = realloc(resident->copy, size > 0 ? size : 1);
		if (grown == NULL)
			status = fail(err, STATUS_OUT_OF_MEMORY,
				      "no memory for the copy of an array of %llu bytes",
				      (unsigned long long)size);
		else
			resident->copy = grown;
	}
	if (status != STATUS_OK) {
		if (array != NULL)
			resident->ops->array_destroy(array);
		budget_give(resident->budget, size);
		return status;
	}
	if (resident->array != NULL)
		resident->ops->array_destroy(resident->array);
	budget_give(resident->budget, resident->held);
	resident->array = array;
	resident->held = size;
	return STATUS_OK;
}

enum status resident_write(struct resident *resident, uint64_t offset, const void *bytes,
			   uint64_t size, struct error *err)
{
	if (size == 0)
		return STATUS_OK;
	if (resident->copy != NULL)
		memcpy(resident->copy + offset, bytes, size);
	return resident->ops->array_write(resident->array, offset, bytes, size, err);
}

/* One at a time: each may be large, and all that name it wait for it anyway. */
static enum status recover(struct resident *resident, const struct error *why, struct error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct error cause = {0};
	enum status status = STATUS_OK;
	char *bytes = NULL;

	pthread_mutex_lock(&lock);
	if (atomic_load(&resident->copy) == NULL) {
		bytes = malloc(resident->bytes);
		if (bytes == NULL || resident->recover == NULL)
			status = fail(&cause, STATUS_OUT_OF_MEMORY, "no memory for it on the host");
		else
			status = resident->recover(resident, bytes, &cause);
		if (status == STATUS_OK)
			atomic_store(&resident->copy, bytes);
		else
			free(bytes);
	}
	pthread_mutex_unlock(&lock);
	return status == STATUS_OK ? status
				   : fail(err, STATUS_ARRAY_LOST, "the array %s is lost: %s: %s",
					  resident->name, why->text, cause.text);
}

enum status resident_read(struct resident *resident, uint64_t offset, void *out, uint64_t size,
			  struct error *err)
{
	struct error why = {0};
	enum status status;

	if (resident->array == NULL)
		return resident_fail_lost(resident, err);
	if (size == 0)
		return STATUS_OK;
	status = resident->ops->array_read(resident->array, offset, out, size, &why);
	if (status == STATUS_OK)
		return status;
	if (status == STATUS_BACKEND_UNAVAILABLE && resident->copy == NULL)
		status = recover(resident, &why, err);
	else if (resident->copy == NULL && err != NULL)
		*err = why;
	if (resident->copy == NULL)
		return status;
	memcpy(out, resident->copy + offset, size);
	return STATUS_OK;
}

void resident_drop(struct resident *resident, const char *why)
{
	if (resident->array != NULL)
		resident->ops->array_destroy(resident->array);
	resident->array = NULL;
	free(resident->copy);
	resident->copy = NULL;
	budget_give(resident->budget, resident->held);
	resident->held = 0;
	snprintf(resident->lost, sizeof(resident->lost), "%s", why);
}

enum status resident_fail_lost(const struct resident *resident, struct error *err)
{
	return fail(err, STATUS_ARRAY_LOST, "the array %s is lost: %s", resident->name,
		    resident->lost);
}

bool resident_set_file(struct resident *resident, const struct source_file *file)
{
	char *path = strdup(file->path);

	if (path == NULL)
		return false;
	resident->file = *file;
	resident->file.path = path;
	return true;
}

const struct backend *source_home(const struct source *source)
{
	return source->resident != NULL ? source->resident->backend : NULL;
}
