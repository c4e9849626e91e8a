#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "engine/integer.h"
#include <cmocka.h> /* last: it defines fail() */

static void ranges(void **state)
{
	static const struct {
		enum dtype dtype;
		int64_t least;
		uint64_t greatest;
	} rows[] = {
		{DTYPE_BOOL, 0, 1},
		{DTYPE_INT8, INT8_MIN, INT8_MAX},
		{DTYPE_INT16, INT16_MIN, INT16_MAX},
		{DTYPE_INT32, INT32_MIN, INT32_MAX},
		{DTYPE_INT64, INT64_MIN, INT64_MAX},
		{DTYPE_UINT8, 0, UINT8_MAX},
		{DTYPE_UINT16, 0, UINT16_MAX},
		{DTYPE_UINT32, 0, UINT32_MAX},
		{DTYPE_UINT64, 0, UINT64_MAX},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct integer_range range = integer_range_of(rows[i].dtype);

		assert_true(range.least == rows[i].least);
		assert_true(range.greatest == (__int128)rows[i].greatest);
	}
}

/* As many bytes as the type has, and none beside them. */
static void low_bits(void **state)
{
	static const uint64_t bits = 0xfedcba9876543210;

	(void)state;
	for (int dtype = DTYPE_INT8; dtype <= DTYPE_UINT64; dtype++) {
		unsigned char out[9], want[9];

		memset(out, 0xa5, sizeof(out));
		memcpy(want, out, sizeof(want));
		memcpy(want, &bits, dtype_size((enum dtype)dtype));
		integer_store(bits, (enum dtype)dtype, out);
		assert_memory_equal(out, want, sizeof(out));
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned char out = 9;

		integer_store(i, DTYPE_BOOL, &out);
		assert_int_equal(out, i & 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(low_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
