#include "config.h"
#include "cpu/planes.h"

#include <stdlib.h>
#include <string.h>
#include "engine/order.h"

#define ELEMENT_SIZE 8u /* of every domain */

enum status planes_init(struct planes *planes, const struct accum_class *class,
			const struct accum_args *args, uint64_t lines, struct error *err)
{
	memset(planes, 0, sizeof(*planes));
	planes->class = class;
	planes->args = *args;
	planes->lines = lines;
	planes->runs = malloc(lines * class->run_size + 1);
	planes->value = malloc(class->size);
	if (planes->runs == NULL || planes->value == NULL) {
		planes_deinit(planes);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu lines",
			    (unsigned long long)lines);
	}
	return STATUS_OK;
}

void planes_deinit(struct planes *planes)
{
	free(planes->runs);
	for (unsigned k = 0; k < PLANES_LEVELS; k++)
		free(planes->levels[k]);
	free(planes->value);
	memset(planes, 0, sizeof(*planes));
}

static void begin_runs(struct planes *planes, uint64_t line, uint64_t count)
{
	const struct accum_class *class = planes->class;

	for (uint64_t i = line; i < line + count; i++)
		class->run_init(planes->runs + i * class->run_size);
}

void planes_begin(struct planes *planes)
{
	begin_runs(planes, 0, planes->lines);
}

static void run_value(struct planes *planes, uint64_t line, void *out)
{
	const struct accum_class *class = planes->class;
	const char *run = planes->runs + line * class->run_size;

	if (class->run_end != NULL)
		class->run_end(out, run);
	else
		memcpy(out, run, class->size);
}

/* Close the open run of a line, the run-th: a carry through the counter. Bit k
 * of `run` tells whether level k holds a value; the earlier is on the left. */
static void close_run(struct planes *planes, uint64_t line, uint64_t run)
{
	const struct accum_class *class = planes->class;
	unsigned k = 0;

	run_value(planes, line, planes->value);
	for (; (run >> k & 1) != 0; k++) {
		char *left = planes->levels[k] + line * class->size;

		class->combine(left, planes->value);
		memcpy(planes->value, left, class->size);
	}
	memcpy(planes->levels[k] + line * class->size, planes->value, class->size);
}

/* The level that the run-th run will be carried to. */
static enum status make_level(struct planes *planes, uint64_t run, struct error *err)
{
	unsigned k = (unsigned)__builtin_ctzll(~run);

	if (planes->levels[k] == NULL)
		planes->levels[k] = malloc(planes->lines * planes->class->size);
	if (planes->levels[k] == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu lines",
			    (unsigned long long)planes->lines);
	return STATUS_OK;
}

static enum status close_runs(struct planes *planes, uint64_t line, uint64_t count, uint64_t run,
			      struct error *err)
{
	enum status status = make_level(planes, run, err);

	if (status != STATUS_OK)
		return status;
	for (uint64_t i = line; i < line + count; i++)
		close_run(planes, i, run);
	begin_runs(planes, line, count);
	return STATUS_OK;
}

enum status planes_row(struct planes *planes, uint64_t line, uint64_t count, uint64_t position,
		       const void *x, const void *y, struct error *err)
{
	const struct accum_class *class = planes->class;

	class->step(planes->runs + line * class->run_size, x, y, count, position, &planes->args);
	if (!class->ordered || (position + 1) % ORDER_RUN != 0)
		return STATUS_OK;
	return close_runs(planes, line, count, position / ORDER_RUN, err);
}

enum status planes_run(struct planes *planes, uint64_t line, uint64_t count, uint64_t position,
		       const void *x, const void *y, struct error *err)
{
	const char *next_x = x, *next_y = y;
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
		status = planes_row(planes, line, 1, position + i, next_x, next_y, err);
		next_x += ELEMENT_SIZE;
		if (next_y != NULL)
			next_y += ELEMENT_SIZE;
	}
	return status;
}

/* The open run, then the levels from the smallest on: what is absent on the
 * right is the identity, and changes no bit. */
void *planes_end(struct planes *planes, uint64_t line, uint64_t length)
{
	const struct accum_class *class = planes->class;

	run_value(planes, line, planes->value);
	if (!class->ordered)
		return planes->value;
	for (unsigned k = 0; k < PLANES_LEVELS; k++) {
		char *left;

		if ((length / ORDER_RUN >> k & 1) == 0)
			continue;
		left = planes->levels[k] + line * class->size;
		class->combine(left, planes->value);
		memcpy(planes->value, left, class->size);
	}
	return planes->value;
}
