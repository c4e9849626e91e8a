#include "config.h"
#include "engine/array_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/disk.h"
#include "engine/resident.h"

#define FILE_NAME_SIZE 32u
#define RECORD_MOST 16384u /* bytes of a record: a path and some lines */
#define FIRST_LINE "foldd array 1\n"

struct array_disk {
	int fd; /* of the directory, locked */
	atomic_uint_fast64_t last;
};

struct disk_array {
	int fd;
	uint64_t size;
};

enum status array_disk_open(const char *directory, int given, struct array_disk **out,
			    struct error *err)
{
	struct array_disk *disk = calloc(1, sizeof(*disk));
	int fd, why = 0;

	if (disk == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the directory of arrays");
	fd = given > 2 ? given : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, 0) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
		why = errno;
	if (why != 0) {
		if (fd >= 0)
			close(fd);
		free(disk);
		return fail(err, STATUS_BAD_VALUE, "arrays.directory %s: %s", directory,
			    why == EWOULDBLOCK ? "another process has it" : strerror(why));
	}
	disk->fd = fd;
	atomic_init(&disk->last, 0);
	*out = disk;
	return STATUS_OK;
}

int array_disk_fd(const struct array_disk *disk)
{
	return disk->fd;
}

void array_disk_close(struct array_disk *disk)
{
	if (disk == NULL)
		return;
	close(disk->fd);
	free(disk);
}

uint64_t array_disk_number(struct array_disk *disk)
{
	return atomic_fetch_add(&disk->last, 1) + 1;
}

static const char *file_name(char out[FILE_NAME_SIZE], uint64_t record, const char *ending)
{
	snprintf(out, FILE_NAME_SIZE, "%016" PRIx64 ".%s", record, ending);
	return out;
}

static enum status fail_disk(const char *what, int why, struct error *err)
{
	return fail(err, why == ENOSPC || why == EDQUOT ? STATUS_OUT_OF_MEMORY : STATUS_INTERNAL,
		    "%s in arrays.directory: %s", what, strerror(why));
}

/* ---- records ---- */

/* The path comes last: it may have any bytes. */
static int write_record(FILE *stream, const struct resident *resident)
{
	const struct source_file *file = &resident->file;
	const struct file_mark *mark = &file->mark;

	fprintf(stream, FIRST_LINE "name %s\ndtype %s\norder %c\nshape %u", resident->name,
		dtype_name(resident->desc.dtype), resident->desc.fortran ? 'F' : 'C',
		resident->desc.ndim);
	for (unsigned i = 0; i < resident->desc.ndim; i++)
		fprintf(stream, " %" PRIu64, resident->desc.shape[i]);
	fprintf(stream, "\ncreated %lld %ld\n", (long long)resident->created.tv_sec,
		resident->created.tv_nsec);
	if (file->path != NULL)
		fprintf(stream,
			"file %" PRIu64 " %" PRIu64 " %" PRIu64 " %lld %ld %" PRIu64 " %d\n%s",
			mark->device, mark->inode, mark->size, (long long)mark->modified.tv_sec,
			mark->modified.tv_nsec, file->offset, file->swap, file->path);
	else
		fprintf(stream, "data\n");
	if (fflush(stream) != 0 || ferror(stream) || fsync(fileno(stream)) != 0)
		return errno != 0 ? errno : EIO;
	return 0;
}

enum status array_disk_note(struct array_disk *disk, const struct resident *resident,
			    struct error *err)
{
	char temporary[FILE_NAME_SIZE], name[FILE_NAME_SIZE];
	FILE *stream = NULL;
	int fd, why;

	file_name(temporary, resident->record, "tmp");
	file_name(name, resident->record, "array");
	fd = openat(disk->fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0)
		stream = fdopen(fd, "w");
	errno = stream == NULL ? errno : 0;
	why = stream == NULL ? errno : write_record(stream, resident);
	if (stream != NULL)
		fclose(stream);
	else if (fd >= 0)
		close(fd);
	if (why == 0 && (renameat(disk->fd, temporary, disk->fd, name) != 0 || fsync(disk->fd)))
		why = errno;
	if (why == 0)
		return STATUS_OK;
	unlinkat(disk->fd, temporary, 0);
	unlinkat(disk->fd, name, 0);
	return fail_disk("cannot note an array", why, err);
}

void array_disk_forget(struct array_disk *disk, uint64_t record)
{
	char name[FILE_NAME_SIZE];

	if (disk == NULL || record == 0)
		return;
	/* The record first: elements without one are removed at the start. */
	if (unlinkat(disk->fd, file_name(name, record, "array"), 0) == 0)
		fsync(disk->fd);
	unlinkat(disk->fd, file_name(name, record, "data"), 0);
}

/* ---- elements ---- */

enum status disk_array_create(struct array_disk *disk, uint64_t record, struct disk_array **out,
			      struct error *err)
{
	struct disk_array *data = calloc(1, sizeof(*data));
	char name[FILE_NAME_SIZE];

	if (data == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the copy of an array");
	data->fd = openat(disk->fd, file_name(name, record, "data"),
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (data->fd < 0) {
		int why = errno;

		free(data);
		return fail_disk("cannot make the copy of an array", why, err);
	}
	*out = data;
	return STATUS_OK;
}

enum status disk_array_write(struct disk_array *data, const void *bytes, uint64_t size,
			     struct error *err)
{
	enum status status =
		disk_write(data->fd, data->size, bytes, size, "the copy of an array", err);

	data->size += size;
	return status;
}

enum status disk_array_sync(struct disk_array *data, struct error *err)
{
	return fsync(data->fd) == 0 ? STATUS_OK
				    : fail_disk("cannot sync the copy of an array", errno, err);
}

void disk_array_close(struct disk_array *data)
{
	if (data == NULL)
		return;
	close(data->fd);
	free(data);
}

/* ---- at the start ---- */

/* The number of a name of ours, and its ending; 0: of somebody else. */
static uint64_t number_of(const char *name, const char **ending)
{
	uint64_t number = 0;

	if (strspn(name, "0123456789abcdef") != 16 || name[16] != '.')
		return 0;
	sscanf(name, "%16" SCNx64, &number);
	*ending = name + 17;
	return number;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void remove_unfinished(struct array_disk *disk, const char *name, const char *ending,
			      uint64_t number)
{
	char record[FILE_NAME_SIZE];

	if (strcmp(ending, "tmp") == 0 ||
	    (strcmp(ending, "data") == 0 &&
	     faccessat(disk->fd, file_name(record, number, "array"), F_OK, 0) != 0 &&
	     errno == ENOENT))
		unlinkat(disk->fd, name, 0);
}

static DIR *open_listing(const struct array_disk *disk)
{
	int fd = openat(disk->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;

	if (listing == NULL && fd >= 0)
		close(fd);
	return listing;
}

enum status array_disk_scan(struct array_disk *disk, uint64_t **out, size_t *count,
			    struct error *err)
{
	DIR *listing = open_listing(disk);
	uint64_t *list = malloc(sizeof(*list)), *grown, last = 0;
	size_t used = 0;
	struct dirent *entry;
	const char *ending;

	while (listing != NULL && list != NULL && (entry = readdir(listing)) != NULL) {
		uint64_t number = number_of(entry->d_name, &ending);

		if (number == 0)
			continue;
		last = number > last ? number : last;
		if (strcmp(ending, "array") != 0) {
			remove_unfinished(disk, entry->d_name, ending, number);
			continue;
		}
		list[used++] = number;
		grown = realloc(list, (used + 1) * sizeof(*list));
		if (grown == NULL)
			free(list);
		list = grown;
	}
	if (listing != NULL)
		closedir(listing);
	if (listing == NULL || list == NULL) {
		free(list);
		return fail(err, listing == NULL ? STATUS_INTERNAL : STATUS_OUT_OF_MEMORY,
			    "cannot list arrays.directory");
	}
	atomic_store(&disk->last, last);
	qsort(list, used, sizeof(*list), ascending);
	*out = list;
	*count = used;
	return STATUS_OK;
}

/* How many bytes the description takes of the text; 0: it is none. */
static size_t parse_description(const char *text, struct resident *resident)
{
	char dtype[16], order, name[RESIDENT_NAME_MAX + 1];
	long long seconds;
	long ns;
	int used = 0, more;
	uint64_t count;

	if (sscanf(text, FIRST_LINE "name %255[A-Za-z0-9._-] dtype %15s order %c shape %u%n", name,
		   dtype, &order, &resident->desc.ndim, &used) != 4 ||
	    resident->desc.ndim > ARRAY_MAX_NDIM || !dtype_from_name(dtype, &resident->desc.dtype))
		return 0;
	for (unsigned i = 0; i < resident->desc.ndim; i++) {
		if (sscanf(text + used, " %" SCNu64 "%n", &resident->desc.shape[i], &more) != 1 ||
		    resident->desc.shape[i] == ARRAY_UNKNOWN)
			return 0;
		used += more;
	}
	if (sscanf(text + used, " created %lld %ld%n", &seconds, &ns, &more) != 2 ||
	    array_count(&resident->desc, &count, NULL) != STATUS_OK)
		return 0;
	strcpy(resident->name, name);
	resident->desc.fortran = order == 'F';
	resident->bytes = count * dtype_size(resident->desc.dtype);
	resident->created = (struct timespec){.tv_sec = seconds, .tv_nsec = ns};
	return (size_t)(used + more);
}

static bool parse_file(const char *text, struct resident *resident)
{
	struct source_file file = {.path = NULL};
	long long seconds;
	long ns;
	int swap, used = 0;

	if (sscanf(text, " file %" SCNu64 " %" SCNu64 " %" SCNu64 " %lld %ld %" SCNu64 " %d%n",
		   &file.mark.device, &file.mark.inode, &file.mark.size, &seconds, &ns,
		   &file.offset, &swap, &used) != 7 ||
	    text[used] != '\n' || text[used + 1] == '\0')
		return false;
	file.mark.modified = (struct timespec){.tv_sec = seconds, .tv_nsec = ns};
	file.swap = swap != 0;
	file.path = text + used + 1;
	return resident_set_file(resident, &file);
}

enum status array_disk_read(struct array_disk *disk, uint64_t record, struct resident *resident,
			    struct error *err)
{
	char name[FILE_NAME_SIZE], *text = malloc(RECORD_MOST + 1);
	uint64_t got = 0;
	size_t used = 0;
	int fd, why;
	bool good = false;

	if (text == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a record");
	fd = openat(disk->fd, file_name(name, record, "array"), O_RDONLY | O_CLOEXEC);
	why = fd < 0 ? errno : disk_read(fd, 0, text, RECORD_MOST, &got);
	if (fd >= 0)
		close(fd);
	text[got] = '\0';
	if (why == 0)
		used = parse_description(text, resident);
	if (used > 0 && strcmp(text + used, "\ndata\n") == 0)
		good = resident->on_disk = true;
	else if (used > 0)
		good = parse_file(text + used, resident);
	free(text);
	resident->record = record;
	if (!good)
		return fail(err, STATUS_FILE_UNREADABLE, "%s in arrays.directory: %s", name,
			    why != 0 ? strerror(why) : "this is no record of an array");
	return STATUS_OK;
}

enum status array_disk_data(struct array_disk *disk, uint64_t record, int *fd, struct error *err)
{
	char name[FILE_NAME_SIZE];

	*fd = openat(disk->fd, file_name(name, record, "data"), O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return fail(err, STATUS_FILE_UNREADABLE, "%s in arrays.directory: %s", name,
			    strerror(errno));
	return STATUS_OK;
}
