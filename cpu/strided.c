/* strided.c - reductions of lines whose elements are not adjacent: many lines
 * are open at a time, each a column of what is fed. */
#include "config.h"
#include "cpu/stream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/block.h"

/* A block of fewer elements is not worth waking the team (as in line.c). */
#define TEAM_ELEMENTS (64u * ORDER_TILE)
/* Lines are shared out in multiples of as many: whole cache lines of any type,
 * and of the values. */
#define SHARE_LINES 64u
/* Shares for each worker, so that a late one does not keep the others waiting. */
#define SHARES 4u

struct strided {
	struct walk walk;
	struct emit emit;
	unsigned accum_count;
	struct planes *planes;
	unsigned worker_count;
	struct block_worker *workers;
	const void *values[JOB_MAX_OPS]; /* of PLANES_END lines */
	uint32_t sizes[JOB_MAX_OPS];
	uint64_t counts[PLANES_END];
	uint64_t *nans; /* of each open line; NULL unless they are left out */
	uint64_t done;  /* lines emitted */
};

/* A block shared by the team. */
struct sharing {
	struct strided *strided;
	struct block block;
	uint64_t share; /* lines taken at a time */
	atomic_uint_fast64_t next;
};

static void begin(struct stream *stream)
{
	struct strided *strided = stream->state;

	if (strided->nans != NULL)
		memset(strided->nans, 0, stream->plan->layout.live_lines * sizeof(*strided->nans));
}

/* The open lines are complete. */
static enum status end(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct layout *layout = &stream->plan->layout;
	struct emit_lines some = {
		.values = strided->values,
		.sizes = strided->sizes,
		.counts = strided->counts,
		.length = layout->line_length,
	};

	for (uint64_t line = 0; line < layout->live_lines; line += some.lines) {
		uint64_t left = layout->live_lines - line;
		enum status status;

		some.lines = left < PLANES_END ? left : PLANES_END;
		for (unsigned i = 0; i < strided->accum_count; i++)
			strided->values[i] = planes_end(&strided->planes[i], line, some.lines,
							layout->line_length);
		for (uint64_t l = 0; l < some.lines; l++) {
			strided->counts[l] = layout->line_length;
			if (strided->nans != NULL)
				strided->counts[l] -= strided->nans[line + l];
		}
		status = emit_lines(&strided->emit, &some, err);
		if (status != STATUS_OK)
			return status;
	}
	strided->done += layout->live_lines;
	begin(stream);
	return STATUS_OK;
}

static void work(void *context, unsigned worker)
{
	struct sharing *sharing = context;
	uint64_t lines = sharing->block.shape.lines, share = sharing->share;

	for (;;) {
		uint64_t first =
			atomic_fetch_add_explicit(&sharing->next, share, memory_order_relaxed);

		if (first >= lines)
			break;
		block_add(&sharing->strided->workers[worker], &sharing->block, first,
			  lines - first < share ? lines - first : share);
	}
}

static uint64_t share_of(const struct strided *strided, uint64_t lines)
{
	uint64_t share = lines / (strided->worker_count * SHARES) / SHARE_LINES * SHARE_LINES;

	return share > 0 ? share : SHARE_LINES;
}

static enum status add_block(struct stream *stream, const struct block *block, struct error *err)
{
	struct strided *strided = stream->state;
	const struct walk_block *shape = &block->shape;
	bool alone = shape->lines * shape->length < TEAM_ELEMENTS || block_is_thin(block);
	struct sharing sharing = {.strided = strided, .block = *block};
	struct nan_watch watch = {0};

	for (unsigned i = 0; i < strided->accum_count; i++) {
		enum status status =
			planes_reserve(&strided->planes[i], shape->position + shape->length, err);

		if (status != STATUS_OK)
			return status;
	}
	sharing.share = alone ? shape->lines : share_of(strided, shape->lines);
	if (alone)
		work(&sharing, 0);
	else
		team_run(stream->team, work, &sharing);
	for (unsigned w = 0; w < strided->worker_count; w++) {
		nan_watch_merge(&watch, &strided->workers[w].watch);
		strided->workers[w].watch = (struct nan_watch){0};
	}
	return stream_note_nan(stream, &watch, err);
}

static enum status feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			struct error *err)
{
	struct strided *strided = stream->state;
	size_t size = dtype_size(stream->plan->input.dtype);
	struct block block = {
		.plan = stream->plan,
		.planes = strided->planes,
		.nans = strided->nans,
		.x = x,
		.y = y,
		.position = stream->position,
	};
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		uint64_t elements;

		walk_block(&strided->walk, count, &block.shape);
		status = add_block(stream, &block, err);
		if (status == STATUS_OK && block.shape.last)
			status = end(stream, err);
		elements = block.shape.lines * block.shape.length;
		count -= elements;
		block.position += elements;
		block.x = (const char *)block.x + elements * size;
		if (y != NULL)
			block.y = (const char *)block.y + elements * size;
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
	free(strided->nans);
	for (unsigned w = 0; strided->workers != NULL && w < strided->worker_count; w++)
		block_worker_deinit(&strided->workers[w]);
	free(strided->workers);
	emit_deinit(&strided->emit);
	free(strided);
}

static enum status open_planes(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct plan *plan = stream->plan;

	strided->planes = calloc(plan->accum_count + 1, sizeof(*strided->planes));
	if (plan->job->nan == NAN_OMIT && dtype_is_float(plan->input.dtype))
		strided->nans = calloc(plan->layout.live_lines + 1, sizeof(*strided->nans));
	if (strided->planes == NULL || (plan->job->nan == NAN_OMIT &&
					dtype_is_float(plan->input.dtype) && strided->nans == NULL))
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
		strided->sizes[i] = strided->planes[i].class->size;
		strided->accum_count++;
	}
	return STATUS_OK;
}

static enum status open_workers(struct stream *stream, struct error *err)
{
	struct strided *strided = stream->state;
	const struct layout *layout = &stream->plan->layout;
	unsigned count = team_size(stream->team);
	uint64_t open;

	/* Few lines or elements are never shared out. */
	if (layout->live_lines < BLOCK_THIN ||
	    (!__builtin_mul_overflow(layout->live_lines, layout->line_length, &open) &&
	     open < TEAM_ELEMENTS))
		count = 1;
	strided->workers = calloc(count, sizeof(*strided->workers));
	if (strided->workers == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for workers");
	for (unsigned w = 0; w < count; w++) {
		enum status status =
			block_worker_init(&strided->workers[w], stream->plan, strided->planes, err);

		if (status != STATUS_OK)
			return status;
		strided->worker_count++;
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
	status = emit_init(&strided->emit, stream->plan, stream->result, err);
	if (status == STATUS_OK)
		status = open_planes(stream, err);
	if (status == STATUS_OK)
		status = open_workers(stream, err);
	if (status != STATUS_OK) {
		close_strided(stream);
		return status;
	}
	begin(stream);
	return STATUS_OK;
}

const struct stream_way strided_way = {open_strided, feed, finish, close_strided};
