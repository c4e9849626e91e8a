#include "config.h"
#include "cpu/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status emit_init(struct emit *emit, const struct plan *plan, struct result *result,
		      struct error *err)
{
	memset(emit, 0, sizeof(*emit));
	emit->plan = plan;
	emit->result = result;
	for (unsigned i = 0; i <= plan->op_count; i++) {
		struct emit_column *column = i < plan->op_count ? &emit->ops[i] : &emit->counts;

		column->buffer = malloc(EMIT_BUFFER);
		if (column->buffer == NULL) {
			emit_deinit(emit);
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for results");
		}
	}
	return STATUS_OK;
}

void emit_deinit(struct emit *emit)
{
	for (unsigned i = 0; i < JOB_MAX_OPS; i++)
		free(emit->ops[i].buffer);
	free(emit->counts.buffer);
	memset(emit, 0, sizeof(*emit));
}

static enum status flush(struct emit_column *column, struct spool *spool, struct error *err)
{
	enum status status = spool_write(spool, column->buffer, column->used, err);

	column->used = 0;
	return status;
}

static enum status put(struct emit_column *column, struct spool *spool, const void *element,
		       uint32_t size, struct error *err)
{
	enum status status = STATUS_OK;

	if (column->used + size > EMIT_BUFFER)
		status = flush(column, spool, err);
	memcpy(column->buffer + column->used, element, size);
	column->used += size;
	return status;
}

/* Mark the line that comes next as null. The spool of nulls is made when the
 * first one is met: most jobs have none. */
static enum status put_null(struct emit *emit, unsigned i, bool null, struct error *err)
{
	struct result_op *op = &emit->result->ops[i];
	const struct spool_config config = {.memory = 1u << 20, .limit = UINT64_MAX};
	static const char zeros[256];
	char byte = null;

	if (op->nulls == NULL && !null)
		return STATUS_OK;
	if (op->nulls == NULL) {
		op->nulls = spool_create(&config);
		if (op->nulls == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for results");
		for (uint64_t left = emit->lines; left > 0;) {
			uint64_t piece = left < sizeof(zeros) ? left : sizeof(zeros);
			enum status status = spool_write(op->nulls, zeros, piece, err);

			if (status != STATUS_OK)
				return status;
			left -= piece;
		}
	}
	return spool_write(op->nulls, &byte, 1, err);
}

/* Say which line failed, where there are several. */
static void name_line(const struct emit *emit, struct error *err)
{
	size_t used;

	if (err == NULL || emit->plan->layout.scalar)
		return;
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, " (in %s %llu)",
		 emit->plan->layout.segmented ? "segment" : "line",
		 (unsigned long long)emit->lines);
}

static enum status emit_op(struct emit *emit, unsigned i, const void *value, uint64_t count,
			   uint64_t length, struct error *err)
{
	const struct finish_args args = plan_finish_args(emit->plan, i);
	uint64_t element = 0;
	bool null = false;
	enum status status = finish_value(&args, value, count, length, &element, err);

	if (status == STATUS_EMPTY_INPUT && emit->plan->job->empty_null) {
		null = true;
		status = STATUS_OK;
	} else if (status != STATUS_OK) {
		name_line(emit, err);
		return status;
	}
	status = put_null(emit, i, null, err);
	if (status != STATUS_OK)
		return status;
	return put(&emit->ops[i], emit->result->ops[i].data, &element,
		   (uint32_t)dtype_size(args.result), err);
}

enum status emit_line(struct emit *emit, void *const *values, uint64_t count, uint64_t length,
		      struct error *err)
{
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < emit->plan->op_count && status == STATUS_OK; i++) {
		const struct plan_op *op = &emit->plan->ops[i];
		const void *value = op->spec.op == OP_COUNT ? NULL : values[op->accum];

		status = emit_op(emit, i, value, count, length, err);
	}
	if (status == STATUS_OK && emit->result->counts != NULL)
		status = put(&emit->counts, emit->result->counts, &count, sizeof(count), err);
	emit->result->count += count;
	emit->lines++;
	return status;
}

enum status emit_finish(struct emit *emit, struct error *err)
{
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < emit->plan->op_count && status == STATUS_OK; i++)
		status = flush(&emit->ops[i], emit->result->ops[i].data, err);
	if (status == STATUS_OK && emit->result->counts != NULL)
		status = flush(&emit->counts, emit->result->counts, err);
	return status;
}
