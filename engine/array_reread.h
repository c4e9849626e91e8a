/* array_reread.h - the elements of a resident array once more: from the file that it
 * was read from, or from its copy on disk. */
#ifndef ENGINE_ARRAY_REREAD_H
#define ENGINE_ARRAY_REREAD_H

#include "engine/arrays.h"
#include "engine/resident.h"

/* Takes the elements in these bytes of the array. */
typedef enum status array_sink(void *context, uint64_t offset, const void *bytes, uint64_t size,
			       struct error *err);

/* Where its elements can be read again, opened; file.offset and file.swap of the
 * array say how. STATUS_FILE_CHANGED: it is not the file it was. */
enum status array_reopen(struct arrays *arrays, const struct resident *resident, int *fd,
			 struct error *err);

/* All elements, native-endian, first to last. Closes nothing. */
enum status array_reread(const struct resident *resident, int fd, array_sink *sink, void *context,
			 struct error *err);

#endif
