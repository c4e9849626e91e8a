#include "config.h"
#include "cpu/line.h"

#include <stdatomic.h>
#include <stdlib.h>
#include "engine/order.h"
#include "engine/tree.h"

/* Tiles given to the team at a time: their values are combined before the next. */
#define BATCH_TILES 512u
/* Fewer tiles are not worth waking the team (chosen: 16 tiles of float32 take
 * about 20 us, a wake-up about 5). */
#define TEAM_TILES 16u

struct line_accum {
	const struct accum_class *class;
	struct accum_args args;
	uint32_t offset;  /* in a tile's values or in a worker's */
	void *value;      /* the line's, at its end; of a free one all the time */
	struct tree tree; /* of an ordered one */
};

/* Free accumulators add up in each worker's own values; worker 0 uses the
 * line's. */
struct worker {
	struct stage stage;
	char *values;
	bool used;
	uint64_t nans;
	struct nan_watch watch;
};

struct line {
	struct stream *stream;
	unsigned accum_count;
	struct line_accum *accums;
	void **values;
	unsigned worker_count;
	struct worker *workers;

	uint64_t length, nans; /* so far */

	uint32_t tile_bytes; /* values of ordered accumulators for one tile */
	uint32_t free_bytes; /* of free ones */
	char *batch;         /* tile_bytes for each tile of a batch */
};

struct batch {
	struct line *line;
	const char *x, *y;
	uint64_t count;    /* elements */
	uint64_t position; /* stored, of x[0] */
	uint64_t in_line;  /* of x[0] */
	atomic_uint_fast64_t next;
};

static void *free_value(const struct line *line, unsigned worker, unsigned i)
{
	const struct line_accum *accum = &line->accums[i];

	return worker == 0 ? accum->value : line->workers[worker].values + accum->offset;
}

static void begin_free(struct line *line, unsigned worker)
{
	for (unsigned i = 0; i < line->accum_count; i++)
		if (!line->accums[i].class->ordered)
			line->accums[i].class->init(free_value(line, worker, i));
}

void line_begin(struct line *line)
{
	line->length = line->nans = 0;
	begin_free(line, 0);
	for (unsigned i = 0; i < line->accum_count; i++)
		if (line->accums[i].class->ordered)
			tree_reset(&line->accums[i].tree);
}

/* One tile of a batch; values of ordered accumulators go to out. */
static void take_tile(const struct batch *batch, unsigned worker_index, uint64_t first,
		      uint64_t count, char *out)
{
	struct line *line = batch->line;
	struct worker *worker = &line->workers[worker_index];
	const struct plan *plan = line->stream->plan;
	size_t size = dtype_size(plan->input.dtype);
	struct staged staged;

	stage_fill(&worker->stage, plan, batch->x + first * size,
		   batch->y != NULL ? batch->y + first * size : NULL, count, &staged);
	worker->nans += staged.nans;
	nan_watch_look(&worker->watch, plan, batch->position + first, &staged);
	for (unsigned i = 0; i < line->accum_count; i++) {
		const struct line_accum *accum = &line->accums[i];
		const struct tile tile = {
			.x = staged.x[accum->args.domain],
			.y = staged.y[accum->args.domain],
			.count = count,
			.position = batch->in_line + first,
			.nans = staged.nans,
		};
		void *value = accum->class->ordered ? out + accum->offset
						    : free_value(line, worker_index, i);

		accum->class->tile(value, &tile, &accum->args);
	}
}

static void work(void *context, unsigned worker)
{
	struct batch *batch = context;
	struct line *line = batch->line;

	if (worker != 0 && !line->workers[worker].used)
		begin_free(line, worker);
	line->workers[worker].used = true;
	for (;;) {
		uint64_t tile = atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed);
		uint64_t first = tile * ORDER_TILE;
		uint64_t left;

		if (first >= batch->count)
			break;
		left = batch->count - first;
		take_tile(batch, worker, first, left < ORDER_TILE ? left : ORDER_TILE,
			  line->batch + tile * line->tile_bytes);
	}
}

/* What the workers found goes to the line. */
static enum status collect(struct line *line, struct error *err)
{
	struct nan_watch watch = {0};

	for (unsigned w = 0; w < line->worker_count; w++) {
		struct worker *worker = &line->workers[w];

		if (!worker->used)
			continue;
		for (unsigned i = 0; w != 0 && i < line->accum_count; i++)
			if (!line->accums[i].class->ordered)
				line->accums[i].class->combine(line->accums[i].value,
							       free_value(line, w, i));
		line->nans += worker->nans;
		nan_watch_merge(&watch, &worker->watch);
		worker->nans = 0;
		worker->watch = (struct nan_watch){0};
		worker->used = false;
	}
	return stream_note_nan(line->stream, &watch, err);
}

static enum status push_tiles(struct line *line, uint64_t tiles, struct error *err)
{
	for (unsigned i = 0; i < line->accum_count; i++) {
		struct line_accum *accum = &line->accums[i];

		for (uint64_t t = 0; accum->class->ordered && t < tiles; t++) {
			const char *value = line->batch + t * line->tile_bytes + accum->offset;
			enum status status = tree_push(&accum->tree, value, err);

			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

enum status line_add(struct line *line, const void *x, const void *y, uint64_t count,
		     uint64_t position, struct error *err)
{
	size_t size = dtype_size(line->stream->plan->input.dtype);
	const char *next_x = x, *next_y = y;

	while (count > 0) {
		uint64_t piece =
			count < BATCH_TILES * ORDER_TILE ? count : BATCH_TILES * ORDER_TILE;
		uint64_t tiles = (piece + ORDER_TILE - 1) / ORDER_TILE;
		struct batch batch = {
			.line = line,
			.x = next_x,
			.y = next_y,
			.count = piece,
			.position = position,
			.in_line = line->length,
		};
		enum status status;

		if (tiles < TEAM_TILES)
			work(&batch, 0);
		else
			team_run(line->stream->team, work, &batch);
		status = push_tiles(line, tiles, err);
		if (status == STATUS_OK)
			status = collect(line, err);
		if (status != STATUS_OK)
			return status;
		line->length += piece;
		position += piece;
		count -= piece;
		next_x += piece * size;
		if (next_y != NULL)
			next_y += piece * size;
	}
	return STATUS_OK;
}

void line_end(struct line *line, struct line_total *out)
{
	for (unsigned i = 0; i < line->accum_count; i++)
		if (line->accums[i].class->ordered)
			tree_finish(&line->accums[i].tree, line->accums[i].value);
	out->length = line->length;
	out->count =
		line->stream->plan->job->nan == NAN_OMIT ? line->length - line->nans : line->length;
	out->values = line->values;
}

static enum status open_accums(struct line *line, struct error *err)
{
	const struct plan *plan = line->stream->plan;

	for (unsigned i = 0; i < plan->accum_count; i++) {
		struct line_accum *accum = &line->accums[i];

		accum->class = accum_class(plan->accums[i].accum, plan->accums[i].domain);
		accum->args = stream_accum_args(plan, i);
		accum->value = malloc(accum->class->size);
		if (accum->value == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for accumulators");
		line->values[i] = accum->value;
		if (accum->class->ordered) {
			accum->offset = line->tile_bytes;
			line->tile_bytes += accum->class->size;
			tree_init(&accum->tree, accum->class);
		} else {
			accum->offset = line->free_bytes;
			line->free_bytes += accum->class->size;
		}
		line->accum_count++;
	}
	return STATUS_OK;
}

static enum status open_workers(struct line *line, struct error *err)
{
	const struct plan *plan = line->stream->plan;
	uint64_t tiles = BATCH_TILES;

	/* A line that never fills a batch needs neither its room nor a team. */
	if (plan->layout.line_length < BATCH_TILES * ORDER_TILE && !plan->layout.segmented)
		tiles = plan->layout.line_length / ORDER_TILE + 1;
	line->worker_count = tiles < TEAM_TILES ? 1 : team_size(line->stream->team);
	line->workers = calloc(line->worker_count, sizeof(*line->workers));
	line->batch = malloc(tiles * line->tile_bytes + 1);
	if (line->workers == NULL || line->batch == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for workers");
	for (unsigned w = 0; w < line->worker_count; w++) {
		enum status status = stage_init(&line->workers[w].stage, plan, err);

		if (status != STATUS_OK)
			return status;
		if (w == 0)
			continue;
		line->workers[w].values = malloc(line->free_bytes + 1);
		if (line->workers[w].values == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for workers");
	}
	return STATUS_OK;
}

enum status line_open(struct stream *stream, struct line **out, struct error *err)
{
	struct line *line = calloc(1, sizeof(*line));
	enum status status = STATUS_OK;

	if (line == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a line");
	line->stream = stream;
	line->accums = calloc(stream->plan->accum_count + 1, sizeof(*line->accums));
	line->values = calloc(stream->plan->accum_count + 1, sizeof(*line->values));
	if (line->accums == NULL || line->values == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a line");
	if (status == STATUS_OK)
		status = open_accums(line, err);
	if (status == STATUS_OK)
		status = open_workers(line, err);
	if (status != STATUS_OK) {
		line_close(line);
		return status;
	}
	*out = line;
	return STATUS_OK;
}

void line_close(struct line *line)
{
	if (line == NULL)
		return;
	for (unsigned i = 0; i < line->accum_count; i++) {
		free(line->accums[i].value);
		if (line->accums[i].class->ordered)
			tree_deinit(&line->accums[i].tree);
	}
	for (unsigned w = 0; line->workers != NULL && w < line->worker_count; w++) {
		stage_deinit(&line->workers[w].stage);
		free(line->workers[w].values);
	}
	free(line->workers);
	free(line->accums);
	free(line->values);
	free(line->batch);
	free(line);
}
