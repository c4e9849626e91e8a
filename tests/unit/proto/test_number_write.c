#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include "proto/half.h"
#include "proto/number_write.h"
#include <cmocka.h>

static const char *write_f64(double value)
{
	static char text[33];

	text[number_write(text, DTYPE_FLOAT64, &value)] = '\0';
	return text;
}

static void test_writing(void **state)
{
	const float million = 16777216.0f * 8192;
	const int64_t least = INT64_MIN;
	char text[33];

	(void)state;
	assert_string_equal(write_f64(6), "6.0");
	assert_string_equal(write_f64(-0.0), "-0.0");
	assert_string_equal(write_f64(1e22), "1e+22");
	assert_string_equal(write_f64(0.1), "0.1");
	assert_string_equal(write_f64(1e-4), "0.0001");
	assert_string_equal(write_f64(1e-5), "1e-05");
	assert_string_equal(write_f64(9999999999999998), "9999999999999998.0");
	assert_string_equal(write_f64(1e16), "1e+16");
	assert_string_equal(write_f64(5e-324), "5e-324");
	assert_string_equal(write_f64(-1.7976931348623157e308), "-1.7976931348623157e+308");
	text[number_write(text, DTYPE_FLOAT32, &million)] = '\0';
	assert_string_equal(text, "137438950000.0");
	text[number_write(text, DTYPE_INT64, &least)] = '\0';
	assert_string_equal(text, "-9223372036854775808");
}

static void test_every_type(void **state)
{
	static const struct {
		enum dtype dtype;
		unsigned char element[8]; /* of a little-endian machine */
		const char *text;
	} cases[] = {
		{DTYPE_BOOL, {0}, "false"},
		{DTYPE_BOOL, {2}, "true"},
		{DTYPE_INT8, {0x80}, "-128"},
		{DTYPE_INT16, {0x00, 0x80}, "-32768"},
		{DTYPE_INT32, {0xFF, 0xFF, 0xFF, 0x7F}, "2147483647"},
		{DTYPE_UINT8, {0xFF}, "255"},
		{DTYPE_UINT16, {0xFF, 0xFF}, "65535"},
		{DTYPE_UINT32, {0xFF, 0xFF, 0xFF, 0xFF}, "4294967295"},
		{DTYPE_UINT64,
		 {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
		 "18446744073709551615"},
		{DTYPE_FLOAT16, {0xFF, 0x7B}, "65500.0"},
		{DTYPE_FLOAT16, {0x01, 0x80}, "-6e-08"},
		{DTYPE_FLOAT16, {0x00, 0x80}, "-0.0"},
		{DTYPE_FLOAT16, {0x00, 0xFC}, "\"-Infinity\""},
		{DTYPE_BFLOAT16, {0x80, 0x3F}, "1.0"},
		{DTYPE_BFLOAT16, {0xC0, 0x7F}, "\"NaN\""},
		{DTYPE_FLOAT32, {0x00, 0x00, 0x80, 0x7F}, "\"Infinity\""},
	};
	char text[33];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text[number_write(text, cases[i].dtype, cases[i].element)] = '\0';
		assert_string_equal(text, cases[i].text);
	}
}

/* Every finite 16-bit float comes back from its own text. */
static void test_half_round_trip(void **state)
{
	static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16};
	uint32_t bits;
	int t;

	(void)state;
	for (t = 0; t < 2; t++) {
		for (bits = 0; bits < 65536; bits++) {
			uint16_t in = (uint16_t)bits, out;
			char text[33];
			size_t size = number_write(text, types[t], &in);

			assert_true(size <= 32);
			if (text[0] == '"')
				continue;
			assert_ptr_equal(half_read(text, text + size, types[t], &out), text + size);
			assert_int_equal(in, out);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writing),
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_half_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
