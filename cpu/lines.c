/* lines.c - reductions of lines whose elements are adjacent: the whole array,
 * segments, a last axis. Cuts what is fed into lines, and lines into whole
 * tiles, however the pieces fall. */
#include "config.h"
#include "cpu/stream.h"

#include <stdlib.h>
#include <string.h>
#include "cpu/line.h"
#include "engine/order.h"
#include "engine/partial.h"

struct lines {
	struct line *line;
	struct emit emit;

	uint64_t number; /* of the open line */
	uint64_t length; /* its elements; ARRAY_UNKNOWN: as many as come */
	uint64_t taken;  /* of them seen, those that wait included */

	char *tile_x, *tile_y; /* elements that wait for the rest of their tile */
	uint64_t waiting;
	uint64_t waiting_position; /* stored, of the first */
};

static uint64_t length_of(const struct plan *plan, uint64_t number)
{
	const int64_t *offsets = plan->job->offsets;

	if (!plan->layout.segmented)
		return plan->layout.line_length;
	if (number >= plan->layout.lines)
		return ARRAY_UNKNOWN; /* feed() refuses what comes */
	return (uint64_t)(offsets[number + 1] - offsets[number]);
}

static void begin(struct stream *stream, uint64_t number)
{
	struct lines *lines = stream->state;

	lines->number = number;
	lines->length = length_of(stream->plan, number);
	lines->taken = 0;
	line_begin(lines->line);
}

static enum status flush(struct lines *lines, struct error *err)
{
	uint64_t count = lines->waiting;

	lines->waiting = 0;
	return line_add(lines->line, lines->tile_x, lines->tile_y, count, lines->waiting_position,
			err);
}

/* The open line is complete. */
static enum status end(struct stream *stream, struct error *err)
{
	struct lines *lines = stream->state;
	struct line_total total;
	enum status status = STATUS_OK;

	if (lines->waiting > 0)
		status = flush(lines, err);
	if (status != STATUS_OK)
		return status;
	line_end(lines->line, &total);
	status = emit_line(&lines->emit, total.values, total.count, total.length, err);
	if (status == STATUS_OK && stream->plan->job->partial) /* of one line */
		status = partial_create(stream->plan, total.values, total.count, total.length,
					&stream->result->partial, err);
	if (status == STATUS_OK)
		begin(stream, lines->number + 1);
	return status;
}

/* Up to count elements of the open line; *took is how many. */
static enum status take(struct stream *stream, const char *x, const char *y, uint64_t count,
			uint64_t position, uint64_t *took, struct error *err)
{
	struct lines *lines = stream->state;
	size_t size = dtype_size(stream->plan->input.dtype);
	uint64_t room = lines->length - lines->taken;
	uint64_t n = count < room ? count : room;

	if (lines->waiting == 0 && (n == room || n >= ORDER_TILE)) {
		if (n != room)
			n -= n % ORDER_TILE;
		*took = n;
		lines->taken += n;
		return line_add(lines->line, x, y, n, position, err);
	}
	if (n > ORDER_TILE - lines->waiting)
		n = ORDER_TILE - lines->waiting;
	if (lines->waiting == 0)
		lines->waiting_position = position;
	memcpy(lines->tile_x + lines->waiting * size, x, n * size);
	if (y != NULL)
		memcpy(lines->tile_y + lines->waiting * size, y, n * size);
	lines->waiting += n;
	lines->taken += n;
	*took = n;
	return lines->waiting == ORDER_TILE ? flush(lines, err) : STATUS_OK;
}

static enum status feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			struct error *err)
{
	struct lines *lines = stream->state;
	const struct plan *plan = stream->plan;
	size_t size = dtype_size(plan->input.dtype);
	const char *next_x = x, *next_y = y;
	uint64_t position = stream->position;
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		uint64_t took = 0;

		if (plan->layout.segmented && lines->number == plan->layout.lines)
			return fail_at(err, STATUS_BAD_VALUE, "/segments",
				       "segments end at %llu, but the array has more elements",
				       (unsigned long long)position);
		if (lines->taken == lines->length) {
			status = end(stream, err);
			continue;
		}
		status = take(stream, next_x, next_y, count, position, &took, err);
		position += took;
		count -= took;
		next_x += took * size;
		if (next_y != NULL)
			next_y += took * size;
	}
	return status;
}

static enum status finish(struct stream *stream, struct error *err)
{
	struct lines *lines = stream->state;
	const struct layout *layout = &stream->plan->layout;
	enum status status = STATUS_OK;

	if (layout->lines == ARRAY_UNKNOWN) { /* axis [] of a stream */
		if (lines->taken > 0)
			status = end(stream, err);
		stream->result->shape[0] = lines->emit.lines;
	}
	while (layout->lines != ARRAY_UNKNOWN && lines->number < layout->lines &&
	       status == STATUS_OK) {
		if (lines->length != ARRAY_UNKNOWN && lines->taken != lines->length)
			return fail_at(err, STATUS_BAD_VALUE, "/segments",
				       "the array ends in the middle of segment %llu",
				       (unsigned long long)lines->number);
		status = end(stream, err);
	}
	return status == STATUS_OK ? emit_finish(&lines->emit, err) : status;
}

static void close_lines(struct stream *stream)
{
	struct lines *lines = stream->state;

	line_close(lines->line);
	emit_deinit(&lines->emit);
	free(lines->tile_x);
	free(lines->tile_y);
	free(lines);
}

static enum status open_lines(struct stream *stream, struct error *err)
{
	const struct plan *plan = stream->plan;
	size_t size = ORDER_TILE * dtype_size(plan->input.dtype);
	struct lines *lines = calloc(1, sizeof(*lines));
	enum status status;

	if (lines == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a stream");
	stream->state = lines;
	lines->tile_x = malloc(size);
	if (plan->pair)
		lines->tile_y = malloc(size);
	if (lines->tile_x == NULL || (plan->pair && lines->tile_y == NULL))
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a tile");
	else
		status = emit_init(&lines->emit, plan, stream->result, err);
	if (status == STATUS_OK)
		status = line_open(stream, &lines->line, err);
	if (status != STATUS_OK) {
		close_lines(stream);
		return status;
	}
	begin(stream, 0);
	return STATUS_OK;
}

const struct stream_way lines_way = {open_lines, feed, finish, close_lines};
