#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "engine/task.h"
#include "tests/bench/bench_job.h"

enum status bench_job_ops(struct bench_job *job, const char *list, struct error *err)
{
	unsigned count = 0;

	for (;;) {
		size_t length = strcspn(list, ",");
		char name[OP_KEY_SIZE];
		enum status status;

		if (count == JOB_MAX_OPS || length >= sizeof(name))
			return fail(err, STATUS_BAD_VALUE, "too many operations, or too long: %s",
				    list);
		memcpy(name, list, length);
		name[length] = '\0';
		status = op_parse(name, &job->ops[count], err);
		if (status != STATUS_OK)
			return status;
		count++;
		if (list[length] == '\0')
			break;
		list += length + 1;
	}
	job->op_count = count;
	return STATUS_OK;
}

static struct task *make_task(const struct bench_job *job, const struct bench_array *array)
{
	struct task *task = task_create();

	if (task == NULL)
		return NULL;
	task->job.kind = JOB_REDUCE;
	task->job.determinism = job->determinism;
	task->job.backend = BACKEND_CPU;
	task->job.op_count = job->op_count;
	for (unsigned i = 0; i < job->op_count; i++)
		task->job.ops[i].spec = job->ops[i];
	if (job->has_axis) {
		task->job.has_axis = true;
		task->job.axis_count = 1;
		task->job.axes[0] = job->axis;
	}
	task->x = source_over_memory(&array->desc, array->elements);
	if (task->x == NULL) {
		task_destroy(task);
		return NULL;
	}
	return task;
}

/* The elements of a result's spool, which are floats of either size. */
static enum status read_op(const struct result_op *op, double *out, uint64_t *count,
			   struct error *err)
{
	uint64_t size = spool_size(op->data);
	enum status status;

	if (op->dtype != DTYPE_FLOAT32 && op->dtype != DTYPE_FLOAT64)
		return fail(err, STATUS_BAD_DTYPE, "results are %s", dtype_name(op->dtype));
	*count = size / dtype_size(op->dtype);
	status = spool_read(op->data, 0, out, size, err);
	if (status == STATUS_OK && op->dtype == DTYPE_FLOAT32) {
		/* In place, from the last: the doubles overtake the floats. */
		for (uint64_t i = *count; i-- > 0;) {
			float x;

			memcpy(&x, (const char *)out + i * sizeof(x), sizeof(x));
			out[i] = (double)x;
		}
	}
	return status;
}

static enum status read_values(const struct result *result, struct bench_values *out,
			       struct error *err)
{
	uint64_t total = 0, count = 0;
	double *values;

	for (unsigned i = 0; i < result->op_count; i++)
		total += spool_size(result->ops[i].data) / dtype_size(result->ops[i].dtype);
	values = malloc((total + 1) * sizeof(*values));
	if (values == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu results",
			    (unsigned long long)total);
	total = 0;
	for (unsigned i = 0; i < result->op_count; i++) {
		enum status status = read_op(&result->ops[i], values + total, &count, err);

		if (status != STATUS_OK) {
			free(values);
			return status;
		}
		total += count;
	}
	*out = (struct bench_values){values, total};
	return STATUS_OK;
}

enum status bench_job_run(struct engine *engine, const struct bench_job *job,
			  const struct bench_array *array, unsigned runs, double *ns,
			  struct bench_values *out, struct error *err)
{
	struct bench_values values = {0};
	enum status status = STATUS_OK;

	for (unsigned run = 0; status == STATUS_OK && run < runs; run++) {
		uint64_t start = clock_ns();
		struct task *task = make_task(job, array);

		if (task == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a task");
		status = task_run(engine, task);
		ns[run] = (double)(clock_ns() - start);
		if (status != STATUS_OK)
			*err = task->error;
		else if (run + 1 == runs)
			status = read_values(task->result, &values, err);
		task_destroy(task);
	}
	if (status == STATUS_OK)
		*out = values;
	return status;
}
