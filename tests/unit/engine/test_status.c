#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* of cmocka: ours is in status.h */

#include <string.h>
#include "engine/status.h"

static void test_every_status_has_words(void **state)
{
	int status, other;

	(void)state;
	for (status = 0; status < STATUS_COUNT; status++) {
		assert_non_null(status_code((enum status)status));
		assert_true(strlen(status_title((enum status)status)) > 0);
		for (other = 0; other < status; other++)
			assert_string_not_equal(status_code((enum status)status),
						status_code((enum status)other));
	}
	assert_string_equal(status_code(STATUS_INTEGER_OVERFLOW), "integer_overflow");
	assert_string_equal(status_code(STATUS_BAD_JSON), "bad_json");
}

static void test_fail_fills_and_forgets(void **state)
{
	struct error err;

	(void)state;
	memset(&err, 0x5a, sizeof(err));
	assert_int_equal(fail_at(&err, STATUS_BAD_VALUE, "/op/1", "%d is not %s", 3, "four"),
			 STATUS_BAD_VALUE);
	assert_int_equal(err.status, STATUS_BAD_VALUE);
	assert_string_equal(err.text, "3 is not four");
	assert_true(err.has_pointer);
	assert_string_equal(err.pointer, "/op/1");
	assert_false(err.has_index);
	assert_string_equal(err.value, "");

	assert_int_equal(fail(&err, STATUS_BAD_JSON, "no"), STATUS_BAD_JSON);
	assert_false(err.has_pointer);
	assert_string_equal(err.pointer, "");
	assert_int_equal(fail(NULL, STATUS_TIMEOUT, "no"), STATUS_TIMEOUT);
	assert_int_equal(fail_at(NULL, STATUS_TIMEOUT, "", "no"), STATUS_TIMEOUT);
}

static void test_fail_may_quote_itself(void **state)
{
	struct error err = {0};

	(void)state;
	fail_at(&err, STATUS_BAD_JOB, "/a", "inner");
	fail_at(&err, STATUS_BAD_JOB, err.pointer, "outer: %s", err.text);
	assert_string_equal(err.text, "outer: inner");
	assert_string_equal(err.pointer, "/a");
}

static void test_texts_are_cut_and_stay_utf8(void **state)
{
	struct error err = {0};
	char text[1000];
	size_t i;

	(void)state;
	/* One byte, then two-byte letters: the cut falls inside of one. */
	text[0] = 'x';
	for (i = 1; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[i] = '\0';
	fail_at(&err, STATUS_BAD_JSON, text, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(strlen(err.pointer), sizeof(err.pointer) - 1);
	assert_memory_equal(err.text, text, sizeof(err.text) - 1);

	fail(&err, STATUS_BAD_JSON, "x%s", text);
	assert_int_equal(err.text[sizeof(err.text) - 2], '?');
	assert_memory_equal(err.text + 1, text, sizeof(err.text) - 3);
}

static void test_broken_bytes_become_question_marks(void **state)
{
	static const char *const pairs[][2] = {
		{"a\nb\x7f\x1b[0m", "a?b??[0m"},
		{"\xff\xfe", "??"},
		{"\xc3", "?"},
		{"\xc0\xaf", "??"},           /* overlong */
		{"\xed\xa0\x80", "???"},      /* a surrogate */
		{"\xe0\x80\x80", "???"},      /* overlong */
		{"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
		{"\xf0\x80\x80\x80", "????"}, /* overlong */
		{"\xe2\x82", "??"},           /* cut short */
		{"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
	};
	struct error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		fail(&err, STATUS_BAD_JSON, "%s", pairs[i][0]);
		assert_string_equal(err.text, pairs[i][1]);
	}
	fail_at(&err, STATUS_BAD_JSON, "/a\nb\xff", "no");
	assert_string_equal(err.pointer, "/a\nb?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_status_has_words),
		cmocka_unit_test(test_fail_fills_and_forgets),
		cmocka_unit_test(test_fail_may_quote_itself),
		cmocka_unit_test(test_texts_are_cut_and_stay_utf8),
		cmocka_unit_test(test_broken_bytes_become_question_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
