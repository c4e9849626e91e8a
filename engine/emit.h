/* emit.h - from the accumulators of finished lines to the result's spools: the
 * last step of every backend. */
#ifndef ENGINE_EMIT_H
#define ENGINE_EMIT_H

#include <stdint.h>
#include "engine/plan.h"
#include "engine/result.h"

#define EMIT_BUFFER 4096u /* bytes gathered before they are spooled */

struct emit_column {
	char *buffer;
	uint32_t used; /* bytes */
};

struct emit {
	const struct plan *plan;
	struct result *result;
	uint64_t lines; /* emitted so far */
	struct emit_column ops[JOB_MAX_OPS], counts;
};

enum status emit_init(struct emit *emit, const struct plan *plan, struct result *result,
		      struct error *err);
void emit_deinit(struct emit *emit);

/* The next line's results. values: one for each accumulator of the plan;
 * count: elements that took part; length: elements of the line. */
enum status emit_line(struct emit *emit, void *const *values, uint64_t count, uint64_t length,
		      struct error *err);

/* The results of several lines. values: an array for each accumulator of the
 * plan, of values of sizes[] bytes; counts: elements that took part, of each
 * line; lengths: their elements, NULL when all have `length`. */
struct emit_lines {
	const void *const *values;
	const uint32_t *sizes;
	const uint64_t *counts;
	const uint64_t *lengths;
	uint64_t lines, length;
};
enum status emit_lines(struct emit *emit, const struct emit_lines *of, struct error *err);

/* All lines came: what is gathered goes to the spools. */
enum status emit_finish(struct emit *emit, struct error *err);

#endif
