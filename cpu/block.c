#include "config.h"
#include "cpu/block.h"

#include <stdlib.h>
#include <string.h>
#include "cpu/by_line.h"
#include "cpu/panels.h"
#include "engine/order.h"

/* Elements of a line that are worth being brought side by side (chosen). */
#define LINE_ELEMENTS 64u
#define ALIGNMENT 64u

static uint32_t work_room(const struct accum_class *class)
{
	return (class->work_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void begin_works(const struct block_worker *worker, const struct plan *plan,
			const struct planes *planes)
{
	for (unsigned i = 0; i < plan->accum_count; i++)
		if (planes[i].class->work_end != NULL)
			planes[i].class->work_init(worker->works + worker->work_offset[i]);
}

/* Bytes for elements brought together: of small jobs as few as will do. */
static size_t scratch_size(const struct plan *plan, const struct planes *planes)
{
	for (unsigned i = 0; i < plan->accum_count; i++)
		if (!planes[i].class->ordered && plan->layout.line_length >= LINE_ELEMENTS)
			return BLOCK_SCRATCH;
	return ORDER_TILE * sizeof(uint64_t);
}

enum status block_worker_init(struct block_worker *worker, const struct plan *plan,
			      const struct planes *planes, struct error *err)
{
	size_t scratch = scratch_size(plan, planes);
	uint32_t run = 0, works = ALIGNMENT;
	enum status status;

	memset(worker, 0, sizeof(*worker));
	for (unsigned i = 0; i < plan->accum_count; i++) {
		const struct accum_class *class = planes[i].class;

		if (class->ordered && class->run_size > run)
			run = class->run_size;
		worker->work_offset[i] = works;
		if (class->work_end != NULL)
			works += work_room(class);
	}
	status = stage_init(&worker->stage, plan, err);
	if (status != STATUS_OK)
		return status;
	worker->x = aligned_alloc(ALIGNMENT, scratch);
	worker->y = plan->pair ? aligned_alloc(ALIGNMENT, scratch) : NULL;
	worker->lanes = malloc(BLOCK_LANES * run + 1);
	worker->works = aligned_alloc(ALIGNMENT, works);
	if (worker->x == NULL || (plan->pair && worker->y == NULL) || worker->lanes == NULL ||
	    worker->works == NULL) {
		block_worker_deinit(worker);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for workers");
	}
	begin_works(worker, plan, planes);
	return STATUS_OK;
}

void block_worker_deinit(struct block_worker *worker)
{
	stage_deinit(&worker->stage);
	free(worker->x);
	free(worker->y);
	free(worker->lanes);
	free(worker->works);
	memset(worker, 0, sizeof(*worker));
}

/* Of element `at` of a line, from the block's first. */
static uint64_t offset_of(const struct block *block, uint64_t line, uint64_t at)
{
	const struct walk_block *shape = &block->shape;

	return shape->row ? at * shape->lines + line : line * shape->length + at;
}

const void *block_element(const struct block *block, const void *of, uint64_t line, uint64_t at)
{
	size_t size = dtype_size(block->plan->input.dtype);

	return of == NULL ? NULL : (const char *)of + offset_of(block, line, at) * size;
}

void block_note_nan(struct block_worker *worker, const struct block *block, uint64_t line,
		    uint64_t at)
{
	const struct plan *plan = block->plan;
	struct nan_watch found = {true, block->position + offset_of(block, line, at)};

	if (block->nans != NULL)
		block->nans[block->shape.line + line]++;
	if (plan->job->nan != NAN_ERROR)
		return;
	if (plan->input.fortran)
		found.index = layout_c_index(&plan->input, found.index);
	nan_watch_merge(&worker->watch, &found);
}

bool block_is_thin(const struct block *block)
{
	return block->shape.lines < BLOCK_THIN;
}

bool block_by_line(const struct block *block, const struct accum_class *class)
{
	if (class->ordered || block->shape.length < LINE_ELEMENTS)
		return false;
	return !block->shape.row || class->rows == NULL || block_is_thin(block);
}

void block_add(struct block_worker *worker, const struct block *block, uint64_t first,
	       uint64_t count)
{
	unsigned by_line = 0;

	for (unsigned i = 0; i < block->plan->accum_count; i++)
		by_line += block_by_line(block, block->planes[i].class);
	/* Either finds all NaNs: they are counted once. */
	if (by_line < block->plan->accum_count || by_line == 0)
		panels_add(worker, block, first, count);
	if (by_line > 0)
		by_line_add(worker, block, first, count, by_line == block->plan->accum_count);
}
