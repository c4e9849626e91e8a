#include "config.h"
#include "engine/array_restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/array_disk.h"
#include "engine/array_reread.h"

static enum status to_resident(void *context, uint64_t offset, const void *bytes, uint64_t size,
			       struct error *err)
{
	return resident_write(context, offset, bytes, size, err);
}

static enum status load(struct arrays *arrays, struct resident *resident, struct error *err)
{
	const bool copy = arrays_copy(arrays) == ARRAY_COPY_HOST;
	int fd;
	enum status status = array_reopen(arrays, resident, &fd, err);

	if (status != STATUS_OK)
		return status;
	status = resident_hold(resident, resident->bytes, 0, copy, err);
	if (status == STATUS_OK)
		status = array_reread(resident, fd, to_resident, resident, err);
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

static enum status restore(struct arrays *arrays, uint64_t record, void (*tell)(const char *text),
			   struct error *err)
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
	if (load(arrays, resident, &why) != STATUS_OK)
		lose(resident, &why, tell);
	status = arrays_put(arrays, resident, false, &created, err);
	resident_release(resident);
	return status;
}

enum status arrays_restore(struct arrays *arrays, void (*tell)(const char *text), struct error *err)
{
	uint64_t *records = NULL;
	size_t count = 0;
	enum status status;

	if (arrays_disk(arrays) == NULL)
		return STATUS_OK;
	status = array_disk_scan(arrays_disk(arrays), &records, &count, err);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = restore(arrays, records[i], tell, err);
	free(records);
	return status;
}
