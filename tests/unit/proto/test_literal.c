#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "proto/literal.h"
#include <cmocka.h>

/* How many bytes of the text are the number; 0: none starts there. */
static size_t scan(struct literal *out, const char *text)
{
	const char *end = text + strlen(text);
	struct error err = {0};
	double value;

	if (!literal_scan(out, text, end))
		return 0;
	if (!out->integer)
		assert_int_equal(literal_store(out, DTYPE_FLOAT64, &value, &err), STATUS_OK);
	return (size_t)(out->end - text);
}

static void test_grammar(void **state)
{
	static const char *const bad[] = {"-", "01", "-01", "1.", "1.e5", ".5", "+1", "--1", "-.5"};
	struct literal literal;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(scan(&literal, bad[i]), 0);
	assert_int_equal(scan(&literal, "0"), 1);
	assert_true(literal.integer && literal.small && literal.value == 0);
	assert_int_equal(scan(&literal, "-12,3"), 3);
	assert_true(literal.integer && literal.negative && literal.value == 12);
	assert_int_equal(scan(&literal, "9999999999999999999"), 19);
	assert_true(literal.small && literal.value == 9999999999999999999u);
	assert_int_equal(scan(&literal, "10000000000000000000"), 20);
	assert_true(literal.integer && !literal.small);
	assert_int_equal(scan(&literal, "0.5]"), 3);
	assert_false(literal.integer);
	assert_int_equal(scan(&literal, "1E+2 "), 4);
	assert_false(literal.integer);
	assert_int_equal(scan(&literal, "10e,"), 2);
}

/* How many bytes are read, and into how many numbers. */
static size_t run(const char *text, double *out, uint64_t room, uint64_t *count)
{
	const size_t size = strlen(text);
	char *copy = malloc(size); /* reading past it is seen */
	const char *at = copy;
	size_t used;

	memcpy(copy, text, size);
	*count = literal_read_run(&at, copy + size, out, room);
	used = (size_t)(at - copy);
	free(copy);
	return used;
}

static void test_run(void **state)
{
	double out[8] = {0};
	uint64_t count;

	(void)state;
	assert_int_equal(run("1.5,-2e3, 0.25]", out, 8, &count), 14);
	assert_true(count == 3 && out[0] == 1.5 && out[1] == -2000 && out[2] == 0.25);
	assert_int_equal(run("1.5,2.5,3.5", out, 2, &count), 7);
	assert_int_equal(count, 2);
	/* up to what is something else, and no further than the last number */
	assert_int_equal(run("1.5,2,3.5", out, 8, &count), 3);
	assert_int_equal(run("1.5,  2.5", out, 8, &count), 3);
	assert_int_equal(run("1.5,[2.5", out, 8, &count), 3);
	assert_int_equal(run("1.5,-Infinity", out, 8, &count), 3);
	assert_int_equal(run("1.5,02.5", out, 8, &count), 3);
	assert_int_equal(run("1.5,2.", out, 8, &count), 3);
	assert_int_equal(run("1.5,-", out, 8, &count), 3);
	assert_int_equal(run("1.5, ", out, 8, &count), 3);
	assert_int_equal(run("1.5,", out, 8, &count), 3);
	assert_int_equal(run("1.5e,2.5", out, 8, &count), 3);
	assert_int_equal(count, 1);
	assert_int_equal(run("7,1.5", out, 8, &count), 0);
	assert_int_equal(run("1.5", out, 0, &count), 0);
	assert_int_equal(count, 0);
}

static void test_u64(void **state)
{
	struct literal literal;
	uint64_t value;

	(void)state;
	scan(&literal, "18446744073709551615");
	assert_true(literal_to_u64(&literal, &value) && value == UINT64_MAX);
	scan(&literal, "18446744073709551616");
	assert_false(literal_to_u64(&literal, &value));
	scan(&literal, "100000000000000000000000000000000000000000000");
	assert_false(literal_to_u64(&literal, &value));
}

/* The element's bits, or why not. */
static const char *store(const char *text, enum dtype dtype, uint64_t *bits)
{
	static struct error err;
	const size_t size = strlen(text);
	struct literal literal;
	void *element = malloc(dtype_size(dtype)); /* writing past it is seen */
	enum status status;

	*bits = 0;
	assert_true(literal_scan(&literal, text, text + size));
	status = literal_store(&literal, dtype, element, &err);
	if (status == STATUS_OK)
		memcpy(bits, element, dtype_size(dtype));
	free(element);
	assert_ptr_equal(literal.end, text + size);
	return status == STATUS_OK ? "" : err.text;
}

static void test_store(void **state)
{
	static const struct {
		enum dtype dtype;
		const char *text;
		uint64_t bits; /* of a little-endian machine */
		const char *why;
	} cases[] = {
		{DTYPE_BOOL, "1.0", 1, ""},
		{DTYPE_BOOL, "-0", 0, ""},
		{DTYPE_BOOL, "2", 0, "2 is out of the range of bool"},
		{DTYPE_BOOL, "-1", 0, "-1 is out of the range of bool"},
		{DTYPE_INT8, "-128", 0x80, ""},
		{DTYPE_INT8, "1270e-1", 127, ""},
		{DTYPE_INT8, "128", 0, "128 is out of the range of int8"},
		{DTYPE_INT8, "-129", 0, "-129 is out of the range of int8"},
		{DTYPE_INT16, "-1e0", 0xFFFF, ""},
		{DTYPE_INT32, "0.5", 0, "0.5 is no integer, for int32"},
		{DTYPE_INT64, "-9223372036854775808", UINT64_C(1) << 63, ""},
		{DTYPE_INT64, "-9223372036854775809", 0,
		 "-9223372036854775809 is out of the range of int64"},
		{DTYPE_UINT8, "2.55e2", 255, ""},
		{DTYPE_UINT64, "18446744073709551615.000", UINT64_MAX, ""},
		{DTYPE_UINT64, "-1", 0, "-1 is out of the range of uint64"},
		{DTYPE_UINT64, "1e99", 0, "1e99 is out of the range of uint64"},
		{DTYPE_UINT16, "100000000000000000000000000000000000000000000000", 0,
		 "1000000000000000000000000000000000000000... is out of the range of uint16"},
		{DTYPE_FLOAT16, "2", 0x4000, ""},
		{DTYPE_BFLOAT16, "-1.5e0", 0xBFC0, ""},
		{DTYPE_FLOAT32, "16777217.0000001", 0x4B800001, ""},
		{DTYPE_FLOAT64, "-2", UINT64_C(0xC000000000000000), ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t bits;

		assert_string_equal(store(cases[i].text, cases[i].dtype, &bits), cases[i].why);
		assert_int_equal(bits, cases[i].bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
