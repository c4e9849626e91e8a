/* resident.h - one array that stays in a backend's memory, shared by reference.
 *
 * Made by array_upload.c or array_restore.c; constant once it has its name.
 * Whoever got it from arrays.h gives it back by resident_release(); the last one
 * frees it. From any thread. */
#ifndef ENGINE_RESIDENT_H
#define ENGINE_RESIDENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "engine/array.h"
#include "engine/backend.h"
#include "engine/source.h"

#define RESIDENT_NAME_MAX 255u

/* Bytes that all arrays together may take. */
struct budget {
	atomic_uint_fast64_t used;
	uint64_t limit;

	/* Gives back what can be had again; false: there is nothing. May be NULL. */
	bool (*reclaim)(void *context);
	void *reclaim_context;
};

bool budget_take(struct budget *budget, uint64_t bytes); /* false: too many */
void budget_give(struct budget *budget, uint64_t bytes);

struct resident {
	atomic_uint references;
	char name[RESIDENT_NAME_MAX + 1];
	struct array_desc desc; /* of known length */
	uint64_t bytes;         /* of elements */
	struct timespec created;

	const struct backend_ops *ops; /* who holds it */
	struct backend *backend;
	char backend_name[24];
	struct array *array; /* NULL: lost */
	char lost[256];      /* then why, a sentence */
	struct budget *budget;
	uint64_t held; /* bytes taken of the budget */

	/* arrays.copy = host, where the host cannot read the array itself, or
	 * its backend was lost: its bytes; else NULL. */
	_Atomic(char *) copy;

	/* All bytes from where they came into out. NULL: they cannot be had. */
	enum status (*recover)(const struct resident *resident, char *out, struct error *err);
	void *recover_context;

	struct source_file file; /* path owned; NULL: it came in a body */
	uint64_t record;         /* of array_disk.h; 0: none */
	bool on_disk;            /* its elements are there, too */
};

/* One reference, nothing in it. NULL: no memory. */
struct resident *resident_create(const char *name, const struct backend_ops *ops,
				 struct backend *backend, struct budget *budget);
struct resident *resident_keep(struct resident *resident); /* one reference more */
void resident_release(struct resident *resident);          /* NULL is fine */

/* Memory for so many bytes, with a host copy when `copy` and it is needed.
 * STATUS_OUT_OF_MEMORY. Any it had is kept when it fails, else replaced; the
 * first `keep` bytes of it are taken over. */
enum status resident_hold(struct resident *resident, uint64_t size, uint64_t keep, bool copy,
			  struct error *err);
enum status resident_write(struct resident *resident, uint64_t offset, const void *bytes,
			   uint64_t size, struct error *err);

/* From the copy when the backend fails, which is made of its file or its copy on
 * disk when the backend is lost. STATUS_ARRAY_LOST. */
enum status resident_read(struct resident *resident, uint64_t offset, void *out, uint64_t size,
			  struct error *err);

/* Its memory is gone, its name is not. */
void resident_drop(struct resident *resident, const char *why);
enum status resident_fail_lost(const struct resident *resident, struct error *err);

/* The path is copied. False: no memory. */
bool resident_set_file(struct resident *resident, const struct source_file *file);

/* In whose memory a source's elements lie; NULL: in no backend's. */
const struct backend *source_home(const struct source *source);

#endif
