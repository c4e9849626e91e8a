#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "proto/gzip.h"
#include "proto/text.h"

/* By gzip 1.12: printf 'hello, ' | gzip -n9; printf 'world\n' | gzip -n9; printf '' | gzip -n9 */
static const unsigned char hello[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
				      0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x00,
				      0x00, 0x99, 0x56, 0xea, 0x11, 0x07, 0x00, 0x00, 0x00};
static const unsigned char world[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
				      0x03, 0x2b, 0xcf, 0x2f, 0xca, 0x49, 0xe1, 0x02, 0x00,
				      0xa8, 0x61, 0x38, 0xdd, 0x06, 0x00, 0x00, 0x00};
static const unsigned char nothing[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
					0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

static enum status collect(void *context, const void *bytes, size_t size, struct error *err)
{
	(void)err;
	assert_true(size > 0 && size <= 65536);
	text_add(context, bytes, size);
	return STATUS_OK;
}

/* Stops after a million bytes, as a limit on bodies does. */
static enum status refuse_much(void *context, const void *bytes, size_t size, struct error *err)
{
	uint64_t *seen = context;

	(void)bytes;
	*seen += size;
	if (*seen > 1000000)
		return fail(err, STATUS_TOO_LARGE, "enough");
	return STATUS_OK;
}

/* Decode bytes given `piece` at a time; the status of feed or, after it, end. */
static enum status decode(struct text *out, const unsigned char *bytes, size_t size, size_t piece,
			  struct error *err)
{
	struct gunzip *gunzip = gunzip_create();
	enum status status = STATUS_OK;

	assert_non_null(gunzip);
	text_init(out, 0);
	for (size_t at = 0; at < size && status == STATUS_OK; at += piece)
		status = gunzip_feed(gunzip, bytes + at, size - at < piece ? size - at : piece,
				     collect, out, err);
	if (status == STATUS_OK)
		status = gunzip_end(gunzip, err);
	else
		assert_int_not_equal(gunzip_end(gunzip, NULL), STATUS_OK);
	gunzip_destroy(gunzip);
	return status;
}

static void test_members_in_pieces_of_any_size(void **state)
{
	unsigned char both[sizeof(hello) + sizeof(nothing) + sizeof(world)];

	(void)state;
	memcpy(both, hello, sizeof(hello));
	memcpy(both + sizeof(hello), nothing, sizeof(nothing));
	memcpy(both + sizeof(hello) + sizeof(nothing), world, sizeof(world));
	for (size_t piece = 1; piece <= sizeof(both); piece++) {
		struct text text;
		struct error err = {0};

		assert_int_equal(decode(&text, both, sizeof(both), piece, &err), STATUS_OK);
		assert_int_equal(text.size, 13);
		assert_memory_equal(text.bytes, "hello, world\n", 13);
		text_deinit(&text);
	}
}

static void test_every_cut_is_told(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(hello); size++) {
		struct text text;
		struct error err = {0};

		assert_int_equal(decode(&text, hello, size, 5, &err), STATUS_BAD_VALUE);
		assert_string_equal(err.text, "the gzip data of the body ends early");
		text_deinit(&text);
	}
}

static void test_garbage_after_the_end(void **state)
{
	unsigned char bytes[sizeof(hello) + 4];

	(void)state;
	memcpy(bytes, hello, sizeof(hello));
	for (size_t piece = 1; piece <= sizeof(bytes); piece++) {
		struct text text;
		struct error err = {0};

		memcpy(bytes + sizeof(hello), "junk", 4);
		assert_int_equal(decode(&text, bytes, sizeof(bytes), piece, &err),
				 STATUS_BAD_VALUE);
		assert_non_null(strstr(err.text, "after the end"));
		text_deinit(&text);

		memset(bytes + sizeof(hello), 0, 4);
		assert_int_equal(decode(&text, bytes, sizeof(bytes), piece, &err),
				 STATUS_BAD_VALUE);
		text_deinit(&text);
	}
}

/* One byte changed: an error, or (in header fields without meaning) the same text. */
static void test_every_damaged_byte(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(hello); at++) {
		unsigned char bytes[sizeof(hello)];
		struct text text;
		struct error err = {0};
		/* MTIME, XFL and OS of RFC 1952; padding after the last block. */
		bool idle = (at >= 4 && at < 10) || at == 18;

		memcpy(bytes, hello, sizeof(hello));
		bytes[at] ^= 0x80;
		assert_int_equal(decode(&text, bytes, sizeof(bytes), sizeof(bytes), &err),
				 idle ? STATUS_OK : STATUS_BAD_VALUE);
		assert_true(idle || err.text[0] != 0);
		text_deinit(&text);
	}
}

static void test_zlib_data_is_not_gzip(void **state)
{
	unsigned char bytes[64];
	uLongf size = sizeof(bytes);
	struct text text;
	struct error err = {0};

	(void)state;
	assert_int_equal(compress(bytes, &size, (const Bytef *)"hello", 5), Z_OK);
	assert_int_equal(decode(&text, bytes, size, size, &err), STATUS_BAD_VALUE);
	text_deinit(&text);
}

static void test_failure_of_the_sink_is_passed_on(void **state)
{
	size_t size = 64u << 20, packed_size;
	unsigned char *zeros = calloc(1, size), *packed;
	struct gunzip *gunzip = gunzip_create();
	uint64_t seen = 0;
	struct error err = {0};

	(void)state;
	assert_non_null(zeros);
	packed = gzip_all(zeros, size, &packed_size);
	assert_non_null(packed);
	assert_true(packed_size < size / 100); /* a bomb */
	assert_int_equal(gunzip_feed(gunzip, packed, packed_size, refuse_much, &seen, &err),
			 STATUS_TOO_LARGE);
	assert_string_equal(err.text, "enough");
	assert_true(seen <= 1000000 + 65536); /* not one piece more */
	assert_int_not_equal(gunzip_feed(gunzip, packed, 1, refuse_much, &seen, &err), STATUS_OK);
	assert_int_not_equal(gunzip_end(gunzip, &err), STATUS_OK);
	gunzip_destroy(gunzip);
	free(packed);
	free(zeros);
}

/* What gzip_all() made, read by zlib itself. */
static void test_compressed_text_comes_back(void **state)
{
	(void)state;
	for (size_t size = 200; size < 5000000; size = size * 3 + 1) {
		unsigned char *bytes = malloc(size), *packed, *back = malloc(size + 1);
		size_t packed_size;
		z_stream stream = {0};

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)("0123456789,.[]"[(i * i / 7) % 14]);
		packed = gzip_all(bytes, size, &packed_size);
		assert_non_null(packed);
		assert_true(packed_size < size);
		stream.next_in = packed;
		stream.avail_in = (uInt)packed_size;
		stream.next_out = back;
		stream.avail_out = (uInt)size + 1;
		assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
		assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
		assert_int_equal(stream.total_out, size);
		assert_int_equal(stream.avail_in, 0);
		assert_memory_equal(back, bytes, size);
		inflateEnd(&stream);
		free(bytes);
		free(packed);
		free(back);
	}
}

static void test_nothing_is_won(void **state)
{
	unsigned char noise[4096];
	uint64_t x = 88172645463325252u; /* xorshift64: Marsaglia 2003 */
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(noise); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		noise[i] = (unsigned char)(x >> 32);
	}
	assert_null(gzip_all(noise, sizeof(noise), &size));
	assert_null(gzip_all("", 0, &size));
	assert_null(gzip_all("a", 1, &size));
	assert_null(gzip_all("aaaaaaaaaaaaaaaaaaaa", 20, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_in_pieces_of_any_size),
		cmocka_unit_test(test_every_cut_is_told),
		cmocka_unit_test(test_garbage_after_the_end),
		cmocka_unit_test(test_every_damaged_byte),
		cmocka_unit_test(test_zlib_data_is_not_gzip),
		cmocka_unit_test(test_failure_of_the_sink_is_passed_on),
		cmocka_unit_test(test_compressed_text_comes_back),
		cmocka_unit_test(test_nothing_is_won),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
