/* panels.c - lines of a block as panels: many lines side by side, a row with an
 * element of each. Where there are few but long lines, their runs stand side by
 * side. */
#include "config.h"
#include "cpu/panels.h"

#include <string.h>
#include "cpu/simd.h"

/* Rows of a panel: lane r * lines + l of row i is element at + r * ORDER_RUN + i
 * of line first + l. More runs than one only of ORDER_RUN rows. */
struct part {
	uint64_t first, lines;
	uint64_t at, rows;
	uint64_t runs;
	int64_t next; /* as in struct panel */
};

#define COPY(BITS)                                                                                \
	static void copy_##BITS(uint##BITS##_t *out, uint64_t out_step, const uint##BITS##_t *in, \
				uint64_t in_step, uint64_t rows, uint64_t columns)                \
	{                                                                                         \
		for (uint64_t r = 0; r < rows; r++)                                               \
			for (uint64_t c = 0; c < columns; c++)                                    \
				out[r * out_step + c] = in[r * in_step + c];                      \
	}

COPY(8)
COPY(16)
COPY(32)
COPY(64)

/* Rows of elements; a call of memcpy() is worth it for long ones only. */
static void copy_rows(size_t size, void *out, uint64_t out_step, const void *in, uint64_t in_step,
		      uint64_t rows, uint64_t columns)
{
	if (columns * size >= 64)
		for (uint64_t r = 0; r < rows; r++)
			memcpy((char *)out + r * out_step * size,
			       (const char *)in + r * in_step * size, columns * size);
	else if (size == 1)
		copy_8(out, out_step, in, in_step, rows, columns);
	else if (size == 2)
		copy_16(out, out_step, in, in_step, rows, columns);
	else if (size == 4)
		copy_32(out, out_step, in, in_step, rows, columns);
	else
		copy_64(out, out_step, in, in_step, rows, columns);
}

/* The part's elements of x or y, row behind row: where they are, or in out. */
static const void *bring(const struct block *block, const struct part *part, const void *of,
			 void *out)
{
	size_t size = dtype_size(block->plan->input.dtype);
	uint64_t width = part->lines * part->runs;

	if (of == NULL)
		return NULL;
	if (block->shape.row && width == block->shape.lines)
		return block_element(block, of, part->first, part->at);
	for (uint64_t r = 0; r < part->runs; r++) {
		const void *from = block_element(block, of, part->first, part->at + r * ORDER_RUN);
		char *to = (char *)out + r * part->lines * size;

		if (block->shape.row)
			copy_rows(size, to, width, from, block->shape.lines, part->rows,
				  part->lines);
		else
			simd_kernels()->turn(size, to, width, from, block->shape.length,
					     part->lines, part->rows);
	}
	return out;
}

static void look_for_nans(struct block_worker *worker, const struct block *block,
			  const struct part *part, const struct staged *staged)
{
	uint64_t width = part->lines * part->runs;

	if (staged->nans == 0)
		return;
	for (uint64_t i = stage_next_nan(staged, 0); i < staged->count;
	     i = stage_next_nan(staged, i + 1)) {
		uint64_t lane = i % width;

		block_note_nan(worker, block, part->first + lane % part->lines,
			       part->at + i / width + lane / part->lines * ORDER_RUN);
	}
}

static void add_panel(struct block_worker *worker, const struct block *block,
		      const struct part *part, struct staged *staged, uint64_t stride)
{
	const struct walk_block *shape = &block->shape;
	bool omit = block->plan->job->nan == NAN_OMIT && staged->nans > 0;

	for (unsigned i = 0; i < block->plan->accum_count; i++) {
		struct planes *planes = &block->planes[i];
		bool f32 = staged->x_f32 != NULL && planes->class->rows_f32 != NULL;
		struct panel panel = {
			.lines = part->lines * part->runs,
			.rows = part->rows,
			.stride = stride,
			.position = shape->position + part->at,
			.next = part->next,
		};

		if (block_by_line(block, planes->class))
			continue;
		if (!f32)
			stage_widen(&worker->stage, staged);
		panel.x = f32 ? (const void *)staged->x_f32 : staged->x[planes->args.domain];
		panel.y = f32 ? (const void *)staged->y_f32 : staged->y[planes->args.domain];
		if (part->runs > 1)
			planes_add_runs(planes, shape->line, part->lines, part->runs,
					panel.position / ORDER_RUN, &panel, f32, omit,
					worker->lanes);
		else
			planes_add(planes, shape->line + part->first, &panel, f32, omit);
	}
}

/* A part of at most ORDER_TILE elements. */
static void add_staged(struct block_worker *worker, const struct block *block,
		       const struct part *part)
{
	uint64_t width = part->lines * part->runs;
	struct staged staged;

	stage_view(&worker->stage, block->plan, bring(block, part, block->x, worker->x),
		   bring(block, part, block->y, worker->y), width * part->rows, &staged);
	look_for_nans(worker, block, part, &staged);
	add_panel(worker, block, part, &staged, width);
}

/* Whether kernels may read the elements where and as they are. */
static bool is_direct(const struct block *block)
{
	enum dtype dtype = block->plan->input.dtype;

	if (!block->shape.row || block->plan->job->nan != NAN_PROPAGATE)
		return false;
	for (unsigned i = 0; i < block->plan->accum_count; i++) {
		const struct planes *planes = &block->planes[i];

		if (block_by_line(block, planes->class))
			continue;
		if (dtype == DTYPE_FLOAT32
			    ? planes->class->rows_f32 == NULL
			    : dtype_size(dtype) != 8 || planes->args.domain != dtype_domain(dtype))
			return false;
	}
	return true;
}

static void add_direct(struct block_worker *worker, const struct block *block,
		       const struct part *part)
{
	enum dtype dtype = block->plan->input.dtype;
	const void *x = block_element(block, block->x, part->first, part->at);
	const void *y = block_element(block, block->y, part->first, part->at);
	struct staged staged = {.count = part->lines * part->rows};

	if (dtype == DTYPE_FLOAT32) {
		staged.x_f32 = x;
		staged.y_f32 = y;
	} else {
		staged.x[dtype_domain(dtype)] = x;
		staged.y[dtype_domain(dtype)] = y;
	}
	add_panel(worker, block, part, &staged, block->shape.lines);
}

/* Few lines: whole runs of all of them are lanes. */
static void add_thin(struct block_worker *worker, const struct block *block)
{
	uint64_t lines = block->shape.lines, length = block->shape.length;
	uint64_t most = BLOCK_LANES / lines;
	struct part part = {.lines = lines, .runs = 1};

	while (part.at < length) {
		uint64_t in_run = (block->shape.position + part.at) % ORDER_RUN;
		uint64_t left = length - part.at;

		part.runs = left / ORDER_RUN < most ? left / ORDER_RUN : most;
		part.rows = ORDER_RUN;
		if (in_run != 0 || part.runs == 0) {
			part.runs = 1;
			part.rows = ORDER_RUN - in_run < left ? ORDER_RUN - in_run : left;
		}
		add_staged(worker, block, &part);
		part.at += part.rows * part.runs;
	}
}

/* Elements at to end - 1 of lines that a panel has room for, `most` rows of them
 * at a time. */
static void add_lines(struct block_worker *worker, const struct block *block, struct part part,
		      uint64_t end, uint64_t most, bool direct)
{
	for (; part.at < end; part.at += part.rows) {
		uint64_t in_run = (block->shape.position + part.at) % ORDER_RUN;

		part.rows = end - part.at < most ? end - part.at : most;
		if (part.rows > ORDER_RUN - in_run)
			part.rows = ORDER_RUN - in_run;
		if (direct)
			add_direct(worker, block, &part);
		else
			add_staged(worker, block, &part);
	}
}

/* From a part of the lines first to first + count - 1 that is read where it is
 * to the one behind it: beside it, or in the rows from `end` on. */
static int64_t step_to_next(const struct block *block, const struct part *part, uint64_t first,
			    uint64_t count, uint64_t end)
{
	uint64_t beside = part->first + part->lines;

	if (beside < first + count)
		return (int64_t)part->lines;
	return (int64_t)((end - part->at) * block->shape.lines) - (int64_t)(part->first - first);
}

/* Many lines. All accumulators read the rows of a run while they are in the
 * cache, and memory is read from one end to the other: rows side by side run by
 * run, lines behind one another line by line. */
static void add_wide(struct block_worker *worker, const struct block *block, uint64_t first,
		     uint64_t count)
{
	const struct walk_block *shape = &block->shape;
	bool direct = is_direct(block);
	uint64_t room = shape->row ? BLOCK_LINES : BLOCK_LANES;
	uint64_t width = count < room ? count : room;
	uint64_t most = direct ? ORDER_RUN : ORDER_TILE / width;
	uint64_t end;

	for (uint64_t at = 0; at < shape->length; at = end) {
		uint64_t in_run = (shape->position + at) % ORDER_RUN;

		end = shape->length;
		if (shape->row && end - at > ORDER_RUN - in_run)
			end = at + ORDER_RUN - in_run;
		for (uint64_t line = 0; line < count; line += width) {
			struct part part = {.first = first + line, .at = at, .runs = 1};

			part.lines = count - line < width ? count - line : width;
			if (direct)
				part.next = step_to_next(block, &part, first, count, end);
			add_lines(worker, block, part, end, most, direct);
		}
	}
}

void panels_add(struct block_worker *worker, const struct block *block, uint64_t first,
		uint64_t count)
{
	if (block_is_thin(block) && block->shape.length >= 2 * ORDER_RUN)
		add_thin(worker, block);
	else
		add_wide(worker, block, first, count);
}
