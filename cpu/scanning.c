/* scanning.c - scans: every element fed gives one of the result, in stored
 * order. */
#include "config.h"
#include "cpu/stream.h"

#include <stdlib.h>
#include "cpu/scan.h"
#include "cpu/walk.h"
#include "engine/order.h"

struct scanning {
	struct scan_args args;
	size_t state_size;
	char *states; /* one for each open line */
	struct stage stage;
	char *out; /* results of one piece */

	/* Adjacent lines: where the open one begins and ends. */
	uint64_t number;
	uint64_t first, end; /* stored positions; end: ARRAY_UNKNOWN */

	struct walk walk; /* the others */
};

static char *state_of(const struct scanning *scanning, uint64_t line)
{
	return scanning->states + line * scanning->state_size;
}

static void begin_all(struct stream *stream)
{
	struct scanning *scanning = stream->state;
	uint64_t lines = stream->plan->layout.adjacent ? 1 : stream->plan->layout.live_lines;

	for (uint64_t i = 0; i < lines; i++)
		scan_init(state_of(scanning, i), &scanning->args);
}

/* The first prefix out of range: say where in the array it is. */
static enum status locate(const struct stream *stream, enum status status, uint64_t position,
			  struct error *err)
{
	if (status == STATUS_INTEGER_OVERFLOW && err != NULL) {
		err->has_index = true;
		err->index = layout_c_index(&stream->plan->input, position);
	}
	return status;
}

static void open_line(struct stream *stream, uint64_t number, uint64_t first)
{
	struct scanning *scanning = stream->state;
	const struct plan *plan = stream->plan;
	uint64_t length = plan->layout.line_length;

	if (plan->layout.segmented) {
		const int64_t *offsets = plan->job->offsets;

		length = number < plan->job->segment_count
				 ? (uint64_t)(offsets[number + 1] - offsets[number])
				 : 0;
	}
	scanning->number = number;
	scanning->first = first;
	scanning->end = length == ARRAY_UNKNOWN ? ARRAY_UNKNOWN : first + length;
	begin_all(stream);
}

static enum status scan_adjacent(struct stream *stream, const struct staged *staged,
				 struct error *err)
{
	struct scanning *scanning = stream->state;
	enum status status =
		scan_feed(scanning->states, &scanning->args, staged->x[scanning->args.domain],
			  staged->count, scanning->out, 1, err);

	if (status == STATUS_INTEGER_OVERFLOW && err != NULL)
		return locate(stream, status, scanning->first + err->index, err);
	return status;
}

static enum status scan_row(struct stream *stream, const struct walk_piece *piece,
			    const struct staged *staged, uint64_t position, struct error *err)
{
	struct scanning *scanning = stream->state;
	size_t size = dtype_size(scanning->args.result);
	const char *x = staged->x[scanning->args.domain];
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < piece->count && status == STATUS_OK; i++) {
		status = scan_feed(state_of(scanning, piece->line + i), &scanning->args,
				   x + i * sizeof(uint64_t), 1, scanning->out + i * size, 1, err);
		status = locate(stream, status, position + i, err);
	}
	if (status == STATUS_OK && piece->last)
		begin_all(stream);
	return status;
}

/* One piece of at most a tile: *count elements become how many it took. */
static enum status take(struct stream *stream, const void *x, uint64_t position, uint64_t *count,
			struct error *err)
{
	struct scanning *scanning = stream->state;
	const struct plan *plan = stream->plan;
	struct walk_piece piece = {.count = *count};
	struct nan_watch watch = {0};
	struct staged staged;
	enum status status;

	if (!plan->layout.adjacent)
		walk_next(&scanning->walk, *count, &piece);
	else if (piece.count > scanning->end - position)
		piece.count = scanning->end - position;
	*count = piece.count;
	stage_fill(&scanning->stage, plan, x, NULL, piece.count, &staged);
	nan_watch_look(&watch, plan, position, &staged);
	status = stream_note_nan(stream, &watch, err);
	if (status != STATUS_OK)
		return status;
	status = plan->layout.adjacent ? scan_adjacent(stream, &staged, err)
				       : scan_row(stream, &piece, &staged, position, err);
	if (status != STATUS_OK)
		return status;
	stream->result->count += piece.count;
	if (scanning->args.omit)
		stream->result->count -= staged.nans;
	return spool_write(stream->result->ops[0].data, scanning->out,
			   piece.count * dtype_size(scanning->args.result), err);
}

static enum status feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			struct error *err)
{
	struct scanning *scanning = stream->state;
	const struct plan *plan = stream->plan;
	size_t size = dtype_size(plan->input.dtype);
	const char *next = x;
	uint64_t position = stream->position;
	enum status status = STATUS_OK;

	(void)y;
	while (count > 0 && status == STATUS_OK) {
		uint64_t took = count < ORDER_TILE ? count : ORDER_TILE;

		if (plan->layout.segmented && scanning->number == plan->job->segment_count)
			return fail_at(err, STATUS_BAD_VALUE, "/segments",
				       "segments end at %llu, but the array has more elements",
				       (unsigned long long)position);
		if (plan->layout.adjacent && position == scanning->end) {
			open_line(stream, scanning->number + 1, position);
			continue;
		}
		status = take(stream, next, position, &took, err);
		position += took;
		count -= took;
		next += took * size;
	}
	return status;
}

static enum status finish(struct stream *stream, struct error *err)
{
	const struct plan *plan = stream->plan;

	if (plan->layout.segmented &&
	    stream->position != (uint64_t)plan->job->offsets[plan->job->segment_count])
		return fail_at(err, STATUS_BAD_VALUE, "/segments",
			       "segments end at %lld, but the array has %llu elements",
			       (long long)plan->job->offsets[plan->job->segment_count],
			       (unsigned long long)stream->position);
	if (stream->result->ndim == 1)
		stream->result->shape[0] = stream->position;
	return STATUS_OK;
}

static void close_scanning(struct stream *stream)
{
	struct scanning *scanning = stream->state;

	stage_deinit(&scanning->stage);
	free(scanning->states);
	free(scanning->out);
	free(scanning);
}

static enum status open_scanning(struct stream *stream, struct error *err)
{
	const struct plan *plan = stream->plan;
	const struct plan_op *op = &plan->ops[0];
	uint64_t lines = plan->layout.adjacent ? 1 : plan->layout.live_lines;
	struct scanning *scanning = calloc(1, sizeof(*scanning));
	enum status status;

	if (scanning == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a scan");
	stream->state = scanning;
	scanning->args = (struct scan_args){
		.op = op->spec.op,
		.domain = plan->accums[op->accum].domain,
		.result = op->result,
		.exact = op->combine == COMBINE_SUPERACCUMULATOR,
		.omit = plan->job->nan == NAN_OMIT && dtype_is_float(plan->input.dtype),
		.exclusive = plan->job->exclusive,
		.overflow = plan->job->overflow,
	};
	walk_init(&scanning->walk, &plan->layout);
	scanning->state_size = scan_state_size(&scanning->args);
	scanning->states = malloc(lines * scanning->state_size + 1);
	scanning->out = malloc(ORDER_TILE * sizeof(uint64_t));
	if (scanning->states == NULL || scanning->out == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a scan of %llu lines",
			      (unsigned long long)lines);
	else
		status = stage_init(&scanning->stage, plan, err);
	if (status != STATUS_OK) {
		close_scanning(stream);
		return status;
	}
	open_line(stream, 0, 0);
	return STATUS_OK;
}

const struct stream_way scanning_way = {open_scanning, feed, finish, close_scanning};
