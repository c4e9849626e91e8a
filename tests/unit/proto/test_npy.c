#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/npy.h"
#include <cmocka.h>

/* "float64 C swap (2)(3)", or a code. */
static const char *parse(int version, const char *dictionary, const enum dtype *as)
{
	static char line[512];
	const size_t length = strlen(dictionary), prefix = version > 1 ? 12 : 10;
	unsigned char *bytes = calloc(1, prefix + length);
	struct npy_header header;
	struct error err = {0};
	enum status status;
	unsigned i;

	memcpy(bytes, NPY_MAGIC, NPY_MAGIC_SIZE);
	bytes[6] = (unsigned char)version;
	bytes[8] = (unsigned char)length;
	bytes[9] = (unsigned char)(length >> 8);
	memcpy(bytes + prefix, dictionary, length);
	status = npy_header_parse(&header, bytes, prefix + length, as, &err);
	free(bytes);
	if (status != STATUS_OK) {
		assert_true(err.text[0] != '\0');
		return status_code(status);
	}
	assert_int_equal(header.data_offset, prefix + length);
	snprintf(line, sizeof(line), "%s %c%s ", dtype_name(header.desc.dtype),
		 header.desc.fortran ? 'F' : 'C', header.swap ? " swap" : "");
	for (i = 0; i < header.desc.ndim; i++)
		sprintf(line + strlen(line), "(%llu)", (unsigned long long)header.desc.shape[i]);
	return line;
}

#define F8(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }\n"
#define DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2,), }"

static void test_forms(void **state)
{
	int version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		assert_string_equal(parse(version, F8("(3,)"), NULL), "float64 C (3)");
		assert_string_equal(parse(version, F8("()"), NULL), "float64 C ");
	}
	assert_string_equal(parse(1, F8("(2, 3)") "   \n", NULL), "float64 C (2)(3)");
	assert_string_equal(parse(1, F8("(2L, 3L,)"), NULL), "float64 C (2)(3)");
	assert_string_equal(parse(1, F8("(0, 9223372036854775807)"), NULL),
			    "bad_npy"); /* NumPy refuses it too */
	assert_string_equal(
		parse(1, "{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\">i4\"}", NULL),
		"int32 F swap (2)(3)");
	assert_string_equal(
		parse(1, "{'shape': (5,), 'fortran_order': True, 'descr': '|b1'}", NULL),
		"bool C (5)");
}

static void test_descr(void **state)
{
	static const enum dtype brain = DTYPE_BFLOAT16, half = DTYPE_FLOAT16;
	static const char *const bad[] = {
		"'<c8'", "'<c16'", "'<f16'",         "'<M8[ns]'", "'<U5'", "'|S3'", "'|O'",
		"'<V2'", "'|V4'",  "[('a', '<i4')]", "'zz9'",     "''",    "'<'",   "'<i3'"};
	size_t i;

	(void)state;
	assert_string_equal(parse(1, DESCR("'|u1'"), NULL), "uint8 C (2)");
	assert_string_equal(parse(1, DESCR("'>u1'"), NULL), "uint8 C (2)");
	assert_string_equal(parse(1, DESCR("'?'"), NULL), "bool C (2)");
	assert_string_equal(parse(1, DESCR("'=f4'"), NULL), "float32 C (2)");
	assert_string_equal(parse(1, DESCR("'>f2'"), NULL), "float16 C swap (2)");
	assert_string_equal(parse(1, DESCR("'<V2'"), &brain), "bfloat16 C (2)");
	assert_string_equal(parse(1, DESCR("'>V2'"), &brain), "bfloat16 C swap (2)");
	assert_string_equal(parse(1, DESCR("'<V2'"), &half), "bad_dtype");
	assert_string_equal(parse(1, DESCR("'<f4'"), &brain), "bad_dtype");
	assert_string_equal(parse(1, DESCR("'<f2'"), &half), "float16 C (2)");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "{'descr': %s, 'fortran_order': False, 'shape': (2,), }", bad[i]);
		assert_string_equal(parse(1, text, NULL), "bad_dtype");
	}
}

static void test_garbage(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"{}",
		"[]",
		"{'descr': '<f8', 'fortran_order': False}",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
		"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': 5, 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}",
		"{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '<f8, 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x",
		F8("(2)"),
		F8("2"),
		F8("(,)"),
		F8("(2,,)"),
		F8("(-1,)"),
		F8("(1.5,)"),
		F8("(2 3)"),
		F8("(9223372036854775808,)"),
		F8("(99999999999999999999999999,)"),
		F8("(4294967296, 4294967296)"),
		F8("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_string_equal(parse(1, bad[i], NULL), "bad_npy");
	assert_string_equal(parse(4, F8("(2,)"), NULL), "bad_npy");
	assert_string_equal(parse(0, F8("(2,)"), NULL), "bad_npy");
}

static void test_size(void **state)
{
	uint64_t size = 0;

	(void)state;
	assert_int_equal(npy_header_size("\x93NUMPY\1\0\x76\0{'", 12, &size, NULL), STATUS_OK);
	assert_int_equal(size, 128);
	assert_int_equal(npy_header_size("\x93NUMPY\2\0\x74\0\0\0", 12, &size, NULL), STATUS_OK);
	assert_int_equal(size, 128);
	assert_int_equal(npy_header_size("\x93NUMPY\2\0\xff\xff\xff\xff", 12, &size, NULL),
			 STATUS_BAD_NPY);
	assert_int_equal(npy_header_size("\x93NUMPY\2\0\x74\0", 10, &size, NULL), STATUS_BAD_NPY);
	assert_int_equal(npy_header_size("\x93NUM", 4, &size, NULL), STATUS_BAD_NPY);
	assert_int_equal(npy_header_size("PK\3\4........", 12, &size, NULL), STATUS_BAD_NPY);
}

static void test_written(void **state)
{
	struct array_desc desc = {
		.dtype = DTYPE_FLOAT64, .ndim = 2, .shape = {2, 3}, .fortran = true};
	char bytes[1024];
	struct npy_header header;
	unsigned i;

	(void)state;
	assert_int_equal(npy_header_room(2), 128);
	npy_header_write(bytes, 128, &desc);
	assert_memory_equal(
		bytes,
		"\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
		10 + 58);
	assert_int_equal(bytes[127], '\n');
	/* the largest there is, in 1.0 and, in a room too large for it, in 2.0 */
	desc.ndim = ARRAY_MAX_NDIM;
	for (i = 0; i < ARRAY_MAX_NDIM; i++)
		desc.shape[i] = 1;
	desc.shape[7] = INT64_MAX / 8;
	assert_true(npy_header_room(ARRAY_MAX_NDIM) <= sizeof(bytes));
	npy_header_write(bytes, npy_header_room(ARRAY_MAX_NDIM), &desc);
	assert_int_equal(
		npy_header_parse(&header, bytes, npy_header_room(ARRAY_MAX_NDIM), NULL, NULL),
		STATUS_OK);
	assert_memory_equal(header.desc.shape, desc.shape, sizeof(desc.shape));
	assert_int_equal(header.data_offset, npy_header_room(ARRAY_MAX_NDIM));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),   cmocka_unit_test(test_descr),
		cmocka_unit_test(test_garbage), cmocka_unit_test(test_size),
		cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
