/* walk.h - a walk through an array in stored order, for lines whose elements
 * are not adjacent: which line and which position in it the next element has. */
#ifndef CPU_WALK_H
#define CPU_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/layout.h"

/* Elements that lie one behind another: of count lines one each (rows), or
 * count of one line. */
struct walk_piece {
	uint64_t line;     /* of the first, among the open lines */
	uint64_t position; /* of the first, in its line */
	uint64_t count;
	bool row;
	bool last; /* the open lines are complete after it */
};

/* Elements that lie one behind another: as many of each of `lines` lines. */
struct walk_block {
	uint64_t line;     /* of the first element, among the open lines */
	uint64_t position; /* of the first element, in its line */
	uint64_t lines;
	uint64_t length; /* elements of each line */
	bool row;        /* neighbours belong to neighbouring lines; else to
			  * one line, and a line follows a line */
	bool last;       /* the open lines are complete after it */
};

struct walk {
	const struct layout *layout;
	uint64_t index[ARRAY_MAX_NDIM]; /* of the next element, by merged dim */
};

void walk_init(struct walk *walk, const struct layout *layout);

/* The next piece, of at most count elements, and step over it. There is one. */
void walk_next(struct walk *walk, uint64_t count, struct walk_piece *out);

/* The next block, of at most count elements, and step over it. There is one. */
void walk_block(struct walk *walk, uint64_t count, struct walk_block *out);

#endif
