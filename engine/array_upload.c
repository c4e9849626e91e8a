#include "config.h"
#include "engine/array_upload.h"

#include <stdlib.h>
#include <string.h>
#include "engine/array_disk.h"
#include "engine/resident.h"

/* Bytes that an array of unknown length begins with; doubled as it grows. */
#define FIRST_ROOM (1u << 20)

struct upload {
	struct arrays *arrays;
	bool only_new;
	bool named;
	struct resident *resident;
	uint64_t written; /* bytes */
	bool growing;     /* its length is not known ahead */
	bool ended;
	struct disk_array *data; /* its elements on disk; NULL: no copy there */
};

enum status upload_create(struct arrays *arrays, const char *name, bool only_new,
			  struct upload **out, struct error *err)
{
	struct resident *old = NULL;
	struct upload *upload;
	enum status status = arrays_check_name(name, err);

	if (status == STATUS_OK)
		status = arrays_begin_change(arrays, err);
	if (status != STATUS_OK)
		return status;
	arrays_end_change(arrays); /* asked again in the end */
	/* looked at again in the end: it may come meanwhile */
	if (only_new && arrays_get(arrays, name, &old, NULL) == STATUS_OK) {
		resident_release(old);
		return fail(err, STATUS_ARRAY_EXISTS, "there is an array %s already", name);
	}
	upload = calloc(1, sizeof(*upload));
	if (upload != NULL)
		upload->resident = arrays_new(arrays, name);
	if (upload == NULL || upload->resident == NULL) {
		free(upload);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	}
	upload->arrays = arrays;
	upload->only_new = only_new;
	*out = upload;
	return STATUS_OK;
}

void upload_destroy(struct upload *upload)
{
	if (upload == NULL)
		return;
	disk_array_close(upload->data);
	/* Another process may have given the number to an array of its own. */
	if (!upload->named && arrays_begin_change(upload->arrays, NULL) == STATUS_OK) {
		array_disk_forget(arrays_disk(upload->arrays), upload->resident->record);
		arrays_end_change(upload->arrays);
	}
	resident_release(upload->resident);
	free(upload);
}

/* One that is read from a file needs no copy: it has the file. */
static bool keeps(const struct upload *upload, enum array_copy copy)
{
	return arrays_copy(upload->arrays) == copy &&
	       (copy == ARRAY_COPY_HOST || upload->resident->file.path == NULL);
}

enum status upload_begin(struct upload *upload, const struct array_desc *desc,
			 const struct source_file *file, struct error *err)
{
	struct resident *resident = upload->resident;
	struct array_disk *disk = arrays_disk(upload->arrays);
	uint64_t count;
	enum status status = array_count(desc, &count, err);

	if (status != STATUS_OK)
		return status;
	resident->desc = *desc;
	upload->growing = count == ARRAY_UNKNOWN;
	resident->bytes = upload->growing ? FIRST_ROOM : count * dtype_size(desc->dtype);
	if (file != NULL && !resident_set_file(resident, file))
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	status = resident_hold(resident, resident->bytes, 0, keeps(upload, ARRAY_COPY_HOST), err);
	if (status == STATUS_OK && disk != NULL &&
	    (resident->file.path != NULL || keeps(upload, ARRAY_COPY_DISK)))
		resident->record = array_disk_number(disk);
	if (status == STATUS_OK && disk != NULL && keeps(upload, ARRAY_COPY_DISK))
		status = disk_array_create(disk, resident->record, &upload->data, err);
	resident->on_disk = upload->data != NULL;
	return status;
}

static enum status grow(struct upload *upload, uint64_t needed, struct error *err)
{
	struct resident *resident = upload->resident;
	uint64_t size = resident->held;

	while (size < needed)
		size *= 2;
	/* where twice the room is too much, the room itself may do */
	if (resident_hold(resident, size, upload->written, keeps(upload, ARRAY_COPY_HOST), NULL) ==
	    STATUS_OK)
		return STATUS_OK;
	return resident_hold(resident, needed, upload->written, keeps(upload, ARRAY_COPY_HOST),
			     err);
}

enum status upload_write(struct upload *upload, const void *elements, uint64_t count,
			 struct error *err)
{
	struct resident *resident = upload->resident;
	const uint64_t size = count * dtype_size(resident->desc.dtype);
	enum status status = STATUS_OK;

	if (upload->growing && size > resident->held - upload->written)
		status = grow(upload, upload->written + size, err);
	else if (!upload->growing && size > resident->bytes - upload->written)
		status = fail(err, STATUS_BAD_SHAPE,
			      "more elements came than the %llu bytes announced",
			      (unsigned long long)resident->bytes);
	if (status == STATUS_OK)
		status = resident_write(resident, upload->written, elements, size, err);
	if (status == STATUS_OK && upload->data != NULL)
		status = disk_array_write(upload->data, elements, size, err);
	if (status == STATUS_OK)
		upload->written += size;
	return status;
}

enum status upload_end(struct upload *upload, struct error *err)
{
	struct resident *resident = upload->resident;

	if (!upload->growing && upload->written != resident->bytes)
		return fail(err, STATUS_BAD_SHAPE, "%llu bytes came, %llu were announced",
			    (unsigned long long)upload->written,
			    (unsigned long long)resident->bytes);
	if (upload->growing) {
		resident->bytes = upload->written;
		resident->desc.shape[0] = upload->written / dtype_size(resident->desc.dtype);
		/* The room that was too much is given back where that is possible;
		 * where not, the array is as good. */
		if (resident->held > resident->bytes)
			resident_hold(resident, resident->bytes, resident->bytes,
				      keeps(upload, ARRAY_COPY_HOST), NULL);
	}
	upload->ended = true;
	return STATUS_OK;
}

bool upload_waits(const struct upload *upload)
{
	return upload->resident->record != 0;
}

enum status upload_commit(struct upload *upload, bool *created, struct resident **out,
			  struct error *err)
{
	struct resident *resident = upload->resident;
	enum status status = STATUS_OK;

	if (!upload->ended)
		return fail(err, STATUS_INTERNAL, "an array is named before it is whole");
	status = arrays_begin_change(upload->arrays, err);
	if (status != STATUS_OK)
		return status;
	if (upload->data != NULL)
		status = disk_array_sync(upload->data, err);
	/* On disk first: who is told that the array is there finds it there
	 * after a crash, too. */
	if (status == STATUS_OK && resident->record != 0)
		status = array_disk_note(arrays_disk(upload->arrays), resident, err);
	if (status == STATUS_OK)
		status = arrays_put(upload->arrays, resident, upload->only_new, created, err);
	arrays_end_change(upload->arrays);
	if (status != STATUS_OK)
		return status;
	upload->named = true;
	*out = resident_keep(resident);
	return STATUS_OK;
}
