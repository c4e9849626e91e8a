#include "config.h"
#include "proto/request_output.h"
#include "engine/disk.h"

#include <string.h>

enum status output_start(struct request_job *job, const struct file_access *files, bool overwrite,
			 struct error *err)
{
	enum status status;
	int fd;

	if (files == NULL)
		return fail_at(err, STATUS_PATH_FORBIDDEN, "/output",
			       "no file may be written: there is no root");
	status = files->output_open(files->context, job->path, overwrite, &job->file, &fd, err);
	if (status != STATUS_OK) {
		job->file = NULL;
		if (err != NULL && !err->has_pointer && status != STATUS_OUT_OF_MEMORY) {
			err->has_pointer = true;
			strcpy(err->pointer, "/output");
		}
		return status;
	}
	job->access = files;
	job->fd = fd;
	job->task->output_fd = fd;
	/* how many axes the result has is known later */
	job->task->output_reserve = npy_header_room(ARRAY_MAX_NDIM);
	return STATUS_OK;
}

void output_drop(struct request_job *job)
{
	if (job->file != NULL)
		job->access->output_discard(job->file);
	job->file = NULL;
	job->task->output_fd = -1;
}

static enum status write_at(int fd, uint64_t offset, const void *bytes, size_t size,
			    struct error *err)
{
	return disk_write(fd, offset, bytes, size, "the output file", err);
}

/* .npy has no null: it is NaN where the type has one. */
static enum status write_nulls(const struct request_job *job, const struct result_op *op,
			       struct error *err)
{
	const uint16_t nan16 = 0x7e00, nan_brain = 0x7fc0;
	const size_t size = dtype_size(op->dtype);
	const uint64_t count = spool_size(op->nulls);
	const float nan32 = __builtin_nanf("");
	const double nan64 = __builtin_nan("");
	const void *nan = op->dtype == DTYPE_FLOAT64    ? (const void *)&nan64
			  : op->dtype == DTYPE_FLOAT32  ? (const void *)&nan32
			  : op->dtype == DTYPE_BFLOAT16 ? (const void *)&nan_brain
							: (const void *)&nan16;
	enum status status = STATUS_OK;
	uint64_t i;

	for (i = 0; i < count && status == STATUS_OK; i++) {
		unsigned char null = 0;

		status = spool_read(op->nulls, i, &null, 1, err);
		if (status == STATUS_OK && null != 0 && !dtype_is_float(op->dtype))
			return fail_at(err, STATUS_BAD_JOB,
				       job->task->job.partial ? "/partial" : "/empty",
				       "a .npy file of %s cannot hold null", dtype_name(op->dtype));
		if (status == STATUS_OK && null != 0)
			status = write_at(job->fd, job->task->output_reserve + i * size, nan, size,
					  err);
	}
	return status;
}

static enum status write_header(const struct request_job *job, struct error *err)
{
	const struct result *result = job->task->result;
	const size_t room = (size_t)job->task->output_reserve;
	struct array_desc desc = {.dtype = result->ops[0].dtype, .ndim = result->ndim};
	char header[1024]; /* more than the room of any array */

	desc.fortran = result->fortran && result->ndim > 1;
	memcpy(desc.shape, result->shape, result->ndim * sizeof(desc.shape[0]));
	npy_header_write(header, room, &desc);
	return write_at(job->fd, 0, header, room, err);
}

void output_finish(struct request_job *job)
{
	struct task *task = job->task;
	struct error err = {0};
	enum status status = task->error.status;

	if (status != STATUS_OK || task->result == NULL) {
		output_drop(job);
		return;
	}
	if (task->result->ops[0].nulls != NULL)
		status = write_nulls(job, &task->result->ops[0], &err);
	if (status == STATUS_OK)
		status = write_header(job, &err);
	if (status == STATUS_OK) {
		status = job->access->output_commit(job->file, &err);
		job->file = NULL;
	}
	if (status != STATUS_OK) {
		output_drop(job);
		task_refuse(task, &err);
	}
}
