#include "config.h"
#include "engine/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "engine/order.h"

void tree_init(struct tree *tree, const struct accum_class *class)
{
	assert(class->ordered && class->size <= sizeof(tree->level[0].first));
	memset(tree, 0, sizeof(*tree));
	tree->class = class;
}

void tree_deinit(struct tree *tree)
{
	for (unsigned k = 0; k < TREE_LEVELS; k++)
		free(tree->level[k].lanes);
}

void tree_reset(struct tree *tree)
{
	for (unsigned k = 0; k < TREE_LEVELS; k++)
		tree->level[k].total = 0;
}

/* The index-th value of a tile goes to its lane; the first of a lane is the
 * lane, since the identity before it changes no bit. */
static void add_to_lane(const struct tree *tree, struct tree_level *level, uint64_t index,
			const void *value)
{
	uint32_t size = tree->class->size;
	char *lane = level->lanes + index % ORDER_LANES * size;

	if (index < ORDER_LANES)
		memcpy(lane, value, size);
	else
		tree->class->combine(lane, value);
}

/* Halve the lanes of a tile of count values; its value is left in lane 0. */
static const void *halve(const struct tree *tree, struct tree_level *level, uint64_t count)
{
	uint32_t size = tree->class->size;
	uint64_t used = count < ORDER_LANES ? count : ORDER_LANES;

	for (uint64_t half = ORDER_LANES / 2; half > 0; half /= 2) {
		for (uint64_t l = 0; l < half && l + half < used; l++)
			tree->class->combine(level->lanes + l * size,
					     level->lanes + (l + half) * size);
		used = used < half ? used : half;
	}
	return level->lanes;
}

static enum status open_lanes(const struct tree *tree, struct tree_level *level, struct error *err)
{
	if (level->lanes == NULL)
		level->lanes = malloc((size_t)ORDER_LANES * tree->class->size);
	if (level->lanes == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for partial sums");
	if (level->total == 1)
		add_to_lane(tree, level, 0, level->first);
	return STATUS_OK;
}

/* One value for level k; a tile that it completes goes a level up. */
static enum status push_one(struct tree *tree, unsigned k, const void *value, struct error *err)
{
	for (;; k++) {
		struct tree_level *level = &tree->level[k];
		uint64_t index = level->total % ORDER_TILE;
		enum status status;

		assert(k < TREE_LEVELS);
		if (level->total == 0) {
			memcpy(level->first, value, tree->class->size);
			level->total = 1;
			return STATUS_OK;
		}
		status = open_lanes(tree, level, err);
		if (status != STATUS_OK)
			return status;
		add_to_lane(tree, level, index, value);
		level->total++;
		if (index != ORDER_TILE - 1)
			return STATUS_OK;
		value = halve(tree, level, ORDER_TILE);
	}
}

enum status tree_push(struct tree *tree, const void *values, size_t stride, uint64_t count,
		      struct error *err)
{
	struct tree_level *level = &tree->level[0];
	const char *value = values;
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		uint64_t index = level->total % ORDER_TILE;

		/* Within an open tile, most of the time, nothing else happens. */
		if (level->total > 1 && index != ORDER_TILE - 1) {
			add_to_lane(tree, level, index, value);
			level->total++;
		} else {
			status = push_one(tree, 0, value, err);
		}
		value += stride;
		count--;
	}
	return status;
}

void tree_finish(struct tree *tree, void *out)
{
	uint32_t size = tree->class->size;
	uint64_t carry[TREE_VALUE_WORDS]; /* of the open tile one level below */
	bool carried = false;

	tree->class->init(out);
	for (unsigned k = 0; k < TREE_LEVELS; k++) {
		struct tree_level *level = &tree->level[k];
		uint64_t total = level->total, open = total % ORDER_TILE;

		if (total == 0) {
			if (carried)
				memcpy(out, carry, size);
			return;
		}
		if (total == 1) {
			memcpy(out, level->first, size);
			if (carried)
				tree->class->combine(out, carry);
			return;
		}
		if (carried) {
			add_to_lane(tree, level, open, carry);
			open++;
		}
		carried = open > 0;
		if (carried)
			memcpy(carry, halve(tree, level, open), size);
	}
}
