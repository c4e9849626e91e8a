#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* of cmocka: ours is in status.h */

#include <string.h>
#include "engine/array.h"

static enum status count_of(enum dtype dtype, unsigned ndim, const uint64_t *shape, uint64_t *out)
{
	struct array_desc desc = {.dtype = dtype, .ndim = ndim};

	if (ndim > 0)
		memcpy(desc.shape, shape, ndim * sizeof(shape[0]));
	return array_count(&desc, out, NULL);
}

static void test_count(void **state)
{
	const uint64_t three[] = {3, 4, 5}, empty[] = {3, 0, 5}, unknown[] = {ARRAY_UNKNOWN};
	uint64_t count = 77;

	(void)state;
	assert_int_equal(count_of(DTYPE_INT8, 0, NULL, &count), STATUS_OK);
	assert_int_equal(count, 1);
	assert_int_equal(count_of(DTYPE_FLOAT64, 3, three, &count), STATUS_OK);
	assert_int_equal(count, 60);
	assert_int_equal(count_of(DTYPE_FLOAT64, 3, empty, &count), STATUS_OK);
	assert_int_equal(count, 0);
	assert_int_equal(count_of(DTYPE_FLOAT64, 1, unknown, &count), STATUS_OK);
	assert_true(count == ARRAY_UNKNOWN);
}

static void test_too_large(void **state)
{
	const uint64_t edge8[] = {((uint64_t)1 << 63) - 1}, edge64[] = {((uint64_t)1 << 60) - 1};
	const uint64_t over8[] = {(uint64_t)1 << 63}, over64[] = {(uint64_t)1 << 60};
	const uint64_t wraps[] = {(uint64_t)1 << 32, (uint64_t)1 << 32};
	const uint64_t hidden[] = {(uint64_t)1 << 40, 0, (uint64_t)1 << 40};
	const uint64_t unknown2[] = {ARRAY_UNKNOWN, 2};
	uint64_t count = 77;

	(void)state;
	assert_int_equal(count_of(DTYPE_INT8, 1, edge8, &count), STATUS_OK);
	assert_true(count == edge8[0]);
	assert_int_equal(count_of(DTYPE_UINT64, 1, edge64, &count), STATUS_OK);
	assert_true(count == edge64[0]);
	count = 77;
	assert_int_equal(count_of(DTYPE_INT8, 1, over8, &count), STATUS_BAD_SHAPE);
	assert_int_equal(count_of(DTYPE_FLOAT64, 1, over64, &count), STATUS_BAD_SHAPE);
	assert_int_equal(count_of(DTYPE_BOOL, 2, wraps, &count), STATUS_BAD_SHAPE);
	assert_int_equal(count_of(DTYPE_BOOL, 3, hidden, &count), STATUS_BAD_SHAPE);
	assert_int_equal(count_of(DTYPE_BOOL, 2, unknown2, &count), STATUS_BAD_SHAPE);
	assert_int_equal(count, 77);
}

static void test_swap(void **state)
{
	unsigned char bytes[17], start[17];
	size_t size, i;

	(void)state;
	for (size = 1; size <= 8; size *= 2) {
		for (i = 0; i < sizeof(bytes); i++)
			start[i] = bytes[i] = (unsigned char)i;
		array_swap_bytes(bytes + 1, size, 16 / size - 1); /* not aligned */
		for (i = 0; i < 16 - size; i++)
			assert_int_equal(bytes[1 + i],
					 start[1 + i / size * size + (size - 1 - i % size)]);
		assert_memory_equal(bytes + 1 + i, start + 1 + i, size); /* the last is left */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_swap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
