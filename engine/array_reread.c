#include "config.h"
#include "engine/array_reread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/array_disk.h"
#include "engine/disk.h"

#define PIECE (4u << 20) /* bytes read at a time; a multiple of every element's size */

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

enum status array_reopen(struct arrays *arrays, const struct resident *resident, int *fd,
			 struct error *err)
{
	const struct array_opener *opener = arrays_opener(arrays);
	enum status status;

	if (resident->file.path == NULL)
		status = array_disk_data(arrays_disk(arrays), resident->record, fd, err);
	else if (opener->open_read == NULL)
		status = fail(err, STATUS_PATH_FORBIDDEN, "%s: no file may be read",
			      resident->file.path);
	else
		status = opener->open_read(opener->context, resident->file.path, fd, err);
	if (status != STATUS_OK)
		return status;
	posix_fadvise(*fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	status = check_mark(resident, *fd, err);
	if (status != STATUS_OK)
		close(*fd);
	return status;
}

enum status array_reread(const struct resident *resident, int fd, array_sink *sink, void *context,
			 struct error *err)
{
	const struct source_file *file = &resident->file;
	const size_t element = dtype_size(resident->desc.dtype);
	char *piece = malloc(PIECE);
	uint64_t at = 0, got;
	enum status status = STATUS_OK;

	if (piece == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to read arrays");
	while (at < resident->bytes && status == STATUS_OK) {
		uint64_t size = resident->bytes - at < PIECE ? resident->bytes - at : PIECE;
		int why = disk_read(fd, file->offset + at, piece, size, &got);

		if (why != 0 || got < size) {
			status =
				fail(err, why != 0 ? STATUS_FILE_UNREADABLE : STATUS_FILE_TRUNCATED,
				     "%s: %s", file->path != NULL ? file->path : "its copy",
				     why != 0 ? strerror(why) : "ends early");
			break;
		}
		if (file->swap)
			array_swap_bytes(piece, element, size / element);
		status = sink(context, at, piece, size, err);
		at += size;
	}
	free(piece);
	return status == STATUS_OK ? check_mark(resident, fd, err) : status;
}
