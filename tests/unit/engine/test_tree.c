/* The tree against its definition: values as an array, level by level. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "engine/order.h"
#include "engine/tree.h"
#include <cmocka.h> /* last: it defines fail() */

static double value_at(uint64_t i)
{
	uint64_t z = i * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 31)) * 0xd6e8feb86659fd93u;
	return (double)(int64_t)z * 0x1p-63 * (double)(1 + (z & 0xffff));
}

static double lanes(const double *v, uint64_t count)
{
	double lane[ORDER_LANES];

	for (uint64_t l = 0; l < ORDER_LANES; l++)
		lane[l] = -0.0;
	for (uint64_t i = 0; i < count; i++)
		lane[i % ORDER_LANES] += v[i];
	for (uint64_t half = ORDER_LANES / 2; half > 0; half /= 2)
		for (uint64_t l = 0; l < half; l++)
			lane[l] += lane[l + half];
	return lane[0];
}

static double defined(uint64_t count)
{
	double *v = malloc((count + 1) * sizeof(*v)), result;

	assert_non_null(v);
	for (uint64_t i = 0; i < count; i++)
		v[i] = value_at(i);
	while (count > 1) {
		uint64_t tiles = (count + ORDER_TILE - 1) / ORDER_TILE;

		for (uint64_t t = 0; t < tiles; t++) {
			uint64_t left = count - t * ORDER_TILE;

			v[t] = lanes(v + t * ORDER_TILE, left < ORDER_TILE ? left : ORDER_TILE);
		}
		count = tiles;
	}
	result = count == 0 ? -0.0 : v[0];
	free(v);
	return result;
}

static double streamed(struct tree *tree, uint64_t count)
{
	double values[2 * 7], out; /* every other one is pushed */

	tree_reset(tree);
	for (uint64_t i = 0, run; i < count; i += run) {
		run = 1 + i % 7 < count - i ? 1 + i % 7 : count - i;
		for (uint64_t k = 0; k < run; k++)
			values[2 * k] = value_at(i + k);
		assert_int_equal(tree_push(tree, values, 2 * sizeof(double), run, NULL), STATUS_OK);
	}
	tree_finish(tree, &out);
	return out;
}

static void follows_the_definition(void **state)
{
	const uint64_t square = (uint64_t)ORDER_TILE * ORDER_TILE;
	const uint64_t counts[] = {0,          1,      2,          3,
				   63,         64,     65,         127,
				   128,        129,    130,        4095,
				   4096,       4097,   8191,       8192,
				   8193,       12288,  12289,      4096 * 129 + 130,
				   square - 1, square, square + 1, square + 4097};
	struct tree tree;

	(void)state;
	tree_init(&tree, accum_class(ACCUM_SUM, DOMAIN_F64));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		double right = defined(counts[i]), out = streamed(&tree, counts[i]);

		assert_memory_equal(&out, &right, sizeof(out));
	}
	tree_deinit(&tree);
}

static void one_tile_allocates_nothing(void **state)
{
	struct tree tree;
	double value = 5.0, out;

	(void)state;
	tree_init(&tree, accum_class(ACCUM_SUM, DOMAIN_F64));
	assert_int_equal(tree_push(&tree, &value, 0, 1, NULL), STATUS_OK);
	for (unsigned k = 0; k < TREE_LEVELS; k++)
		assert_null(tree.level[k].lanes);
	tree_finish(&tree, &out);
	assert_true(out == 5.0);
	tree_deinit(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_definition),
		cmocka_unit_test(one_tile_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
