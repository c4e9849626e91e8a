#include "config.h"
#include "engine/array_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/array_disk.h"
#include "engine/disk.h"
#include "engine/resident.h"

#define PIECE (4u << 20) /* bytes read at a time; a multiple of every element's size */

static enum status read_elements(struct resident *resident, int fd, char *piece, struct error *err)
{
	const struct source_file *file = &resident->file;
	const size_t element = dtype_size(resident->desc.dtype);
	uint64_t at = 0, got;
	enum status status = STATUS_OK;

	while (at < resident->bytes && status == STATUS_OK) {
		uint64_t size = resident->bytes - at < PIECE ? resident->bytes - at : PIECE;
		int why = disk_read(fd, file->offset + at, piece, size, &got);

		if (why != 0 || got < size)
			return fail(err, why != 0 ? STATUS_FILE_UNREADABLE : STATUS_FILE_TRUNCATED,
				    "%s: %s", file->path != NULL ? file->path : "its copy",
				    why != 0 ? strerror(why) : "ends early");
		if (file->swap)
			array_swap_bytes(piece, element, size / element);
		status = resident_write(resident, at, piece, size, err);
		at += size;
	}
	return status;
}

/* Is it the file that the array was read from? */
static enum status check_mark(const struct resident *resident, int fd, struct error *err)
{
	struct file_mark mark;
	struct stat st;

	if (resident->file.path == NULL)
		return STATUS_OK;
	if (fstat(fd, &st) != 0)
		return fail(err, STATUS_FILE_UNREADABLE, "%s: %s", resident->file.path,
			    strerror(errno));
	file_mark_of(&mark, &st);
	if (!file_mark_equal(&mark, &resident->file.mark))
		return fail(err, STATUS_FILE_CHANGED, "%s changed", resident->file.path);
	return STATUS_OK;
}

static enum status load(struct arrays *arrays, struct resident *resident,
			const struct array_opener *opener, char *piece, struct error *err)
{
	const bool copy = arrays_copy(arrays) == ARRAY_COPY_HOST;
	int fd = -1;
	enum status status;

	if (resident->file.path != NULL)
		status = opener->open_read(opener->context, resident->file.path, &fd, err);
	else
		status = array_disk_data(arrays_disk(arrays), resident->record, &fd, err);
	if (status != STATUS_OK)
		return status;
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	status = check_mark(resident, fd, err);
	if (status == STATUS_OK)
		status = resident_hold(resident, resident->bytes, 0, copy, err);
	if (status == STATUS_OK)
		status = read_elements(resident, fd, piece, err);
	if (status == STATUS_OK)
		status = check_mark(resident, fd, err);
	close(fd);
	return status;
}

/* It keeps its name, so that jobs are told what became of it. */
static void lose(struct resident *resident, const struct error *why, void (*tell)(const char *text))
{
	char text[640];

	resident_drop(resident, why->text);
	snprintf(text, sizeof(text), "the array %s is lost: %s", resident->name, resident->lost);
	tell(text);
}

static enum status restore(struct arrays *arrays, uint64_t record,
			   const struct array_opener *opener, char *piece,
			   void (*tell)(const char *text), struct error *err)
{
	struct resident *resident = arrays_new(arrays, "");
	struct error why = {0};
	bool created;
	enum status status;

	if (resident == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	status = array_disk_read(arrays_disk(arrays), record, resident, &why);
	if (status == STATUS_OK)
		status = arrays_check_name(resident->name, &why);
	if (status != STATUS_OK) {
		tell(why.text);
		resident_release(resident);
		return STATUS_OK;
	}
	if (load(arrays, resident, opener, piece, &why) != STATUS_OK)
		lose(resident, &why, tell);
	status = arrays_put(arrays, resident, false, &created, err);
	resident_release(resident);
	return status;
}

enum status arrays_restore(struct arrays *arrays, const struct array_opener *opener,
			   void (*tell)(const char *text), struct error *err)
{
	uint64_t *records = NULL;
	size_t count = 0;
	char *piece;
	enum status status;

	if (arrays_disk(arrays) == NULL)
		return STATUS_OK;
	status = array_disk_scan(arrays_disk(arrays), &records, &count, err);
	if (status != STATUS_OK)
		return status;
	piece = malloc(PIECE);
	if (piece == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory to read arrays");
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = restore(arrays, records[i], opener, piece, tell, err);
	free(piece);
	free(records);
	return status;
}
