#include "config.h"
#include "cpu/line.h"

#include <stdatomic.h>
#include <stdlib.h>
#include "engine/order.h"
#include "engine/tree.h"

/* Tiles given to the team at a time: their values are combined before the next.
 * The last worker to end is waited for, so batches are long. */
#define BATCH_TILES 4096u
/* Tiles that a worker takes at a time, in one place of memory. */
#define CHUNK_TILES 64u
/* Fewer tiles are not worth waking the team (chosen: 16 tiles of float32 take
 * about 10 us, a wake-up about 5). */
#define TEAM_TILES 64u
#define CACHE_LINE 64u

struct line_accum {
	const struct accum_class *class;
	struct accum_args args;
	uint32_t offset;       /* of an ordered one in a tile's values, of a free one
				* in a worker's works */
	void *value;           /* the line's, at its end */
	struct tree tree;      /* of an ordered one */
	unsigned pass, passes; /* of a tile's: the first, and how many */
};

struct worker {
	struct stage stage;
	char *works; /* of the free accumulators; begun when `used` */
	bool used;   /* in the open line */
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

	/* Tiles have sums in common (struct tile_shared). */
	bool share, share_squares;
	unsigned passes; /* over a tile, of all accumulators */

	uint64_t length, nans; /* so far */

	uint32_t tile_bytes; /* values of ordered accumulators for one tile */
	uint32_t work_bytes; /* works of free ones */
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

static uint32_t work_size(const struct accum_class *class)
{
	return class->work_end != NULL ? class->work_size : class->size;
}

static void begin_works(struct line *line, struct worker *worker)
{
	for (unsigned i = 0; i < line->accum_count; i++) {
		const struct line_accum *accum = &line->accums[i];
		const struct accum_class *class = accum->class;

		if (class->ordered)
			continue;
		if (class->work_end != NULL)
			class->work_init(worker->works + accum->offset);
		else
			class->init(worker->works + accum->offset);
	}
	worker->used = true;
}

/* What a worker kept is added to the line's values. */
static void end_works(struct line *line, struct worker *worker)
{
	for (unsigned i = 0; i < line->accum_count; i++) {
		const struct line_accum *accum = &line->accums[i];
		const struct accum_class *class = accum->class;

		if (class->ordered)
			continue;
		if (class->work_end != NULL)
			class->work_end(worker->works + accum->offset, accum->value);
		else
			class->combine(accum->value, worker->works + accum->offset);
	}
	worker->used = false;
}

void line_begin(struct line *line)
{
	line->length = line->nans = 0;
	for (unsigned w = 0; w < line->worker_count; w++)
		line->workers[w].used = false;
	for (unsigned i = 0; i < line->accum_count; i++) {
		struct line_accum *accum = &line->accums[i];

		if (accum->class->ordered)
			tree_reset(&accum->tree);
		else
			accum->class->init(accum->value);
	}
}

/* Where tiles take longer than memory brings them, each pass over one fetches its
 * share of the next, of which `next` bytes are in the batch. */
static void fetch_ahead(struct tile *tile, const struct line *line, const struct line_accum *accum,
			const char *next_tile, uint64_t next)
{
	uint64_t share;

	if (line->accum_count == 1 && !accum->class->lingers)
		return;
	share = (next / line->passes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	tile->ahead = next_tile + accum->pass * share;
	tile->ahead_bytes = accum->passes * share;
}

/* One tile of a batch; values of ordered accumulators go to out. Of the tile
 * after it `ahead` bytes are in the batch. */
static void take_tile(const struct batch *batch, struct worker *worker, uint64_t first,
		      uint64_t count, uint64_t ahead, char *out)
{
	struct line *line = batch->line;
	const struct plan *plan = line->stream->plan;
	size_t size = dtype_size(plan->input.dtype);
	const char *x = batch->x + first * size;
	struct tile_shared shared = {.squares = line->share_squares};
	struct staged staged;

	stage_view(&worker->stage, plan, x, batch->y != NULL ? batch->y + first * size : NULL,
		   count, &staged);
	worker->nans += staged.nans;
	nan_watch_look(&worker->watch, plan, batch->position + first, &staged);
	for (unsigned i = 0; i < line->accum_count; i++) {
		const struct line_accum *accum = &line->accums[i];
		const struct accum_class *class = accum->class;
		struct tile tile = {
			.count = count,
			.position = batch->in_line + first,
			.nans = staged.nans,
			.shared = line->share ? &shared : NULL,
		};
		void *value = class->ordered ? out + accum->offset : worker->works + accum->offset;

		fetch_ahead(&tile, line, accum, x + count * size, ahead);
		if (staged.x_f32 != NULL && class->tile_f32 != NULL) {
			tile.x = staged.x_f32;
			tile.y = staged.y_f32;
			class->tile_f32(value, &tile, &accum->args);
			continue;
		}
		if (staged.x[accum->args.domain] == NULL)
			stage_widen(&worker->stage, &staged);
		tile.x = staged.x[accum->args.domain];
		tile.y = staged.y[accum->args.domain];
		class->tile(value, &tile, &accum->args);
	}
}

static void take_chunk(const struct batch *batch, struct worker *worker, uint64_t first)
{
	size_t size = dtype_size(batch->line->stream->plan->input.dtype);
	uint64_t end = first + CHUNK_TILES * ORDER_TILE;

	if (end > batch->count)
		end = batch->count;
	while (first < end) {
		uint64_t count = end - first < ORDER_TILE ? end - first : ORDER_TILE;
		uint64_t after = end - first - count;
		uint64_t ahead = (after < ORDER_TILE ? after : ORDER_TILE) * size;

		take_tile(batch, worker, first, count, ahead,
			  batch->line->batch + first / ORDER_TILE * batch->line->tile_bytes);
		first += count;
	}
}

static void work(void *context, unsigned worker_index)
{
	struct batch *batch = context;
	struct worker *worker = &batch->line->workers[worker_index];

	for (;;) {
		uint64_t chunk = atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed);
		uint64_t first = chunk * CHUNK_TILES * ORDER_TILE;

		if (first >= batch->count)
			break;
		if (!worker->used)
			begin_works(batch->line, worker);
		take_chunk(batch, worker, first);
	}
}

/* What the workers found of NaNs goes to the line. */
static enum status collect(struct line *line, struct error *err)
{
	struct nan_watch watch = {0};

	for (unsigned w = 0; w < line->worker_count; w++) {
		struct worker *worker = &line->workers[w];

		line->nans += worker->nans;
		nan_watch_merge(&watch, &worker->watch);
		worker->nans = 0;
		worker->watch = (struct nan_watch){0};
	}
	return stream_note_nan(line->stream, &watch, err);
}

static enum status push_tiles(struct line *line, uint64_t tiles, struct error *err)
{
	for (unsigned i = 0; i < line->accum_count; i++) {
		struct line_accum *accum = &line->accums[i];
		enum status status;

		if (!accum->class->ordered)
			continue;
		status = tree_push(&accum->tree, line->batch + accum->offset, line->tile_bytes,
				   tiles, err);
		if (status != STATUS_OK)
			return status;
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
	for (unsigned w = 0; w < line->worker_count; w++)
		if (line->workers[w].used)
			end_works(line, &line->workers[w]);
	for (unsigned i = 0; i < line->accum_count; i++)
		if (line->accums[i].class->ordered)
			tree_finish(&line->accums[i].tree, line->accums[i].value);
	out->length = line->length;
	out->count =
		line->stream->plan->job->nan == NAN_OMIT ? line->length - line->nans : line->length;
	out->values = line->values;
}

static uint32_t round_up(uint32_t size, uint32_t unit)
{
	return (size + unit - 1) / unit * unit;
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
			accum->offset = line->work_bytes;
			line->work_bytes += round_up(work_size(accum->class), CACHE_LINE);
		}
		line->accum_count++;
	}
	return STATUS_OK;
}

/* Sums and moments need the sum of a tile, and read it with the squares: who
 * comes first reads it for all. */
static void plan_passes(struct line *line)
{
	const struct plan *plan = line->stream->plan;
	unsigned sums = 0, squares = 0;
	bool known = false;

	for (unsigned i = 0; i < plan->accum_count; i++) {
		enum accum accum = plan->accums[i].accum;

		sums += accum == ACCUM_SUM || accum == ACCUM_MOMENTS;
		squares += accum == ACCUM_SQUARE;
	}
	line->share = sums > 0 && sums + squares > 1;
	line->share_squares = squares > 0;
	for (unsigned i = 0; i < plan->accum_count; i++) {
		enum accum accum = plan->accums[i].accum;
		bool shares = accum == ACCUM_SUM || accum == ACCUM_MOMENTS || accum == ACCUM_SQUARE;

		line->accums[i].pass = line->passes;
		line->accums[i].passes =
			(accum == ACCUM_MOMENTS) + !(shares && line->share && known);
		line->passes += line->accums[i].passes;
		known |= shares;
	}
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
		line->workers[w].works = aligned_alloc(CACHE_LINE, line->work_bytes + CACHE_LINE);
		if (line->workers[w].works == NULL)
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
	if (status == STATUS_OK) {
		plan_passes(line);
		status = open_workers(line, err);
	}
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
		free(line->workers[w].works);
	}
	free(line->workers);
	free(line->accums);
	free(line->values);
	free(line->batch);
	free(line);
}
