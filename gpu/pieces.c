#include "config.h"
#include "gpu/pieces.h"

#include <stdlib.h>
#include <string.h>
#include "engine/combine.h"
#include "engine/emit.h"
#include "engine/order.h"
#include "engine/partial.h"
#include "engine/tree.h"
#include "gpu/fault.h"
#include "gpu/feeder.h"
#include "gpu/part.h"

#define PIECE ((uint64_t)ORDER_TILE * ORDER_TILE) /* elements */
#define SLOTS 2u

/* Where a piece is gathered and computed. */
struct slot {
	struct queue *queue;
	struct feeder x, y;
	struct work work;
	struct part part;
	bool computing;
	uint64_t position; /* of its first element in the line */
	uint64_t count;    /* elements that came */
	struct pinned *values;
};

/* One accumulator of the pieces that are done. */
struct total {
	const struct accum_class *class;
	struct tree tree; /* of an ordered one */
	char *value;      /* of a free one; of an ordered one at the end */
	bool any;
};

struct pieces {
	struct device *device;
	const struct plan *plan;
	struct result *result;
	struct slot slots[SLOTS];
	unsigned at;     /* the slot being filled */
	uint64_t count;  /* elements that came */
	uint64_t nans;   /* nan: omit */
	unsigned totals; /* opened */
	struct total total[JOB_MAX_OPS];
};

bool pieces_serve(const struct plan *plan, uint64_t count)
{
	const bool mapped = plan->input.fortran && plan->input.ndim > 1;

	return plan->job->kind == JOB_REDUCE && plan->layout.scalar && !plan->layout.segmented &&
	       !plan->gather && !mapped && (count == ARRAY_UNKNOWN || count > SLOTS * PIECE);
}

static struct geometry geometry_of(uint64_t count)
{
	return (struct geometry){
		.kind = GEOMETRY_LINES,
		.as.lines = {.lines = 1, .length = count, .elements = count},
		.count = 1,
		.length = count,
		.step = 1,
	};
}

uint64_t pieces_memory(const struct plan *plan)
{
	const struct geometry geometry = geometry_of(PIECE);
	const uint64_t arrays = plan->pair ? 2 : 1;

	return SLOTS * (PIECE * dtype_size(plan->input.dtype) * arrays +
			reduce_memory(plan, &geometry, PIECE));
}

/* --- opening --------------------------------------------------------------------- */

static enum status open_slot(struct pieces *pieces, struct slot *slot, struct error *err)
{
	uint64_t bytes = PIECE * dtype_size(pieces->plan->input.dtype), count;
	enum status status = queue_take(pieces->device, &slot->queue, err);

	if (status != STATUS_OK)
		return status;
	array_count(&pieces->plan->input, &count, NULL);
	if (count == ARRAY_UNKNOWN)
		bytes = UINT64_MAX; /* it may be short */
	feeder_init(&slot->x, pieces->device, slot->queue, bytes);
	feeder_init(&slot->y, pieces->device, slot->queue, bytes);
	slot->work = (struct work){
		.device = pieces->device,
		.queue = slot->queue,
		.plan = pieces->plan,
		.result = pieces->result,
		.count = PIECE,
		.geometry = geometry_of(PIECE),
	};
	part_init(&slot->part, &slot->work);
	return STATUS_OK;
}

static enum status open_totals(struct pieces *pieces, struct error *err)
{
	const struct plan *plan = pieces->plan;

	for (unsigned i = 0; i < plan->accum_count; i++) {
		struct total *total = &pieces->total[i];

		total->class = accum_class(plan->accums[i].accum, plan->accums[i].domain);
		if (total->class->ordered)
			tree_init(&total->tree, total->class);
		total->value = malloc(total->class->size);
		pieces->totals++;
		if (total->value == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a total");
		total->class->init(total->value);
	}
	return STATUS_OK;
}

enum status pieces_open(struct device *device, const struct plan *plan, struct result *result,
			struct pieces **out, struct error *err)
{
	struct pieces *pieces = calloc(1, sizeof(*pieces));
	enum status status;

	if (pieces == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a stream");
	pieces->device = device;
	pieces->plan = plan;
	pieces->result = result;
	status = open_totals(pieces, err);
	for (unsigned i = 0; i < SLOTS && status == STATUS_OK; i++)
		status = open_slot(pieces, &pieces->slots[i], err);
	if (status != STATUS_OK) {
		pieces_close(pieces);
		return status;
	}
	*out = pieces;
	return STATUS_OK;
}

static void close_slot(struct pieces *pieces, struct slot *slot)
{
	if (slot->queue == NULL)
		return;
	(void)queue_wait(pieces->device, slot->queue, NULL);
	pinned_give(pieces->device, slot->values);
	part_deinit(&slot->part);
	buffer_release(pieces->device, slot->queue, &slot->work.scratch);
	buffer_release(pieces->device, slot->queue, &slot->work.wide);
	feeder_deinit(&slot->x);
	feeder_deinit(&slot->y);
	queue_give(pieces->device, slot->queue);
}

void pieces_close(struct pieces *pieces)
{
	if (pieces == NULL)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		close_slot(pieces, &pieces->slots[i]);
	for (unsigned i = 0; i < pieces->totals; i++) {
		if (pieces->total[i].class->ordered)
			tree_deinit(&pieces->total[i].tree);
		free(pieces->total[i].value);
	}
	free(pieces);
}

/* --- one piece --------------------------------------------------------------------- */

static bool is_extreme(enum accum accum)
{
	return accum == ACCUM_MIN || accum == ACCUM_MAX || accum == ACCUM_MAX_ABS;
}

static enum status add_value(struct pieces *pieces, unsigned i, void *value, uint64_t position,
			     struct error *err)
{
	struct total *total = &pieces->total[i];

	if (total->class->ordered)
		return tree_push(&total->tree, value, total->class->size, 1, err);
	if (is_extreme(pieces->plan->accums[i].accum))
		((struct extreme *)value)->index += position;
	total->class->combine(total->value, value);
	return STATUS_OK;
}

/* Wait for the slot's piece and add its values to the totals: pieces are collected in
 * their order, for each slot is filled in turn. */
static enum status collect(struct pieces *pieces, struct slot *slot, struct error *err)
{
	const struct plan *plan = pieces->plan;
	void *values[JOB_MAX_OPS];
	enum status status;

	if (!slot->computing)
		return STATUS_OK;
	status = queue_wait(pieces->device, slot->queue, err);
	slot->computing = false;
	if (status != STATUS_OK)
		return status;
	for (unsigned i = 0; i < plan->accum_count; i++)
		values[i] = (char *)slot->values->data + slot->part.offsets[i];
	part_normalize(plan, values, 1);
	if (work_omits(plan))
		pieces->nans +=
			((const struct nan_found *)((char *)slot->values->data + slot->part.nans))
				->count;
	for (unsigned i = 0; i < plan->accum_count && status == STATUS_OK; i++)
		status = add_value(pieces, i, values[i], slot->position, err);
	feeder_restart(&slot->x);
	feeder_restart(&slot->y);
	slot->count = 0;
	return status;
}

static enum status check_nan(struct pieces *pieces, struct slot *slot, struct error *err)
{
	uint64_t nan;
	enum status status = work_first_nan(&slot->work, &nan, err);

	if (status != STATUS_OK || nan == UINT64_MAX)
		return status;
	/* The pieces before it have none. */
	return work_fail_nan(pieces->plan, slot->position + nan, err);
}

static enum status fetch(struct pieces *pieces, struct slot *slot, struct error *err)
{
	const uint64_t bytes = slot->part.bytes;
	enum status status = STATUS_OK;

	if (slot->values == NULL)
		status = pinned_take(pieces->device, bytes > 0 ? bytes : 1, &slot->values, err);
	if (status != STATUS_OK || bytes == 0)
		return status;
	return cuda_status(pieces->device,
			   cudaMemcpyAsync(slot->values->data, slot->part.values.data, bytes,
					   cudaMemcpyDeviceToHost, slot->queue->stream),
			   "cudaMemcpyAsync", err);
}

/* The slot's piece is whole: compute it, and fill the other slot meanwhile. */
static enum status compute(struct pieces *pieces, struct slot *slot, struct error *err)
{
	enum status status = feeder_flush(&slot->x, err);

	if (status == STATUS_OK)
		status = feeder_flush(&slot->y, err);
	if (status == STATUS_OK)
		status = fault_compute(pieces->device, slot->queue, err);
	slot->work.x = slot->x.buffer.data;
	slot->work.y = pieces->plan->pair ? slot->y.buffer.data : NULL;
	slot->work.count = slot->count;
	slot->work.geometry = geometry_of(slot->count);
	slot->work.widened = false;
	if (status == STATUS_OK)
		status = check_nan(pieces, slot, err);
	if (status == STATUS_OK)
		status = part_compute(&slot->part, 0, 1, err);
	if (status == STATUS_OK)
		status = fetch(pieces, slot, err);
	slot->computing = status == STATUS_OK;
	pieces->at = (pieces->at + 1) % SLOTS;
	return status;
}

/* --- the stream ---------------------------------------------------------------------- */

enum status pieces_feed(struct pieces *pieces, const void *x, const void *y, uint64_t count,
			struct error *err)
{
	const size_t size = dtype_size(pieces->plan->input.dtype);
	const char *next_x = x, *next_y = y;
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		struct slot *slot = &pieces->slots[pieces->at];
		uint64_t room, some;

		status = collect(pieces, slot, err);
		if (status != STATUS_OK)
			return status;
		if (slot->count == 0)
			slot->position = pieces->count;
		room = PIECE - slot->count;
		some = count < room ? count : room;
		status = feeder_add(&slot->x, next_x, some * size, err);
		if (status == STATUS_OK && y != NULL)
			status = feeder_add(&slot->y, next_y, some * size, err);
		slot->count += some;
		pieces->count += some;
		if (status == STATUS_OK && slot->count == PIECE)
			status = compute(pieces, slot, err);
		next_x += some * size;
		next_y = y != NULL ? next_y + some * size : NULL;
		count -= some;
	}
	return status;
}

static enum status emit_totals(struct pieces *pieces, struct error *err)
{
	const uint64_t count = pieces->count - pieces->nans;
	struct emit emit;
	void *values[JOB_MAX_OPS];
	enum status status = emit_init(&emit, pieces->plan, pieces->result, err);

	if (status != STATUS_OK)
		return status;
	for (unsigned i = 0; i < pieces->totals; i++) {
		values[i] = pieces->total[i].value;
		if (pieces->total[i].class->ordered)
			tree_finish(&pieces->total[i].tree, values[i]);
	}
	status = emit_line(&emit, values, count, pieces->count, err);
	if (status == STATUS_OK && pieces->plan->job->partial)
		status = partial_create(pieces->plan, values, count, pieces->count,
					&pieces->result->partial, err);
	if (status == STATUS_OK)
		status = emit_finish(&emit, err);
	emit_deinit(&emit);
	return status;
}

enum status pieces_finish(struct pieces *pieces, struct error *err)
{
	struct slot *last = &pieces->slots[pieces->at];
	struct slot *before = &pieces->slots[(pieces->at + 1) % SLOTS];
	enum status status = STATUS_OK;

	if (last->computing) /* nothing came after the last whole piece */
		status = collect(pieces, last, err);
	else if (last->count > 0)
		status = compute(pieces, last, err);
	if (status == STATUS_OK)
		status = collect(pieces, before, err);
	if (status == STATUS_OK)
		status = collect(pieces, last, err);
	return status == STATUS_OK ? emit_totals(pieces, err) : status;
}
