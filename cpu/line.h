/* line.h - one open line whose elements are adjacent: its accumulators, fed in
 * tiles of the canonical order. Tiles of a large piece are shared by the team;
 * their values are combined in order all the same. */
#ifndef CPU_LINE_H
#define CPU_LINE_H

#include "cpu/stream.h"

struct line;

enum status line_open(struct stream *stream, struct line **out, struct error *err);
void line_close(struct line *line); /* NULL is fine */

/* Start over: nothing has been read. */
void line_begin(struct line *line);

/* The next count elements of the line, the first at stored position
 * `position`. Every call but the last of a line brings whole tiles. */
enum status line_add(struct line *line, const void *x, const void *y, uint64_t count,
		     uint64_t position, struct error *err);

/* All came: their number, how many took part, and a value for each accumulator
 * of the plan, valid until line_begin(). */
struct line_total {
	uint64_t length, count;
	void *const *values;
};
void line_end(struct line *line, struct line_total *out);

#endif
