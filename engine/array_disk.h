/* array_disk.h - what is remembered of resident arrays over a restart: a
 * directory with a record (NUMBER.array, text) of each, and beside it its
 * elements (NUMBER.data, as they lie in memory) when it came in a body.
 *
 * A record comes into being whole, after its elements were synced; the one with
 * the highest number counts when two have one name. From any thread. */
#ifndef ENGINE_ARRAY_DISK_H
#define ENGINE_ARRAY_DISK_H

#include <stdint.h>
#include "engine/status.h"

struct array_disk;
struct disk_array; /* elements being written */
struct resident;

/* One process has the directory, and who gets its descriptor from that one: `given`
 * (not above 2: none), which becomes the disk's. STATUS_BAD_VALUE: it cannot be used. */
enum status array_disk_open(const char *directory, int given, struct array_disk **out,
			    struct error *err);
int array_disk_fd(const struct array_disk *disk);
void array_disk_close(struct array_disk *disk); /* NULL is fine */

uint64_t array_disk_number(struct array_disk *disk); /* of a new record; not 0 */

/* Writes the record resident->record. STATUS_OUT_OF_MEMORY: the disk is full. */
enum status array_disk_note(struct array_disk *disk, const struct resident *resident,
			    struct error *err);

/* Removes a record and its elements; of disk NULL or record 0 there are none. */
void array_disk_forget(struct array_disk *disk, uint64_t record);

enum status disk_array_create(struct array_disk *disk, uint64_t record, struct disk_array **out,
			      struct error *err);
enum status disk_array_write(struct disk_array *data, const void *bytes, uint64_t size,
			     struct error *err);
enum status disk_array_sync(struct disk_array *data, struct error *err);
void disk_array_close(struct disk_array *data); /* NULL is fine */

/* At the start: the numbers of all records, ascending, from malloc; what a crash
 * left of unfinished ones is removed. */
enum status array_disk_scan(struct array_disk *disk, uint64_t **out, size_t *count,
			    struct error *err);

/* Fills name, description, file and the like. STATUS_FILE_UNREADABLE: it is no
 * record. */
enum status array_disk_read(struct array_disk *disk, uint64_t record, struct resident *resident,
			    struct error *err);

/* A descriptor of its elements. */
enum status array_disk_data(struct array_disk *disk, uint64_t record, int *fd, struct error *err);

#endif
