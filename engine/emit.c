#include "config.h"
#include "engine/emit.h"

#include <math.h>
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

#define EMIT_PLAIN 256u /* lines rounded at a time */

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

/* Mark a line as null or not, the next one of the operation. The spool of nulls is made when the
 * first one is met: most jobs have none. */
static enum status put_null(struct emit *emit, unsigned i, uint64_t line, bool null,
			    struct error *err)
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
		for (uint64_t left = line; left > 0;) {
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
static void name_line(const struct emit *emit, uint64_t line, struct error *err)
{
	size_t used;

	if (emit->plan->layout.scalar)
		return;
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, " (in %s %llu)",
		 emit->plan->layout.segmented ? "segment" : "line", (unsigned long long)line);
}

/* One operation's result of a line. */
static enum status emit_op(struct emit *emit, unsigned i, const struct finish_args *args,
			   const void *value, uint64_t line, uint64_t count, uint64_t length,
			   struct error *err)
{
	uint64_t element = 0;
	bool null = false;
	struct error why;
	enum status status = finish_value(args, value, count, length, &element, &why);

	if (status != STATUS_OK && job_nulls(emit->plan->job, status)) {
		/* err may tell of another operation: it is left alone. */
		null = true;
		status = STATUS_OK;
	} else if (status != STATUS_OK) {
		name_line(emit, line, &why);
		if (err != NULL)
			*err = why;
		return status;
	}
	status = put_null(emit, i, line, null, err);
	if (status != STATUS_OK)
		return status;
	return put(&emit->ops[i], emit->result->ops[i].data, &element,
		   (uint32_t)dtype_size(args->result), err);
}

/* Elements behind one another. */
static enum status put_many(struct emit_column *column, struct spool *spool, const void *elements,
			    uint64_t size, struct error *err)
{
	const char *next = elements;
	enum status status = STATUS_OK;

	while (size > 0 && status == STATUS_OK) {
		uint32_t piece = EMIT_BUFFER - column->used;

		piece = size < piece ? (uint32_t)size : piece;
		memcpy(column->buffer + column->used, next, piece);
		column->used += piece;
		next += piece;
		size -= piece;
		if (column->used == EMIT_BUFFER)
			status = flush(column, spool, err);
	}
	return status;
}

/* The common case, without a call for each line: a double, perhaps divided by
 * the count, and rounded once. */
static bool is_plain(const struct emit *emit, unsigned i, const struct finish_args *args,
		     const struct emit_lines *of)
{
	enum op op = args->spec->op;

	if (args->accum > ACCUM_PROD || emit->result->ops[i].nulls != NULL ||
	    (args->result != DTYPE_FLOAT32 && args->result != DTYPE_FLOAT64) ||
	    (op != OP_SUM && op != OP_MEAN && op != OP_L1 && op != OP_SUMSQ && op != OP_DOT &&
	     op != OP_PROD))
		return false;
	for (uint64_t l = 0; l < of->lines; l++)
		if (of->counts[l] == 0)
			return false;
	return true;
}

static enum status emit_plain(struct emit *emit, unsigned i, const struct finish_args *args,
			      const struct emit_lines *of, uint64_t lines, struct error *err)
{
	const double *values = of->values[emit->plan->ops[i].accum];
	enum status status = STATUS_OK;
	union {
		float f[EMIT_PLAIN];
		double d[EMIT_PLAIN];
	} out;

	for (uint64_t first = 0; first < lines && status == STATUS_OK; first += EMIT_PLAIN) {
		uint64_t count = lines - first < EMIT_PLAIN ? lines - first : EMIT_PLAIN;

		for (uint64_t l = 0; l < count; l++) {
			double value = values[first + l];

			if (args->spec->op == OP_MEAN)
				value /= (double)of->counts[first + l];
			if (isnan(value))
				value = NAN; /* positive, no payload */
			if (args->result == DTYPE_FLOAT32)
				out.f[l] = (float)value;
			else
				out.d[l] = value;
		}
		status = put_many(&emit->ops[i], emit->result->ops[i].data, &out,
				  count * dtype_size(args->result), err);
	}
	return status;
}

/* One operation of lines up to *lines; of one that fails, that becomes the
 * number of lines before it. */
static enum status emit_one(struct emit *emit, unsigned i, const struct emit_lines *of,
			    uint64_t *lines, struct error *err)
{
	const struct plan_op *op = &emit->plan->ops[i];
	const struct finish_args args = plan_finish_args(emit->plan, i);
	const char *values = NULL;
	uint32_t size = 0;

	if (op->spec.op != OP_COUNT) {
		values = of->values[op->accum];
		size = of->sizes[op->accum];
		if (is_plain(emit, i, &args, of))
			return emit_plain(emit, i, &args, of, *lines, err);
	}
	for (uint64_t l = 0; l < *lines; l++) {
		const void *value = values != NULL ? values + l * size : NULL;
		uint64_t length = of->lengths != NULL ? of->lengths[l] : of->length;
		enum status status =
			emit_op(emit, i, &args, value, emit->lines + l, of->counts[l], length, err);

		if (status != STATUS_OK) {
			*lines = l;
			return status;
		}
	}
	return STATUS_OK;
}

/* One operation after another. Where lines fail, the lowest one is named, as if
 * all operations of a line were ended before the next line's: of a later
 * operation only the lines before it matter. */
enum status emit_lines(struct emit *emit, const struct emit_lines *of, struct error *err)
{
	enum status failed = STATUS_OK;
	uint64_t lines = of->lines;

	for (unsigned i = 0; i < emit->plan->op_count; i++) {
		enum status status = emit_one(emit, i, of, &lines, err);

		if (status != STATUS_OK)
			failed = status;
	}
	if (failed == STATUS_OK && emit->result->counts != NULL)
		failed = put_many(&emit->counts, emit->result->counts, of->counts,
				  lines * sizeof(*of->counts), err);
	if (failed != STATUS_OK)
		return failed;
	for (uint64_t l = 0; l < lines; l++)
		emit->result->count += of->counts[l];
	emit->lines += lines;
	return STATUS_OK;
}

enum status emit_line(struct emit *emit, void *const *values, uint64_t count, uint64_t length,
		      struct error *err)
{
	static const uint32_t no_sizes[JOB_MAX_OPS]; /* of one line none is needed */
	const struct emit_lines one = {
		.values = (const void *const *)values,
		.sizes = no_sizes,
		.counts = &count,
		.lines = 1,
		.length = length,
	};

	return emit_lines(emit, &one, err);
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
