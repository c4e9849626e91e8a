#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include "engine/crc32.h"
#include <cmocka.h> /* last: it defines fail() */

/* The check value of the catalogue of CRCs, and zlib's answers. */
static void known_values(void **state)
{
	unsigned char bytes[600];

	(void)state;
	assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_of("", 0), 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 ^ i >> 3);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		assert_int_equal(crc32_of(bytes, size), crc32(0, bytes, (uInt)size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
