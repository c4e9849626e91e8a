#include "config.h"
#include "proto/file_source.h"
#include "engine/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "proto/npy.h"

struct file {
	char *path;
	struct file_mark mark; /* is it the same file still? */
	uint64_t data_offset;
	uint64_t bytes; /* of elements */
	struct array_desc desc;
	bool swap;
};

struct file_source {
	struct source base;
	const struct file_access *access;
	struct file *files;
	size_t count, capacity;
	size_t current;
	struct source_file only; /* when there is one */
	char *key;
	int fd;        /* of the current file, or -1 */
	uint64_t done; /* bytes read of it */
};

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a list of files");
}

static enum status unreadable(const struct file *file, int error, struct error *err)
{
	return fail(err, STATUS_FILE_UNREADABLE, "%s: %s", file->path, strerror(error));
}

static enum status changed(const struct file *file, struct error *err)
{
	return fail(err, STATUS_FILE_CHANGED, "%s changed while it was read", file->path);
}

static bool is_same(const struct file *file, const struct stat *st)
{
	struct file_mark mark;

	file_mark_of(&mark, st);
	return file_mark_equal(&mark, &file->mark);
}

/* Exactly size bytes. */
static enum status read_at(const struct file *file, int fd, uint64_t offset, void *out,
			   uint64_t size, struct error *err)
{
	uint64_t got;
	int failed = disk_read(fd, offset, out, size, &got);

	if (failed != 0)
		return unreadable(file, failed, err);
	if (got < size)
		return fail(err, STATUS_FILE_TRUNCATED, "%s ends at byte %llu, %llu early",
			    file->path, (unsigned long long)(offset + got),
			    (unsigned long long)(size - got));
	return STATUS_OK;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t size = strlen(path), tail = strlen(ending);

	return size >= tail && strcasecmp(path + size - tail, ending) == 0;
}

/* npy or raw: as the job says, else by the name, else by the first bytes. */
static enum status guess_format(const struct file *file, int fd, const struct input *input,
				enum input_format *out, struct error *err)
{
	static const char *const later[] = {".npz", ".csv", ".h5", ".hdf5"};
	char magic[NPY_MAGIC_SIZE];
	enum status status;
	size_t i;

	if (input->format != FORMAT_GUESS) {
		*out = input->format;
		return STATUS_OK;
	}
	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		if (ends_in(file->path, later[i]))
			return fail(err, STATUS_NOT_IMPLEMENTED,
				    "%s: %s files are not served by this build; raw ones need "
				    "format raw",
				    file->path, later[i]);
	}
	*out = FORMAT_NPY;
	if (ends_in(file->path, ".npy"))
		return STATUS_OK;
	if (file->mark.size >= NPY_MAGIC_SIZE) {
		status = read_at(file, fd, 0, magic, NPY_MAGIC_SIZE, err);
		if (status != STATUS_OK || memcmp(magic, NPY_MAGIC, NPY_MAGIC_SIZE) == 0)
			return status;
	}
	*out = FORMAT_RAW;
	if (!input->has_dtype)
		return fail_at(err, STATUS_BAD_JOB, input->at,
			       "%s is no .npy file: raw elements need a dtype", file->path);
	return STATUS_OK;
}

static enum status describe_npy(struct file *file, int fd, const struct input *input,
				struct error *err)
{
	unsigned char prefix[NPY_PREFIX_SIZE];
	const uint64_t first =
		file->mark.size < NPY_PREFIX_SIZE ? file->mark.size : NPY_PREFIX_SIZE;
	struct npy_header header;
	uint64_t size, count;
	void *bytes;
	enum status status;

	if (input->has_shape || input->has_byteorder || input->has_offset)
		return fail_at(err, STATUS_BAD_JOB, input->at,
			       "%s is a .npy file: shape, byteorder and offset have no meaning",
			       file->path);
	status = read_at(file, fd, 0, prefix, first, err);
	if (status == STATUS_OK)
		status = npy_header_size(prefix, first, &size, err);
	if (status != STATUS_OK)
		return status;
	if (size > file->mark.size)
		return fail(err, STATUS_FILE_TRUNCATED, "%s ends inside its header", file->path);
	bytes = malloc(size);
	if (bytes == NULL)
		return no_memory(err);
	status = read_at(file, fd, 0, bytes, size, err);
	if (status == STATUS_OK)
		status = npy_header_parse(&header, bytes, size,
					  input->has_dtype ? &input->dtype : NULL, err);
	free(bytes);
	if (status != STATUS_OK)
		return status;
	array_count(&header.desc, &count, NULL); /* fits: the header was parsed */
	file->desc = header.desc;
	file->swap = header.swap;
	file->data_offset = header.data_offset;
	file->bytes = count * dtype_size(header.desc.dtype);
	if (file->mark.size - size < file->bytes)
		return fail(err, STATUS_FILE_TRUNCATED, "%s: %llu bytes of elements, not %llu",
			    file->path, (unsigned long long)(file->mark.size - size),
			    (unsigned long long)file->bytes);
	if (file->mark.size - size > file->bytes)
		return fail(err, STATUS_BAD_NPY, "%s goes on %llu bytes after its elements",
			    file->path, (unsigned long long)(file->mark.size - size - file->bytes));
	return STATUS_OK;
}

static enum status describe_raw(struct file *file, const struct input *input, struct error *err)
{
	enum status status;

	if (input->offset > file->mark.size)
		return fail(err, STATUS_FILE_TRUNCATED, "%s ends at byte %llu, before the offset",
			    file->path, (unsigned long long)file->mark.size);
	file->data_offset = input->offset;
	file->bytes = file->mark.size - input->offset;
	file->swap = input_raw_swap(input);
	status = input_raw_desc(input, file->bytes, &file->desc, err);
	return status;
}

/* What the file is, from its head; it is closed again. */
static enum status describe(struct file *file, const struct input *input,
			    const struct file_access *access, struct error *err)
{
	enum input_format format = FORMAT_RAW;
	enum status status;
	struct stat st;
	int fd;

	status = access->open_read(access->context, file->path, &fd, err);
	if (status != STATUS_OK)
		return status;
	if (fstat(fd, &st) != 0) {
		status = unreadable(file, errno, err);
		close(fd);
		return status;
	}
	file_mark_of(&file->mark, &st);
	status = guess_format(file, fd, input, &format, err);
	if (status == STATUS_OK)
		status = format == FORMAT_NPY ? describe_npy(file, fd, input, err)
					      : describe_raw(file, input, err);
	close(fd);
	return status;
}

static enum status add_file(struct file_source *source, const char *path, const struct input *input,
			    const struct input_context *context, struct error *err)
{
	struct file *file;

	if (source->count >= context->limits->files)
		return fail(err, STATUS_TOO_LARGE, "more than %llu files",
			    (unsigned long long)context->limits->files);
	if (source->count == source->capacity) {
		size_t capacity = source->capacity > 0 ? source->capacity * 2 : 1;
		struct file *files = realloc(source->files, capacity * sizeof(*files));

		if (files == NULL)
			return no_memory(err);
		source->files = files;
		source->capacity = capacity;
	}
	file = &source->files[source->count];
	memset(file, 0, sizeof(*file));
	file->path = strdup(path);
	if (file->path == NULL)
		return no_memory(err);
	source->count++;
	return describe(file, input, context->files, err);
}

static enum status add_path(struct file_source *source, const char *path, const struct input *input,
			    const struct input_context *context, uint64_t *effort,
			    struct error *err)
{
	const struct file_access *access = context->files;
	struct file_list list = {NULL, 0};
	enum status status;
	size_t i;

	if (!input->globs)
		return add_file(source, path, input, context, err);
	status = access->glob(access->context, path, effort, &list, err);
	for (i = 0; i < list.count && status == STATUS_OK; i++)
		status = add_file(source, list.paths[i], input, context, err);
	file_list_free(&list);
	return status;
}

static bool same_but_first_axis(const struct array_desc *a, const struct array_desc *b)
{
	return a->ndim == b->ndim && a->ndim > 0 &&
	       memcmp(a->shape + 1, b->shape + 1, (a->ndim - 1) * sizeof(a->shape[0])) == 0;
}

/* Files stored first axis fastest cannot be joined along it one after the other;
 * elements whose place does not matter may come in any order. */
static bool order_matters(const struct job *job)
{
	bool matters = job->kind == JOB_SCAN || job->has_segments || job->nan == NAN_ERROR;
	unsigned i;

	for (i = 0; i < job->op_count; i++)
		matters =
			matters || op_is_arg(job->ops[i].spec.op) || job->ops[i].spec.op == OP_DOT;
	return matters;
}

/* The joined array's type and shape. */
static enum status join(struct file_source *source, const struct job *job, struct error *err)
{
	const struct file *first = &source->files[0];
	struct array_desc *desc = &source->base.desc;
	uint64_t total = 0, rows = 0;
	bool flat = false, fortran = false;
	size_t i;

	for (i = 0; i < source->count; i++) {
		const struct file *file = &source->files[i];

		if (file->desc.dtype != first->desc.dtype)
			return fail(err, STATUS_BAD_DTYPE, "%s is %s, but %s is %s", file->path,
				    dtype_name(file->desc.dtype), first->path,
				    dtype_name(first->desc.dtype));
		if (!same_but_first_axis(&first->desc, &file->desc) && source->count > 1) {
			flat = true;
			if (job->has_axis)
				return fail(err, STATUS_BAD_SHAPE,
					    "%s and %s differ in more than their first axis: they "
					    "cannot be joined for a job with an axis",
					    first->path, file->path);
		}
		fortran = fortran || file->desc.fortran;
		rows += file->desc.ndim > 0 ? file->desc.shape[0] : 0;
		total += file->bytes; /* each below 2^63, and so the sum: disks are small */
	}
	*desc = first->desc;
	if (source->count == 1)
		return STATUS_OK;
	if (fortran && (job->has_axis || order_matters(job)))
		return fail(err, STATUS_BAD_SHAPE,
			    "several files in Fortran order are joined only for whole-array "
			    "operations that do not ask where an element is");
	if (flat || fortran) {
		memset(desc->shape, 0, sizeof(desc->shape));
		desc->ndim = 1;
		desc->fortran = false;
		desc->shape[0] = total / dtype_size(desc->dtype);
	} else {
		desc->shape[0] = rows;
	}
	return array_count(desc, &total, err);
}

/* ---- reading ---- */

static enum status open_current(struct file_source *source, struct error *err)
{
	const struct file *file = &source->files[source->current];
	struct stat st;
	enum status status =
		source->access->open_read(source->access->context, file->path, &source->fd, err);

	if (status != STATUS_OK) {
		source->fd = -1;
		return status == STATUS_FILE_NOT_FOUND ? changed(file, err) : status;
	}
	if (fstat(source->fd, &st) != 0)
		return unreadable(file, errno, err);
	if (!is_same(file, &st))
		return changed(file, err);
	posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	source->done = 0;
	return STATUS_OK;
}

/* All of the current file was read: was it the same to the end? */
static enum status leave_current(struct file_source *source, struct error *err)
{
	const struct file *file = &source->files[source->current];
	enum status status = STATUS_OK;
	struct stat st;

	if (fstat(source->fd, &st) != 0)
		status = unreadable(file, errno, err);
	else if (!is_same(file, &st))
		status = changed(file, err);
	close(source->fd);
	source->fd = -1;
	source->current++;
	return status;
}

static enum status files_read(struct source *self, void *out, uint64_t count, uint64_t *got,
			      struct error *err)
{
	struct file_source *source = (struct file_source *)self;
	const uint64_t element = dtype_size(self->desc.dtype);
	uint64_t filled = 0;
	enum status status = STATUS_OK;

	while (filled < count && source->current < source->count) {
		const struct file *file = &source->files[source->current];
		char *at = (char *)out + filled * element;
		uint64_t size;

		if (source->fd < 0)
			status = open_current(source, err);
		if (status != STATUS_OK)
			return status;
		size = file->bytes - source->done;
		if (size > (count - filled) * element)
			size = (count - filled) * element;
		status = read_at(file, source->fd, file->data_offset + source->done, at, size, err);
		if (status != STATUS_OK)
			return status;
		if (file->swap)
			array_swap_bytes(at, element, size / element);
		source->done += size;
		filled += size / element;
		if (source->done == file->bytes)
			status = leave_current(source, err);
		if (status != STATUS_OK)
			return status;
	}
	*got = filled;
	return STATUS_OK;
}

/* Files without elements at the end are not looked at by read(). */
static enum status files_verify(struct source *self, struct error *err)
{
	struct file_source *source = (struct file_source *)self;
	enum status status = STATUS_OK;

	while (source->current < source->count && status == STATUS_OK) {
		if (source->fd < 0)
			status = open_current(source, err);
		if (status == STATUS_OK)
			status = leave_current(source, err);
	}
	return status;
}

static enum status files_rewind(struct source *self, struct error *err)
{
	struct file_source *source = (struct file_source *)self;

	(void)err;
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
	source->current = 0;
	return STATUS_OK;
}

static void files_close(struct source *self)
{
	struct file_source *source = (struct file_source *)self;
	size_t i;

	if (source->fd >= 0)
		close(source->fd);
	for (i = 0; i < source->count; i++)
		free(source->files[i].path);
	free(source->files);
	free(source->key);
	free(source);
}

/* One file is told of: an array that is kept can be read from it again. */
static void tell_only(struct file_source *source)
{
	const struct file *file = &source->files[0];

	source->only = (struct source_file){file->path, file->mark, file->data_offset, file->swap};
	source->base.file = &source->only;
}

/* Equal for the same bytes of the same files, seen as the same elements. */
static enum status make_key(struct file_source *source, struct error *err)
{
	const struct array_desc *desc = &source->base.desc;
	size_t size = 0;
	FILE *out = open_memstream(&source->key, &size);
	bool good = out != NULL;

	if (good)
		good = fprintf(out, "%s %d", dtype_name(desc->dtype), desc->fortran) > 0;
	for (unsigned i = 0; i < desc->ndim && good; i++)
		good = fprintf(out, " %llu", (unsigned long long)desc->shape[i]) > 0;
	for (size_t i = 0; i < source->count && good; i++) {
		const struct file *file = &source->files[i];
		const struct file_mark *mark = &file->mark;

		good = fprintf(out, "\n%llu %llu %llu %lld.%ld %llu %d %s",
			       (unsigned long long)mark->device, (unsigned long long)mark->inode,
			       (unsigned long long)mark->size, (long long)mark->modified.tv_sec,
			       mark->modified.tv_nsec, (unsigned long long)file->data_offset,
			       file->swap, file->path) > 0;
	}
	good = out != NULL && fclose(out) == 0 && good;
	if (!good)
		return no_memory(err);
	source->base.key = source->key;
	return STATUS_OK;
}

/* The member that names the files is at fault where nothing nearer is. */
static enum status blame_member(const struct input *input, enum status status, struct error *err)
{
	if (status != STATUS_OK && status != STATUS_OUT_OF_MEMORY && err != NULL &&
	    !err->has_pointer) {
		err->has_pointer = true;
		snprintf(err->pointer, sizeof(err->pointer), "%s/%s", input->at,
			 input->globs ? "files" : "file");
	}
	return status;
}

enum status file_source_open(const struct input *input, const struct input_context *context,
			     struct source **out, struct error *err)
{
	struct file_source *source;
	uint64_t effort = FILE_GLOB_EFFORT;
	enum status status = STATUS_OK;
	size_t i;

	if (context->files == NULL) {
		fail(err, STATUS_PATH_FORBIDDEN, "no file may be read: there is no root");
		return blame_member(input, STATUS_PATH_FORBIDDEN, err);
	}
	source = calloc(1, sizeof(*source));
	if (source == NULL)
		return no_memory(err);
	source->fd = -1;
	source->access = context->files;
	source->base.read = files_read;
	source->base.verify = files_verify;
	source->base.rewind = files_rewind;
	source->base.close = files_close;
	for (i = 0; i < input->path_count && status == STATUS_OK; i++)
		status = add_path(source, input->paths[i], input, context, &effort, err);
	if (status == STATUS_OK)
		status = join(source, context->job, err);
	if (status == STATUS_OK)
		status = make_key(source, err);
	if (status != STATUS_OK) {
		files_close(&source->base);
		return blame_member(input, status, err);
	}
	if (source->count == 1)
		tell_only(source);
	*out = &source->base;
	return STATUS_OK;
}
