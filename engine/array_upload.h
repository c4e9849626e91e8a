/* array_upload.h - an array on its way into the store: filled as its elements
 * come, named at the end or never. One thread at a time. */
#ifndef ENGINE_ARRAY_UPLOAD_H
#define ENGINE_ARRAY_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/arrays.h"
#include "engine/source.h"

struct upload;

/* only_new: see arrays_put(). STATUS_BAD_VALUE, STATUS_ARRAY_EXISTS. */
enum status upload_create(struct arrays *arrays, const char *name, bool only_new,
			  struct upload **out, struct error *err);
void upload_destroy(struct upload *upload); /* NULL is fine; at any time */

/* What will come; file: that it comes from, or NULL. STATUS_OUT_OF_MEMORY. */
enum status upload_begin(struct upload *upload, const struct array_desc *desc,
			 const struct source_file *file, struct error *err);
enum status upload_write(struct upload *upload, const void *elements, uint64_t count,
			 struct error *err);

/* All came: STATUS_BAD_SHAPE when it did not. */
enum status upload_end(struct upload *upload, struct error *err);

/* Whether naming it waits for a disk. */
bool upload_waits(const struct upload *upload);

/* Gives it its name. *out: a reference of the caller's. */
enum status upload_commit(struct upload *upload, bool *created, struct resident **out,
			  struct error *err);

#endif
