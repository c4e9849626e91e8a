#include "config.h"
#include "tests/unit/cpu/harness.h"

#include <stdlib.h>
#include <string.h>
#include "engine/round.h"

struct engine *harness_engine(unsigned threads)
{
	struct engine_config config = {.threads = threads};
	struct engine *engine = NULL;

	limits_default(&config.limits);
	if (engine_create(&config, &engine, NULL) != STATUS_OK)
		abort();
	return engine;
}

uint64_t harness_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static double from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double random_f64(enum harness_data kind, uint64_t *state, enum dtype dtype)
{
	uint64_t r = harness_random(state);
	double sign = (r & 1) != 0 ? -1 : 1;
	double unit = (double)(r >> 11) * 0x1p-53;

	switch (kind) {
	case DATA_CONSTANT:
		return 6715266981.538051;
	case DATA_WIDE:
		if (dtype == DTYPE_FLOAT64) {
			uint64_t exponent = 1 + harness_random(state) % 2045;

			return from_bits((r & 0x800fffffffffffffu) | exponent << 52);
		}
		return sign * (1 + unit) *
		       from_bits((1023 - 120 + harness_random(state) % 240) << 52);
	case DATA_ZEROS:
		if ((r & 6) != 0)
			return sign * 0.0;
		return sign * unit * (dtype == DTYPE_FLOAT64 ? 0x1p-1025 : 0x1p-128);
	case DATA_SPECIAL:
		if (r % 97 == 0)
			return from_bits(0x7ff8000000000000u);
		if (r % 89 == 0)
			return sign * from_bits(0x7ff0000000000000u);
		break;
	default:
		break;
	}
	return sign * unit;
}

void *harness_data(enum dtype dtype, uint64_t count, enum harness_data kind, uint64_t seed)
{
	size_t size = dtype_size(dtype);
	unsigned char *data = malloc(count * size + 1);

	if (data == NULL)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		if (dtype_is_float(dtype)) {
			round_f64(random_f64(kind, &seed, dtype), dtype, data + i * size);
		} else {
			uint64_t r = harness_random(&seed);

			if (kind == DATA_CONSTANT)
				r = 113;
			else if (kind != DATA_WIDE)
				r = (uint64_t)((int64_t)(r % 7) -
					       (dtype_class(dtype) == DTYPE_CLASS_INT ? 3 : 0));
			memcpy(data + i * size, &r, size);
		}
	}
	return data;
}

struct job harness_job(enum job_kind kind, const char *op, enum determinism determinism)
{
	struct job job = {.kind = kind, .op_count = 1, .determinism = determinism};

	if (op_parse(op, &job.ops[0].spec, NULL) != STATUS_OK)
		abort();
	return job;
}

static void *copy(const void *data, uint64_t size)
{
	void *out = malloc(size + 1);

	if (out == NULL)
		abort();
	memcpy(out, data, size);
	return out;
}

static void push_pieces(struct engine *engine, struct task *task, const struct array_desc *desc,
			const unsigned char *bytes, uint64_t size, uint64_t seed)
{
	task_begin(engine, task, desc, false);
	while (size > 0) {
		/* Pieces of 1 byte to 256 KiB, all orders of magnitude alike. */
		uint64_t most = 1ull << harness_random(&seed) % 19;
		uint64_t piece = 1 + harness_random(&seed) % most;

		piece = piece < size ? piece : size;
		task_push(task, bytes, piece);
		bytes += piece;
		size -= piece;
	}
	task_end(task);
}

struct outcome harness_run(struct engine *engine, const struct job *job,
			   const struct array_desc *desc, const void *x, const void *y,
			   uint64_t seed)
{
	struct task *task = task_create();
	struct outcome out = {0};
	uint64_t count, size;

	array_count(desc, &count, NULL);
	size = count * dtype_size(desc->dtype);
	task->job = *job;
	if (job->has_segments)
		task->job.offsets =
			copy(job->offsets, (job->segment_count + 1) * sizeof(*job->offsets));
	if (y != NULL)
		task->y = source_from_memory(desc, copy(y, size));
	if (seed == 0) {
		task->x = source_from_memory(desc, copy(x, size));
		task_run(engine, task);
	} else {
		push_pieces(engine, task, desc, x, size, seed);
	}

	out.status = task->error.status;
	out.index = task->error.index;
	if (out.status == STATUS_OK) {
		struct spool *data = task->result->ops[0].data;

		out.dtype = task->result->ops[0].dtype;
		out.count = task->result->count;
		out.size = spool_size(data);
		out.bytes = malloc(out.size + 1);
		if (out.bytes == NULL ||
		    spool_read(data, 0, out.bytes, out.size, NULL) != STATUS_OK)
			abort();
	}
	task_destroy(task);
	return out;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->bytes);
	outcome->bytes = NULL;
}

bool outcome_equal(const struct outcome *a, const struct outcome *b)
{
	return a->status == b->status && a->index == b->index && a->count == b->count &&
	       a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}
