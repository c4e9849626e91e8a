#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>
#include "proto/zip.h"

/* Field offsets below are those of APPNOTE.TXT 4.3. */

static uint64_t number(const char *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = size; i > 0; i--)
		value = value << 8 | (unsigned char)bytes[i - 1];
	return value;
}

/* An archive of two small members is read back by hand. */
static void test_two_members(void **state)
{
	static const char first[] = "one", second[] = "";
	uint32_t crc = (uint32_t)crc32(0, (const Bytef *)first, 3);
	struct text out;
	struct zip zip;
	size_t second_at, directory_at;
	const char *end, *entry;

	(void)state;
	text_init(&out, 0);
	zip_init(&zip);
	zip_member(&zip, &out, "sum.npy", 3, crc);
	text_add(&out, first, 3);
	second_at = out.size;
	zip_member(&zip, &out, "lp:1.5.npy", 0, 0);
	text_add(&out, second, 0);
	directory_at = out.size;
	zip_end(&zip, &out);
	assert_false(out.failed);

	assert_int_equal(number(out.bytes, 4), 0x04034b50);
	assert_int_equal(number(out.bytes + 4, 2), 20);
	assert_int_equal(number(out.bytes + 8, 2), 0); /* stored */
	assert_int_equal(number(out.bytes + 14, 4), crc);
	assert_int_equal(number(out.bytes + 18, 4), 3);
	assert_int_equal(number(out.bytes + 22, 4), 3);
	assert_int_equal(number(out.bytes + 26, 2), 7);
	assert_int_equal(number(out.bytes + 28, 2), 0);
	assert_memory_equal(out.bytes + 30, "sum.npyone", 10);
	assert_int_equal(second_at, 40);
	assert_memory_equal(out.bytes + 40 + 30, "lp:1.5.npy", 10);
	assert_int_equal(directory_at, 80);

	entry = out.bytes + directory_at;
	assert_int_equal(number(entry, 4), 0x02014b50);
	assert_int_equal(number(entry + 16, 4), crc);
	assert_int_equal(number(entry + 24, 4), 3);
	assert_int_equal(number(entry + 30, 2), 0); /* no extra field */
	assert_int_equal(number(entry + 42, 4), 0);
	assert_memory_equal(entry + 46, "sum.npy", 7);
	entry += 46 + 7;
	assert_int_equal(number(entry + 42, 4), second_at);
	entry += 46 + 10;

	end = entry;
	assert_int_equal(number(end, 4), 0x06054b50);
	assert_int_equal(number(end + 8, 2), 2);
	assert_int_equal(number(end + 10, 2), 2);
	assert_int_equal(number(end + 12, 4), (uint64_t)(end - out.bytes) - directory_at);
	assert_int_equal(number(end + 16, 4), directory_at);
	assert_int_equal(out.size, (size_t)(end - out.bytes) + 22);
	zip_deinit(&zip);
	text_deinit(&out);
}

/* Sizes and places that 32 bits cannot hold; the content is only imagined. */
static void test_zip64(void **state)
{
	uint64_t big = UINT64_C(5) << 30, second_at, directory_at;
	struct text out;
	struct zip zip;
	const char *entry, *end;

	(void)state;
	text_init(&out, 0);
	zip_init(&zip);
	zip_member(&zip, &out, "a", big, 1);
	assert_int_equal(number(out.bytes + 4, 2), 45);
	assert_int_equal(number(out.bytes + 18, 4), 0xffffffff);
	assert_int_equal(number(out.bytes + 22, 4), 0xffffffff);
	assert_int_equal(number(out.bytes + 28, 2), 20);
	assert_int_equal(number(out.bytes + 31, 2), 1); /* ZIP64 */
	assert_int_equal(number(out.bytes + 33, 2), 16);
	assert_int_equal(number(out.bytes + 35, 8), big);
	assert_int_equal(number(out.bytes + 43, 8), big);
	assert_int_equal(out.size, 51);

	second_at = big + 51;
	out.size = 0;
	zip_member(&zip, &out, "b", 2, 3);
	assert_int_equal(number(out.bytes + 4, 2), 20); /* a small member in itself */
	assert_int_equal(out.size, 31);
	directory_at = second_at + 31 + 2;

	out.size = 0;
	zip_end(&zip, &out);
	entry = out.bytes;
	assert_int_equal(number(entry + 6, 2), 45);
	assert_int_equal(number(entry + 24, 4), 0xffffffff);
	assert_int_equal(number(entry + 42, 4), 0);
	assert_int_equal(number(entry + 30, 2), 20);
	assert_int_equal(number(entry + 47 + 4, 8), big);
	assert_int_equal(number(entry + 47 + 12, 8), big);
	entry += 46 + 1 + 20;
	assert_int_equal(number(entry, 4), 0x02014b50);
	assert_int_equal(number(entry + 24, 4), 2);
	assert_int_equal(number(entry + 42, 4), 0xffffffff);
	assert_int_equal(number(entry + 30, 2), 12);
	assert_int_equal(number(entry + 47, 2), 1);
	assert_int_equal(number(entry + 47 + 2, 2), 8);
	assert_int_equal(number(entry + 47 + 4, 8), second_at);
	end = entry + 46 + 1 + 12;

	assert_int_equal(number(end, 4), 0x06064b50);
	assert_int_equal(number(end + 4, 8), 44);
	assert_int_equal(number(end + 24, 8), 2);
	assert_int_equal(number(end + 32, 8), 2);
	assert_int_equal(number(end + 40, 8), (uint64_t)(end - out.bytes));
	assert_int_equal(number(end + 48, 8), directory_at);
	assert_int_equal(number(end + 56, 4), 0x07064b50);
	assert_int_equal(number(end + 64, 8), directory_at + (uint64_t)(end - out.bytes));
	assert_int_equal(number(end + 72, 4), 1);
	assert_int_equal(number(end + 76, 4), 0x06054b50);
	assert_int_equal(number(end + 76 + 16, 4), 0xffffffff);
	assert_int_equal(out.size, (size_t)(end - out.bytes) + 76 + 22);
	zip_deinit(&zip);
	text_deinit(&out);
}

static void test_no_member(void **state)
{
	struct text out;
	struct zip zip;

	(void)state;
	text_init(&out, 0);
	zip_init(&zip);
	zip_end(&zip, &out);
	assert_int_equal(out.size, 22);
	assert_int_equal(number(out.bytes, 4), 0x06054b50);
	assert_int_equal(number(out.bytes + 16, 4), 0);
	zip_deinit(&zip);
	text_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_members),
		cmocka_unit_test(test_zip64),
		cmocka_unit_test(test_no_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
