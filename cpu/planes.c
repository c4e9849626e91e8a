#include "config.h"
#include "cpu/planes.h"

#include <stdlib.h>
#include <string.h>
#include "engine/order.h"
#include "engine/tree.h"

#define ELEMENT_SIZE 8u  /* of every domain */
#define CLOSE 64u        /* runs closed at a time */
#define FRESH_SIZE 1024u /* bytes copied at a time where runs begin (chosen) */
#define ALIGNMENT 64u    /* vectors do not reach into a second cache line */

static void *make_plane(uint64_t lines, uint32_t size)
{
	return aligned_alloc(ALIGNMENT, (lines * size / ALIGNMENT + 1) * ALIGNMENT);
}

enum status planes_init(struct planes *planes, const struct accum_class *class,
			const struct accum_args *args, uint64_t lines, struct error *err)
{
	memset(planes, 0, sizeof(*planes));
	planes->class = class;
	planes->args = *args;
	planes->lines = lines;
	planes->runs = make_plane(lines, class->run_size);
	planes->fresh_count = class->run_size < FRESH_SIZE ? FRESH_SIZE / class->run_size : 1;
	planes->fresh = make_plane(planes->fresh_count, class->run_size);
	planes->values = malloc(PLANES_END * class->size);
	if (planes->runs == NULL || planes->fresh == NULL || planes->values == NULL) {
		planes_deinit(planes);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu lines",
			    (unsigned long long)lines);
	}
	for (uint64_t i = 0; i < planes->fresh_count; i++)
		class->run_init(planes->fresh + i * class->run_size);
	return STATUS_OK;
}

void planes_deinit(struct planes *planes)
{
	free(planes->runs);
	for (unsigned k = 0; k < PLANES_LEVELS; k++)
		free(planes->levels[k]);
	free(planes->fresh);
	free(planes->values);
	memset(planes, 0, sizeof(*planes));
}

/* Run r is carried to the level of its lowest bit that is not set; the first to
 * reach level k is run 2^k - 1. */
enum status planes_reserve(struct planes *planes, uint64_t length, struct error *err)
{
	uint64_t runs = planes->class->ordered ? length / ORDER_RUN : 0;

	for (unsigned k = 0; runs >> k != 0; k++) {
		if (planes->levels[k] == NULL)
			planes->levels[k] = make_plane(planes->lines, planes->class->size);
		if (planes->levels[k] == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu lines",
				    (unsigned long long)planes->lines);
	}
	return STATUS_OK;
}

static void begin_runs(const struct planes *planes, char *runs, uint64_t count)
{
	uint64_t size = planes->class->run_size;

	while (count > 0) {
		uint64_t some = count < planes->fresh_count ? count : planes->fresh_count;

		memcpy(runs, planes->fresh, some * size);
		runs += some * size;
		count -= some;
	}
}

static void combine(const struct accum_class *class, char *left, const char *right, uint64_t count)
{
	if (class->combine_all != NULL) {
		class->combine_all(left, right, count);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		class->combine(left + i * class->size, right + i * class->size);
}

/* The values of the run-th runs of count lines: a carry through the counter.
 * Bit k of `run` tells whether level k holds a value; the earlier is on the
 * left. */
static void push_values(struct planes *planes, uint64_t line, uint64_t count, uint64_t run,
			const char *values)
{
	const struct accum_class *class = planes->class;
	unsigned k = 0;

	for (; (run >> k & 1) != 0; k++) {
		char *left = planes->levels[k] + line * class->size;

		combine(class, left, values, count);
		values = left;
	}
	memcpy(planes->levels[k] + line * class->size, values, count * class->size);
}

/* Close the run-th runs of count lines. */
static void close_runs(struct planes *planes, uint64_t line, uint64_t count, uint64_t run,
		       const char *runs)
{
	const struct accum_class *class = planes->class;

	if (class->run_end == NULL) {
		push_values(planes, line, count, run, runs);
		return;
	}
	for (uint64_t first = 0; first < count; first += CLOSE) {
		uint64_t some = count - first < CLOSE ? count - first : CLOSE;
		uint64_t values[CLOSE * TREE_VALUE_WORDS];

		for (uint64_t i = 0; i < some; i++)
			class->run_end((char *)values + i * class->size,
				       runs + (first + i) * class->run_size);
		push_values(planes, line + first, some, run, (const char *)values);
	}
}

/* Rows of one run, or of any number where the accumulator is free. */
static void add_rows(const struct accum_class *class, char *runs, const struct panel *panel,
		     bool f32, const struct accum_args *args)
{
	const char *x = panel->x, *y = panel->y;

	if (f32) {
		class->rows_f32(runs, panel, args);
		return;
	}
	if (class->rows != NULL) {
		class->rows(runs, panel, args);
		return;
	}
	for (uint64_t i = 0; i < panel->rows; i++) {
		class->step(runs, x, y, panel->lines, panel->position + i, args);
		x += panel->stride * ELEMENT_SIZE;
		if (y != NULL)
			y += panel->stride * ELEMENT_SIZE;
	}
}

void planes_add(struct planes *planes, uint64_t line, const struct panel *panel, bool f32,
		bool omit)
{
	const struct accum_class *class = planes->class;
	size_t step = panel->stride * (f32 ? sizeof(float) : ELEMENT_SIZE);
	char *runs = planes->runs + line * class->run_size;
	struct accum_args args = planes->args;
	struct panel part = *panel;

	args.omit = omit;
	for (uint64_t left = panel->rows; left > 0; left -= part.rows) {
		uint64_t in_run = part.position % ORDER_RUN;

		part.rows = left;
		if (class->ordered && left > ORDER_RUN - in_run)
			part.rows = ORDER_RUN - in_run;
		if (class->ordered ? in_run == 0 : part.position == 0)
			begin_runs(planes, runs, part.lines);
		add_rows(class, runs, &part, f32, &args);
		if (part.next != 0)
			part.next -= (int64_t)(part.rows * part.stride);
		part.x = (const char *)part.x + part.rows * step;
		if (part.y != NULL)
			part.y = (const char *)part.y + part.rows * step;
		part.position += part.rows;
		if (class->ordered && part.position % ORDER_RUN == 0)
			close_runs(planes, line, part.lines, part.position / ORDER_RUN - 1, runs);
	}
}

void planes_add_runs(struct planes *planes, uint64_t line, uint64_t lines, uint64_t count,
		     uint64_t run, const struct panel *panel, bool f32, bool omit, void *lanes)
{
	const struct accum_class *class = planes->class;
	struct accum_args args = planes->args;

	args.omit = omit;
	begin_runs(planes, lanes, panel->lines);
	add_rows(class, lanes, panel, f32, &args);
	for (uint64_t r = 0; r < count; r++)
		close_runs(planes, line, lines, run + r,
			   (const char *)lanes + r * lines * class->run_size);
}

void *planes_free_value(struct planes *planes, uint64_t line, bool begin)
{
	char *value = planes->runs + line * planes->class->run_size;

	if (begin)
		memcpy(value, planes->fresh, planes->class->run_size);
	return value;
}

/* The values of open runs. */
static const char *run_values(struct planes *planes, uint64_t line, uint64_t count)
{
	const struct accum_class *class = planes->class;
	const char *runs = planes->runs + line * class->run_size;

	if (class->run_end == NULL)
		return runs;
	for (uint64_t i = 0; i < count; i++)
		class->run_end(planes->values + i * class->size, runs + i * class->run_size);
	return planes->values;
}

/* The open run, if there is one, then the levels from the smallest on: what is
 * absent on the right is the identity, and changes no bit. */
const void *planes_end(struct planes *planes, uint64_t line, uint64_t count, uint64_t length)
{
	const struct accum_class *class = planes->class;
	uint64_t runs = class->ordered ? length / ORDER_RUN : 0;
	const char *values = NULL;

	if (class->ordered ? length % ORDER_RUN != 0 : length != 0)
		values = run_values(planes, line, count);
	for (unsigned k = 0; runs >> k != 0; k++) {
		char *left;

		if ((runs >> k & 1) == 0)
			continue;
		left = planes->levels[k] + line * class->size;
		if (values != NULL)
			combine(class, left, values, count);
		values = left;
	}
	if (values != NULL)
		return values;
	for (uint64_t i = 0; i < count; i++) /* no element */
		class->init(planes->values + i * class->size);
	return planes->values;
}
