/* tree.h - the upper levels of the canonical order, streaming: the values of a
 * line's tiles are an array again, cut in tiles and lanes like the elements,
 * level above level, until one value is left (docs/orders.md).
 *
 * A level keeps the lanes of its open tile, 128 values, allocated when it gets
 * its second value: a line of one tile allocates nothing. */
#ifndef ENGINE_TREE_H
#define ENGINE_TREE_H

#include <stddef.h>
#include <stdint.h>
#include "engine/accum.h"
#include "engine/status.h"

/* 2^64 elements are 2^52 tiles; 4096^5 is 2^60. */
#define TREE_LEVELS 6u
#define TREE_VALUE_WORDS 4u /* the largest value of an ordered accumulator */

struct tree_level {
	uint64_t total;                   /* values that came */
	uint64_t first[TREE_VALUE_WORDS]; /* while total is 1 */
	char *lanes;
};

struct tree {
	const struct accum_class *class; /* ordered */
	struct tree_level level[TREE_LEVELS];
};

void tree_init(struct tree *tree, const struct accum_class *class);
void tree_deinit(struct tree *tree);

/* Start over; keeps its memory. */
void tree_reset(struct tree *tree);

/* The values of the next count tiles, `stride` bytes apart. Fails only for
 * memory; then the tree must be reset. */
enum status tree_push(struct tree *tree, const void *values, size_t stride, uint64_t count,
		      struct error *err);

/* out: the line's value, the identity if no tile came. The tree must be reset
 * before the next line. */
void tree_finish(struct tree *tree, void *out);

#endif
