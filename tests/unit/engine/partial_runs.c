#include "config.h"
#include "tests/unit/engine/partial_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/cpu/harness.h"

struct job runs_job(const char *ops, enum determinism determinism)
{
	struct job job = {.kind = JOB_REDUCE, .determinism = determinism};
	char text[512], *rest = text, *name;

	snprintf(text, sizeof(text), "%s", ops);
	while ((name = strtok_r(rest, ",", &rest)) != NULL)
		if (op_parse(name, &job.ops[job.op_count++].spec, NULL) != STATUS_OK)
			abort();
	return job;
}

struct task *runs_reduce(struct engine *engine, const struct job *job,
			 const struct array_desc *desc, const void *x, const void *y, uint64_t seed)
{
	struct task *task = task_create();
	const unsigned char *next = x;
	uint64_t size;

	if (task == NULL || array_count(desc, &size, NULL) != STATUS_OK)
		abort();
	size *= dtype_size(desc->dtype);
	task->job = *job;
	if (y != NULL)
		task->y = source_over_memory(desc, y);
	if (seed == 0) {
		task->x = source_over_memory(desc, x);
		task_run(engine, task);
		return task;
	}
	task_begin(engine, task, desc, false);
	while (size > 0) {
		uint64_t piece = 1 + harness_random(&seed) % 4096;

		piece = piece < size ? piece : size;
		task_push(task, next, piece);
		next += piece;
		size -= piece;
	}
	task_end(task);
	return task;
}

struct bytes runs_encode(const struct partial *partial)
{
	struct bytes out;

	if (partial_encode(partial, &out.data, &out.size, NULL) != STATUS_OK)
		abort();
	return out;
}

struct partial *runs_decode(const struct bytes *bytes)
{
	struct partial *partial;
	struct error err = {0};

	if (partial_decode(bytes->data, bytes->size, &partial, &err) != STATUS_OK) {
		fprintf(stderr, "refused: %s\n", err.text);
		abort();
	}
	return partial;
}

static void read_all(const struct spool *spool, unsigned char *out, uint64_t size)
{
	if (spool_size(spool) != size || spool_read(spool, 0, out, size, NULL) != STATUS_OK)
		abort();
}

static bool is_null(const struct result_op *op)
{
	unsigned char byte = 0;

	if (op->nulls != NULL)
		read_all(op->nulls, &byte, 1);
	return byte != 0;
}

static bool same_op(const struct result_op *a, const struct result_op *b)
{
	unsigned char a_bytes[8] = {0}, b_bytes[8] = {0};

	read_all(a->data, a_bytes, dtype_size(a->dtype));
	read_all(b->data, b_bytes, dtype_size(b->dtype));
	return strcmp(a->key, b->key) == 0 && a->dtype == b->dtype && a->combine == b->combine &&
	       is_null(a) == is_null(b) && memcmp(a_bytes, b_bytes, sizeof(a_bytes)) == 0;
}

static bool same_results(const struct result *a, const struct result *b)
{
	if (a->count != b->count || a->op_count != b->op_count || !a->scalar || !b->scalar)
		return false;
	for (unsigned i = 0; i < a->op_count; i++)
		if (!same_op(&a->ops[i], &b->ops[i])) {
			fprintf(stderr, "%s differs\n", a->ops[i].key);
			return false;
		}
	return true;
}

bool runs_same(const struct error *a_error, const struct result *a, const struct error *b_error,
	       const struct result *b)
{
	if (a_error->status == STATUS_OK && b_error->status == STATUS_OK)
		return same_results(a, b);
	if (a_error->status != b_error->status || strcmp(a_error->text, b_error->text) != 0 ||
	    strcmp(a_error->value, b_error->value) != 0) {
		fprintf(stderr, "%s: %s; %s: %s\n", status_code(a_error->status), a_error->text,
			status_code(b_error->status), b_error->text);
		return false;
	}
	return true;
}
