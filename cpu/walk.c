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

static void advance(struct walk *walk, uint64_t count)
{
	unsigned i = walk->layout->ndim - 1;

	walk->index[i] += count;
	while (walk->index[i] == walk->layout->dim[i].length) {
		walk->index[i] = 0;
		if (i == 0)
			break;
		walk->index[--i]++;
	}
}

void walk_next(struct walk *walk, uint64_t count, struct walk_piece *out)
{
	const struct layout *layout = walk->layout;
	unsigned inner = layout->ndim - 1;
	uint64_t room = layout->dim[inner].length - walk->index[inner];
	unsigned outer = layout->dim[0].reduced ? 0 : 1; /* the outermost reduced */

	out->line = out->position = 0;
	for (unsigned i = outer; i <= inner; i++) {
		uint64_t *digits = layout->dim[i].reduced ? &out->position : &out->line;

		*digits = *digits * layout->dim[i].length + walk->index[i];
	}
	out->count = count < room ? count : room;
	out->row = !layout->dim[inner].reduced;
	advance(walk, out->count);
	out->last = at_start(walk, outer);
}
