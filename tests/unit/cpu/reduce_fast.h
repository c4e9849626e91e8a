/* reduce_fast.h - a line reduced by the CPU backend's own parts, for comparison
 * with the oracle. */
#ifndef TESTS_REDUCE_FAST_H
#define TESTS_REDUCE_FAST_H

#include <string.h>
#include "cpu/planes.h"
#include "engine/accum.h"
#include "engine/order.h"
#include "engine/tree.h"

static inline uint64_t fast_nans(const double *x, const double *y, uint64_t count)
{
	uint64_t nans = 0;

	for (uint64_t i = 0; i < count; i++)
		nans += x[i] != x[i] || (y != NULL && y[i] != y[i]);
	return nans;
}

/* Tiles, then the tree; y may be NULL. */
static inline enum status fast_canonical(const struct accum_class *class,
					 const struct accum_args *args, const double *x,
					 const double *y, uint64_t count, void *value)
{
	enum status status = STATUS_OK;
	struct tree tree;

	tree_init(&tree, class);
	for (uint64_t at = 0; at < count && status == STATUS_OK; at += ORDER_TILE) {
		uint64_t n = count - at < ORDER_TILE ? count - at : ORDER_TILE;
		const double *y_at = y != NULL ? y + at : NULL;
		const struct tile tile = {.x = x + at,
					  .y = y_at,
					  .count = n,
					  .position = at,
					  .nans = args->omit ? fast_nans(x + at, y_at, n) : 0};
		uint64_t words[TREE_VALUE_WORDS];

		class->tile(words, &tile, args);
		status = tree_push(&tree, words, 0, 1, NULL);
	}
	if (status == STATUS_OK)
		tree_finish(&tree, value);
	tree_deinit(&tree);
	return status;
}

static inline enum status fast_strided(const struct accum_class *class,
				       const struct accum_args *args, const double *x,
				       const double *y, uint64_t count, void *value)
{
	const struct panel panel = {.x = x, .y = y, .lines = 1, .rows = count, .stride = 1};
	struct planes planes;
	enum status status = planes_init(&planes, class, args, 1, NULL);

	if (status != STATUS_OK)
		return status;
	status = planes_reserve(&planes, count, NULL);
	if (status == STATUS_OK) {
		planes_add(&planes, 0, &panel, false, args->omit);
		memcpy(value, planes_end(&planes, 0, 1, count), class->size);
	}
	planes_deinit(&planes);
	return status;
}

#endif
