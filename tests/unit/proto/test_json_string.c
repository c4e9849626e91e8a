#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "proto/json_string.h"
#include <cmocka.h>

#define LONG (8u << 20) /* bytes; in square time this takes minutes */
#define LIMIT_NS 5000000000u

/* Where the string ends that text begins with, -1: nowhere. The text is an
 * allocation of its own: reading past it is seen. */
static long end_of(const char *text, bool *escaped)
{
	const size_t size = strlen(text);
	char *copy = malloc(size);
	const char *end;
	long place;

	memcpy(copy, text, size);
	end = json_string_end(copy, copy + size, escaped);
	place = end != NULL ? end - copy : -1;
	free(copy);
	return place;
}

static void expect(const char *text, long place, bool escaped)
{
	bool found;

	assert_int_equal(end_of(text, &found), place);
	if (place >= 0)
		assert_int_equal(found, escaped);
}

static void test_ends(void **state)
{
	(void)state;
	expect("\"\"", 2, false);
	expect("\"abc\",\"d\"", 5, false);
	expect("\"a\\/b\"", 6, true);
	expect("\"\\\"\"", 4, true);
	expect("\"\\\\\"", 4, true);
	expect("\"\\\\\\\"\"x", 6, true);
	expect("\"a\" \"\\\"", 3, false);
}

static void test_no_end(void **state)
{
	(void)state;
	expect("\"", -1, false);
	expect("\"a", -1, false);
	expect("\"a\\", -1, false);
	expect("\"a\\\"", -1, false);
	expect("\"\\\\\\\"", -1, false);
}

/* Escapes alone: each must not be a reason to read the rest again. */
static void test_many_escapes(void **state)
{
	static const char *const escapes[] = {"\\/", "\\\"", "\\\\"};
	char *text = malloc(LONG + 2);

	(void)state;
	assert_non_null(text);
	for (unsigned k = 0; k < sizeof(escapes) / sizeof(escapes[0]); k++) {
		uint64_t begin = clock_ns();
		bool escaped;

		text[0] = '"';
		for (size_t i = 1; i < LONG; i += 2)
			memcpy(text + i, escapes[k], 2);
		text[LONG + 1] = '"';
		assert_ptr_equal(json_string_end(text, text + LONG + 2, &escaped), text + LONG + 2);
		assert_true(escaped);
		assert_true(clock_ns() - begin < LIMIT_NS);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_many_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
