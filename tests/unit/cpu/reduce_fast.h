/* reduce_fast.h - a line reduced by the CPU backend's own parts, for comparison
 * with the oracle. */
#ifndef TESTS_REDUCE_FAST_H
#define TESTS_REDUCE_FAST_H

#include <string.h>
#include "cpu/planes.h"
#include "cpu/kernels/widen.h"
#include "engine/accum.h"
#include "engine/order.h"
#include "engine/tree.h"

static inline uint64_t fast_nans(const double *x, const double *y, uint64_t count)
{
	uint64_t nans = 0;

	if (y == NULL)
		return count_nans(x, count);
	for (uint64_t i = 0; i < count; i++)
		nans += x[i] != x[i] || y[i] != y[i];
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
		const struct tile tile = {x + at, y_at, n, at, fast_nans(x + at, y_at, n)};
		uint64_t words[TREE_VALUE_WORDS];

		class->tile(words, &tile, args);
		status = tree_push(&tree, words, NULL);
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
	struct planes planes;
	enum status status = planes_init(&planes, class, args, 1, NULL);

	if (status != STATUS_OK)
		return status;
	planes_begin(&planes);
	status = planes_run(&planes, 0, count, 0, x, y, NULL);
	if (status == STATUS_OK)
		memcpy(value, planes_end(&planes, 0, count), class->size);
	planes_deinit(&planes);
	return status;
}

#endif
