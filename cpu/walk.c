#include "config.h"
#include "cpu/walk.h"

#include <string.h>

void walk_init(struct walk *walk, const struct layout *layout)
{
	memset(walk, 0, sizeof(*walk));
	walk->layout = layout;
}

/* Whether all dims from `first` on stand at their beginning. */
static bool at_start(const struct walk *walk, unsigned first)
{
	for (unsigned i = first; i < walk->layout->ndim; i++)
		if (walk->index[i] != 0)
			return false;
	return true;
}

/* Count steps in dim i: they reach its end at most. */
static void advance(struct walk *walk, unsigned i, uint64_t count)
{
	walk->index[i] += count;
	while (walk->index[i] == walk->layout->dim[i].length) {
		walk->index[i] = 0;
		if (i == 0)
			break;
		walk->index[--i]++;
	}
}

static unsigned outermost_reduced(const struct layout *layout)
{
	return layout->dim[0].reduced ? 0 : 1;
}

/* Line and position of the next element. */
static void locate(const struct walk *walk, uint64_t *line, uint64_t *position)
{
	const struct layout *layout = walk->layout;

	*line = *position = 0;
	for (unsigned i = outermost_reduced(layout); i < layout->ndim; i++) {
		uint64_t *digits = layout->dim[i].reduced ? position : line;

		*digits = *digits * layout->dim[i].length + walk->index[i];
	}
}

void walk_next(struct walk *walk, uint64_t count, struct walk_piece *out)
{
	const struct layout *layout = walk->layout;
	unsigned inner = layout->ndim - 1;
	uint64_t room = layout->dim[inner].length - walk->index[inner];

	locate(walk, &out->line, &out->position);
	out->count = count < room ? count : room;
	out->row = !layout->dim[inner].reduced;
	advance(walk, inner, out->count);
	out->last = at_start(walk, outermost_reduced(layout));
}

/* Whole rows of the innermost dim, as many as the next one and count allow, or
 * a part of one row. */
void walk_block(struct walk *walk, uint64_t count, struct walk_block *out)
{
	const struct layout *layout = walk->layout;
	unsigned inner = layout->ndim - 1;
	uint64_t row = layout->dim[inner].length, rows = 1;

	if (walk->index[inner] != 0 || count < row) {
		struct walk_piece piece;

		walk_next(walk, count, &piece);
		row = piece.count;
		out->line = piece.line;
		out->position = piece.position;
		out->last = piece.last;
	} else {
		uint64_t room = layout->dim[inner - 1].length - walk->index[inner - 1];

		rows = count / row < room ? count / row : room;
		locate(walk, &out->line, &out->position);
		advance(walk, inner - 1, rows);
		out->last = at_start(walk, outermost_reduced(layout));
	}
	out->row = !layout->dim[inner].reduced;
	out->lines = out->row ? row : rows;
	out->length = out->row ? rows : row;
}
