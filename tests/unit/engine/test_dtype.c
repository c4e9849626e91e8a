#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/dtype.h"

static void test_table(void **state)
{
	static const struct {
		const char *name;
		enum dtype dtype;
		size_t size;
		enum dtype_class class;
		enum domain domain;
	} rows[DTYPE_COUNT] = {
		{"bool", DTYPE_BOOL, 1, DTYPE_CLASS_BOOL, DOMAIN_I64},
		{"int8", DTYPE_INT8, 1, DTYPE_CLASS_INT, DOMAIN_I64},
		{"int16", DTYPE_INT16, 2, DTYPE_CLASS_INT, DOMAIN_I64},
		{"int32", DTYPE_INT32, 4, DTYPE_CLASS_INT, DOMAIN_I64},
		{"int64", DTYPE_INT64, 8, DTYPE_CLASS_INT, DOMAIN_I64},
		{"uint8", DTYPE_UINT8, 1, DTYPE_CLASS_UINT, DOMAIN_U64},
		{"uint16", DTYPE_UINT16, 2, DTYPE_CLASS_UINT, DOMAIN_U64},
		{"uint32", DTYPE_UINT32, 4, DTYPE_CLASS_UINT, DOMAIN_U64},
		{"uint64", DTYPE_UINT64, 8, DTYPE_CLASS_UINT, DOMAIN_U64},
		{"float16", DTYPE_FLOAT16, 2, DTYPE_CLASS_FLOAT, DOMAIN_F64},
		{"bfloat16", DTYPE_BFLOAT16, 2, DTYPE_CLASS_FLOAT, DOMAIN_F64},
		{"float32", DTYPE_FLOAT32, 4, DTYPE_CLASS_FLOAT, DOMAIN_F64},
		{"float64", DTYPE_FLOAT64, 8, DTYPE_CLASS_FLOAT, DOMAIN_F64},
	};
	enum dtype dtype;
	size_t i;

	(void)state;
	for (i = 0; i < DTYPE_COUNT; i++) {
		assert_string_equal(dtype_name(rows[i].dtype), rows[i].name);
		assert_int_equal(dtype_size(rows[i].dtype), rows[i].size);
		assert_int_equal(dtype_class(rows[i].dtype), rows[i].class);
		assert_int_equal(dtype_domain(rows[i].dtype), rows[i].domain);
		assert_int_equal(dtype_is_float(rows[i].dtype), rows[i].class == DTYPE_CLASS_FLOAT);
		assert_true(dtype_from_name(rows[i].name, &dtype));
		assert_int_equal(dtype, rows[i].dtype);
	}
}

static void test_unknown_names(void **state)
{
	static const char *const names[] = {"", "float", "Float32", "float32 ", "complex64", "<f4"};
	enum dtype dtype = DTYPE_INT8;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(dtype_from_name(names[i], &dtype));
	assert_int_equal(dtype, DTYPE_INT8); /* untouched */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
