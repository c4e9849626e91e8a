#include "config.h"
#include "tests/gpu/run_job.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/array_upload.h"
#include "engine/engine.h"
#include "engine/partial.h"
#include "engine/resident_source.h"
#include "tests/unit/cpu/harness.h"

static void *copy(const void *data, uint64_t size)
{
	void *out = malloc(size + 1);

	if (out == NULL)
		abort();
	memcpy(out, data, size);
	return out;
}

static void push(struct engine *engine, struct task *task, const struct random_job *from,
		 uint64_t size)
{
	const unsigned char *bytes = from->x;
	uint64_t seed = from->pieces;

	task_begin(engine, task, &from->desc, false);
	while (size > 0) {
		uint64_t piece = 1 + harness_random(&seed) % (1ull << harness_random(&seed) % 21);

		piece = piece < size ? piece : size;
		task_push(task, bytes, piece);
		bytes += piece;
		size -= piece;
	}
	task_end(task);
}

static void need(enum status status, const struct error *err)
{
	if (status == STATUS_OK)
		return;
	fprintf(stderr, "an array was refused: %s\n", err->text);
	abort();
}

struct resident *put_array(struct engine *engine, const struct array_desc *desc,
			   const void *elements)
{
	static atomic_uint made;
	struct arrays *arrays = engine_arrays(engine);
	struct resident *array;
	struct upload *upload;
	struct error err;
	uint64_t count;
	bool created;
	char name[32];

	array_count(desc, &count, NULL);
	snprintf(name, sizeof(name), "job-%u", atomic_fetch_add(&made, 1));
	need(upload_create(arrays, name, true, &upload, &err), &err);
	need(upload_begin(upload, desc, NULL, &err), &err);
	need(upload_write(upload, elements, count, &err), &err);
	need(upload_end(upload, &err), &err);
	need(upload_commit(upload, &created, &array, &err), &err);
	need(arrays_delete(arrays, name, &err), &err);
	upload_destroy(upload);
	return array;
}

/* The elements as a part of a larger array in the backend's memory: at any
 * alignment, and what lies around them is no number. */
static struct source *resident(struct engine *engine, const struct array_desc *desc,
			       const void *elements)
{
	static atomic_uint made;
	const bool sliced = desc->ndim > 0 && !desc->fortran;
	const size_t size = dtype_size(desc->dtype);
	struct array_desc whole = *desc;
	struct resident *array;
	struct source *source;
	struct error err;
	uint64_t count, wider, before = 0, slice[2] = {0};
	unsigned number = atomic_fetch_add(&made, 1);
	unsigned char *bytes;

	array_count(desc, &count, NULL);
	if (sliced) {
		slice[0] = number % 7;
		slice[1] = slice[0] + desc->shape[0];
		whole.shape[0] = slice[1] + number % 3;
		before = desc->shape[0] > 0 ? slice[0] * (count / desc->shape[0]) : 0;
	}
	array_count(&whole, &wider, NULL);
	bytes = malloc(wider * size + 1);
	if (bytes == NULL)
		abort();
	memset(bytes, 0xff, wider * size);
	memcpy(bytes + before * size, elements, count * size);
	array = put_array(engine, &whole, bytes);
	need(source_from_resident(array, sliced ? slice : NULL, &source, &err), &err);
	resident_release(array); /* the source keeps it */
	free(bytes);
	return source;
}

struct task *run_resident(struct engine *engine, const struct random_job *from)
{
	struct task *task = task_create();

	if (task == NULL)
		abort();
	task->job = from->job;
	task->job.backend = BACKEND_AUTO; /* their home, at any cost */
	if (from->job.has_segments)
		task->job.offsets = copy(from->job.offsets, (from->job.segment_count + 1) *
								    sizeof(*from->job.offsets));
	if (from->y != NULL)
		task->y = resident(engine, &from->desc, from->y);
	task->x = resident(engine, &from->desc, from->x);
	task_run(engine, task);
	return task;
}

struct task *run_job(struct engine *engine, const struct random_job *from,
		     enum backend_choice backend)
{
	uint64_t size = from->count * dtype_size(from->desc.dtype);
	struct task *task = task_create();

	if (task == NULL)
		abort();
	task->job = from->job;
	task->job.backend = backend;
	if (from->job.has_segments)
		task->job.offsets = copy(from->job.offsets, (from->job.segment_count + 1) *
								    sizeof(*from->job.offsets));
	if (from->y != NULL)
		task->y = source_from_memory(&from->desc, copy(from->y, size));
	if (from->pieces != 0) {
		push(engine, task, from, size);
	} else {
		task->x = source_from_memory(&from->desc, copy(from->x, size));
		task_run(engine, task);
	}
	return task;
}

/* --- both are one ------------------------------------------------------------------ */

static bool same_spool(struct spool *a, struct spool *b)
{
	uint64_t size = a != NULL ? spool_size(a) : 0;

	if ((a == NULL) != (b == NULL))
		return false;
	return a == NULL || (size == spool_size(b) &&
			     (size == 0 || memcmp(spool_data(a), spool_data(b), size) == 0));
}

static bool same_partial(const struct partial *a, const struct partial *b)
{
	unsigned char *bytes_a = NULL, *bytes_b = NULL;
	size_t size_a, size_b;
	bool same;

	if (a == NULL || b == NULL)
		return a == b;
	same = partial_encode(a, &bytes_a, &size_a, NULL) == STATUS_OK &&
	       partial_encode(b, &bytes_b, &size_b, NULL) == STATUS_OK && size_a == size_b &&
	       memcmp(bytes_a, bytes_b, size_a) == 0;
	free(bytes_a);
	free(bytes_b);
	return same;
}

const char *task_difference(const struct task *a, const struct task *b)
{
	const struct result *x = a->result, *y = b->result;

	if (a->error.status != b->error.status)
		return "status";
	if (a->error.status != STATUS_OK) {
		if (strcmp(a->error.text, b->error.text) != 0)
			return "error text";
		if (a->error.has_index != b->error.has_index || a->error.index != b->error.index)
			return "error index";
		return strcmp(a->error.value, b->error.value) != 0 ? "error value" : NULL;
	}
	/* Some scans are the CPU's (scan_served() in gpu/kernels/launch.h). */
	if (strncmp(y->backend, "cuda", 4) != 0 && y->kind != JOB_SCAN)
		return "backend";
	if (x->count != y->count || !same_spool(x->counts, y->counts))
		return "counts";
	if (x->ndim != y->ndim || memcmp(x->shape, y->shape, x->ndim * sizeof(x->shape[0])) != 0)
		return "shape";
	for (unsigned i = 0; i < x->op_count; i++) {
		if (x->ops[i].dtype != y->ops[i].dtype)
			return "dtype";
		if (!same_spool(x->ops[i].data, y->ops[i].data))
			return x->ops[i].key;
		if (!same_spool(x->ops[i].nulls, y->ops[i].nulls))
			return "nulls";
	}
	return same_partial(x->partial, y->partial) ? NULL : "partial";
}
