/* by_line.c - free accumulators of lines whose elements are not adjacent: they
 * are brought side by side, and then are tiles. */
#include "config.h"
#include "cpu/by_line.h"

#include "cpu/simd.h"

/* Elements side by side: x, y hold element `at` of the line and those after it. */
struct side {
	const char *x, *y;
	uint64_t line, at, count;
};

static void add_tile(struct block_worker *worker, const struct block *block,
		     const struct side *side, struct staged *staged)
{
	for (unsigned i = 0; i < block->plan->accum_count; i++) {
		struct planes *planes = &block->planes[i];
		const struct accum_class *class = planes->class;
		bool f32 = staged->x_f32 != NULL && class->tile_f32 != NULL;
		struct tile tile = {
			.count = staged->count,
			.position = block->shape.position + side->at,
			.nans = staged->nans,
		};
		void *into;

		if (!block_by_line(block, class))
			continue;
		if (!f32)
			stage_widen(&worker->stage, staged);
		tile.x = f32 ? (const void *)staged->x_f32 : staged->x[planes->args.domain];
		tile.y = f32 ? (const void *)staged->y_f32 : staged->y[planes->args.domain];
		into = planes_free_value(planes, block->shape.line + side->line,
					 tile.position == 0);
		if (class->work_end != NULL)
			into = worker->works + worker->work_offset[i];
		if (f32)
			class->tile_f32(into, &tile, &planes->args);
		else
			class->tile(into, &tile, &planes->args);
	}
}

/* What works kept of the line is added to its values. */
static void end_works(struct block_worker *worker, const struct block *block, uint64_t line)
{
	for (unsigned i = 0; i < block->plan->accum_count; i++) {
		struct planes *planes = &block->planes[i];

		if (block_by_line(block, planes->class) && planes->class->work_end != NULL)
			planes->class->work_end(
				worker->works + worker->work_offset[i],
				planes_free_value(planes, block->shape.line + line, false));
	}
}

static void add_side(struct block_worker *worker, const struct block *block, struct side side,
		     bool find_nans)
{
	size_t size = dtype_size(block->plan->input.dtype);

	while (side.count > 0) {
		uint64_t count = side.count < ORDER_TILE ? side.count : ORDER_TILE;
		struct staged staged;

		stage_view(&worker->stage, block->plan, side.x, side.y, count, &staged);
		if (find_nans && staged.nans > 0)
			for (uint64_t i = stage_next_nan(&staged, 0); i < count;
			     i = stage_next_nan(&staged, i + 1))
				block_note_nan(worker, block, side.line, side.at + i);
		add_tile(worker, block, &side, &staged);
		side.at += count;
		side.count -= count;
		side.x += count * size;
		if (side.y != NULL)
			side.y += count * size;
	}
	end_works(worker, block, side.line);
}

/* Elements from `at` on of neighbouring lines are turned, and then are tiles. */
static void add_turned(struct block_worker *worker, const struct block *block, uint64_t first,
		       uint64_t lines, uint64_t at, uint64_t count, bool find_nans)
{
	size_t size = dtype_size(block->plan->input.dtype);
	uint64_t pitch = BLOCK_SIDE_PITCH(size), step = block->shape.lines;
	const struct kernels *kernels = simd_kernels();

	kernels->turn(size, worker->x, pitch, block_element(block, block->x, first, at), step,
		      count, lines);
	if (block->y != NULL)
		kernels->turn(size, worker->y, pitch, block_element(block, block->y, first, at),
			      step, count, lines);
	for (uint64_t i = 0; i < lines; i++) {
		struct side side = {
			.x = worker->x + i * pitch * size,
			.y = block->y != NULL ? worker->y + i * pitch * size : NULL,
			.line = first + i,
			.at = at,
			.count = count,
		};

		add_side(worker, block, side, find_nans);
	}
}

/* Rows are left only when all lines have been through them: the pages of memory
 * they lie in are as many as the processor can find fast. */
static void add_rows(struct block_worker *worker, const struct block *block, uint64_t first,
		     uint64_t count, bool find_nans)
{
	uint64_t side = BLOCK_SIDE / dtype_size(block->plan->input.dtype);
	uint64_t length = block->shape.length, rows;

	for (uint64_t at = 0; at < length; at += rows) {
		rows = length - at < BLOCK_SIDE_ELEMENTS ? length - at : BLOCK_SIDE_ELEMENTS;
		for (uint64_t i = 0; i < count; i += side)
			add_turned(worker, block, first + i, count - i < side ? count - i : side,
				   at, rows, find_nans);
	}
}

void by_line_add(struct block_worker *worker, const struct block *block, uint64_t first,
		 uint64_t count, bool find_nans)
{
	if (block->shape.row) {
		add_rows(worker, block, first, count, find_nans);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		const struct side side = {
			.x = block_element(block, block->x, first + i, 0),
			.y = block_element(block, block->y, first + i, 0),
			.line = first + i,
			.count = block->shape.length,
		};

		add_side(worker, block, side, find_nans);
	}
}
