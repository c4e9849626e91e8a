/* strided.c - reductions of lines whose elements are not adjacent: many lines
 * are open at a time, each a column of what is fed. */
#include "config.h"
#include "cpu/stream.h"

#include <stdlib.h>
#include <string.h>
#include "cpu/planes.h"
#include "cpu/walk.h"
#include "engine/order.h"

struct strided {
	struct walk walk;
	struct stage stage;
	struct emit emit;
	unsigned accum_count;
	struct planes *planes;
	void **values;
	uint64_t *nans; /* of each open line; NULL unless they are left out */
	uint64_t done;  /* lines emitted */
};

static void begin(struct stream *stream)
{
	struct strided *strided = stream->state;

	for (unsigned i = 0; i < strided->accum_count; i++)
		planes_begin(&strided->planes[i]);
	if (strided->nans != NULL)
		memset(strided->nans, 0, stream->plan->layout.live_lines * sizeof(*strided->nans));
}

/* The open lines are complete. */
static enum status end(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct layout *layout = &stream->plan->layout;

	for (uint64_t line = 0; line < layout->live_lines; line++) {
		uint64_t count = layout->line_length;
		enum status status;

		for (unsigned i = 0; i < strided->accum_count; i++)
			strided->values[i] =
				planes_end(&strided->planes[i], line, layout->line_length);
		if (strided->nans != NULL)
			count -= strided->nans[line];
		status =
			emit_line(&strided->emit, strided->values, count, layout->line_length, err);
		if (status != STATUS_OK)
			return status;
	}
	strided->done += layout->live_lines;
	begin(stream);
	return STATUS_OK;
}

static void count_nans_of(struct strided *strided, const struct walk_piece *piece,
			  const struct staged *staged)
{
	if (strided->nans == NULL || staged->nans == 0)
		return;
	for (uint64_t i = stage_next_nan(staged, 0); i < piece->count;
	     i = stage_next_nan(staged, i + 1))
		strided->nans[piece->line + (piece->row ? i : 0)]++;
}

static enum status take(struct stream *stream, const struct walk_piece *piece, const void *x,
			const void *y, uint64_t position, struct error *err)
{
	struct strided *strided = stream->state;
	struct nan_watch watch = {0};
	struct staged staged;
	enum status status;

	stage_fill(&strided->stage, stream->plan, x, y, piece->count, &staged);
	nan_watch_look(&watch, stream->plan, position, &staged);
	status = stream_note_nan(stream, &watch, err);
	count_nans_of(strided, piece, &staged);
	for (unsigned i = 0; i < strided->accum_count && status == STATUS_OK; i++) {
		struct planes *planes = &strided->planes[i];
		enum domain domain = planes->args.domain;

		if (piece->row)
			status = planes_row(planes, piece->line, piece->count, piece->position,
					    staged.x[domain], staged.y[domain], err);
		else
			status = planes_run(planes, piece->line, piece->count, piece->position,
					    staged.x[domain], staged.y[domain], err);
	}
	if (status == STATUS_OK && piece->last)
		status = end(stream, err);
	return status;
}

static enum status feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			struct error *err)
{
	struct strided *strided = stream->state;
	size_t size = dtype_size(stream->plan->input.dtype);
	const char *next_x = x, *next_y = y;
	uint64_t position = stream->position;
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		struct walk_piece piece;

		walk_next(&strided->walk, count < ORDER_TILE ? count : ORDER_TILE, &piece);
		status = take(stream, &piece, next_x, next_y, position, err);
		count -= piece.count;
		position += piece.count;
		next_x += piece.count * size;
		if (next_y != NULL)
			next_y += piece.count * size;
	}
	return status;
}

/* Lines without elements were never fed. */
static enum status finish(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct layout *layout = &stream->plan->layout;
	enum status status = STATUS_OK;

	while (layout->line_length == 0 && strided->done < layout->lines && status == STATUS_OK)
		status = end(stream, err);
	return status == STATUS_OK ? emit_finish(&strided->emit, err) : status;
}

static void close_strided(struct stream *stream)
{
	struct strided *strided = stream->state;

	for (unsigned i = 0; i < strided->accum_count; i++)
		planes_deinit(&strided->planes[i]);
	free(strided->planes);
	free(strided->values);
	free(strided->nans);
	stage_deinit(&strided->stage);
	emit_deinit(&strided->emit);
	free(strided);
}

static enum status open_planes(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct plan *plan = stream->plan;

	strided->planes = calloc(plan->accum_count + 1, sizeof(*strided->planes));
	strided->values = calloc(plan->accum_count + 1, sizeof(*strided->values));
	if (plan->job->nan == NAN_OMIT && dtype_is_float(plan->input.dtype))
		strided->nans = calloc(plan->layout.live_lines + 1, sizeof(*strided->nans));
	if (strided->planes == NULL || strided->values == NULL ||
	    (plan->job->nan == NAN_OMIT && dtype_is_float(plan->input.dtype) &&
	     strided->nans == NULL))
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu lines",
			    (unsigned long long)plan->layout.live_lines);
	for (unsigned i = 0; i < plan->accum_count; i++) {
		struct accum_args args = stream_accum_args(plan, i);
		enum status status =
			planes_init(&strided->planes[i],
				    accum_class(plan->accums[i].accum, plan->accums[i].domain),
				    &args, plan->layout.live_lines, err);

		if (status != STATUS_OK)
			return status;
		strided->accum_count++;
	}
	return STATUS_OK;
}

static enum status open_strided(struct stream *stream, struct error *err)
{
	struct strided *strided = calloc(1, sizeof(*strided));
	enum status status;

	if (strided == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a stream");
	stream->state = strided;
	walk_init(&strided->walk, &stream->plan->layout);
	status = stage_init(&strided->stage, stream->plan, err);
	if (status == STATUS_OK)
		status = emit_init(&strided->emit, stream->plan, stream->result, err);
	if (status == STATUS_OK)
		status = open_planes(stream, err);
	if (status != STATUS_OK) {
		close_strided(stream);
		return status;
	}
	begin(stream);
	return STATUS_OK;
}

const struct stream_way strided_way = {open_strided, feed, finish, close_strided};
