#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "proto/base64.h"
#include <cmocka.h>

static void decodes(const char *text, const char *bytes)
{
	struct error err = {0};
	void *out = NULL;
	size_t size = 0;

	assert_int_equal(base64_decode(text, strlen(text), "/base64", &out, &size, &err),
			 STATUS_OK);
	assert_int_equal(size, strlen(bytes));
	assert_non_null(out);
	assert_memory_equal(out, bytes, size);
	free(out);
}

static void encodes(const char *bytes, size_t size, const char *text)
{
	struct text out;

	text_init(&out, 0);
	base64_write(&out, bytes, size);
	assert_false(out.failed);
	assert_int_equal(out.size, strlen(text));
	if (out.size > 0)
		assert_memory_equal(out.bytes, text, out.size);
	text_deinit(&out);
}

/* RFC 4648 section 10. */
static void test_vectors(void **state)
{
	(void)state;
	decodes("", "");
	decodes("Zg==", "f");
	decodes("Zm8=", "fo");
	decodes("Zm9v", "foo");
	decodes("Zm9vYg==", "foob");
	decodes("Zm9vYmE=", "fooba");
	decodes("Zm9vYmFy", "foobar");
	decodes("+/+/", "\xfb\xff\xbf");
}

static void test_written(void **state)
{
	(void)state;
	encodes("", 0, "");
	encodes("f", 1, "Zg==");
	encodes("fo", 2, "Zm8=");
	encodes("foo", 3, "Zm9v");
	encodes("foob", 4, "Zm9vYg==");
	encodes("fooba", 5, "Zm9vYmE=");
	encodes("foobar", 6, "Zm9vYmFy");
	encodes("\xfb\xff\xbf\0\x10\x83", 6, "+/+/ABCD");
}

static void test_strict(void **state)
{
	static const char *const bad[] = {"Z",        "Zg",   "Zg=",  "Zg===",   "Zm9v\n",
					  "Zm 9v",    "Zh==", "Zm9=", "Z===",    "====",
					  "Zg==Zg==", "Zm9-", "Zm_v", "Zm8=Zm9v"};
	struct error err = {0};
	void *out;
	size_t size, i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			base64_decode(bad[i], strlen(bad[i]), "/with/base64", &out, &size, &err),
			STATUS_BAD_VALUE);
		assert_string_equal(err.pointer, "/with/base64");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors),
					   cmocka_unit_test(test_written),
					   cmocka_unit_test(test_strict)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
