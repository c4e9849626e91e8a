#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "asking.h"
#include "proto/file_source.h"
#include "proto/number_write.h"
#include <cmocka.h>

static int set_up(void **state)
{
	(void)state;
	asking_start();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	asking_stop();
	return 0;
}

static void write_npy(const char *name, const char *descr, const char *order, const char *shape,
		      const void *data, size_t size)
{
	char file[512];
	int length =
		snprintf(file + 10, 200, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
			 descr, order, shape);

	memcpy(file, "\x93NUMPY\1\0", 8);
	file[8] = (char)length;
	file[9] = 0;
	memcpy(file + 10 + length, data, size);
	asking_write(name, file, 10 + (size_t)length + size);
}

static struct input files(char **paths, size_t count)
{
	return (struct input){.kind = INPUT_FILES, .at = "", .paths = paths, .path_count = count};
}

/* "int16(2)(3): 1,2,3" read in pieces of `piece` elements; or a code. */
static const char *contents(const struct input *input, const struct job *job, uint64_t piece)
{
	static char line[1024];
	struct limits limits;
	struct input_context context = {.files = &asking_files, .limits = &limits, .job = job};
	struct source *source;
	struct error err = {0};
	uint64_t got, i;
	size_t used, size;
	bool first = true;
	char data[512];
	enum status status;

	limits_default(&limits);
	limits.files = 3;
	status = file_source_open(input, &context, &source, &err);
	if (status != STATUS_OK)
		return status_code(status);
	used = (size_t)sprintf(line, "%s", dtype_name(source->desc.dtype));
	for (i = 0; i < source->desc.ndim; i++)
		used += (size_t)sprintf(line + used, "(%llu)",
					(unsigned long long)source->desc.shape[i]);
	used += (size_t)sprintf(line + used, source->desc.fortran ? "F:" : ":");
	size = dtype_size(source->desc.dtype);
	do {
		status = source->read(source, data, piece, &got, &err);
		for (i = 0; status == STATUS_OK && i < got; i++, first = false) {
			line[used++] = first ? ' ' : ',';
			used += number_write(line + used, source->desc.dtype, data + i * size);
		}
	} while (status == STATUS_OK && got == piece);
	line[used] = '\0';
	if (status == STATUS_OK)
		status = source->verify(source, &err);
	source_close(source);
	return status == STATUS_OK ? line : status_code(status);
}

static const int16_t shorts[] = {1, 2, 3, 4, 5, 6};
static const int16_t big[] = {0x0100, 0x0200, 0x0300, 0x0400, 0x0500, 0x0600};
static const struct job plain = {.op_count = 1, .ops = {{.spec = {.op = OP_SUM}}}};
static const struct job by_axis = {.op_count = 1, .has_axis = true, .axis_count = 1};
static const struct job argmax = {.op_count = 1, .ops = {{.spec = {.op = OP_ARGMAX}}}};

static void test_joined(void **state)
{
	char *paths[] = {"a", "b", "c", "d"};
	struct input input = files(paths, 1);
	uint64_t piece;

	(void)state;
	write_npy("a", "<i2", "False", "(2, 3)", shorts, 12);
	write_npy("b", ">i2", "False", "(1, 3)", big, 6);
	write_npy("c", "<i2", "False", "(0, 3)", shorts, 0);
	write_npy("d", "<i2", "False", "(2,)", shorts, 4);
	for (piece = 1; piece <= 20; piece += 3) {
		input.path_count = 1;
		assert_string_equal(contents(&input, &by_axis, piece), "int16(2)(3): 1,2,3,4,5,6");
		input.path_count = 3;
		assert_string_equal(contents(&input, &by_axis, piece),
				    "int16(3)(3): 1,2,3,4,5,6,1,2,3");
	}
	/* another shape: flat, or refused when there is an axis */
	paths[2] = "d";
	assert_string_equal(contents(&input, &plain, 100), "int16(11): 1,2,3,4,5,6,1,2,3,1,2");
	assert_string_equal(contents(&input, &by_axis, 100), "bad_shape");
	input.path_count = 4;
	assert_string_equal(contents(&input, &plain, 100), "too_large");
	write_npy("b", "<u2", "False", "(1, 3)", shorts, 6);
	input.path_count = 2;
	assert_string_equal(contents(&input, &plain, 100), "bad_dtype");
}

static void test_fortran(void **state)
{
	char *paths[] = {"a", "b"};
	struct input input = files(paths, 1);

	(void)state;
	write_npy("a", "<i2", "True", "(2, 3)", shorts, 12);
	write_npy("b", "<i2", "False", "(2, 3)", shorts, 12);
	assert_string_equal(contents(&input, &by_axis, 4), "int16(2)(3)F: 1,2,3,4,5,6");
	input.path_count = 2;
	assert_string_equal(contents(&input, &plain, 4), "int16(12): 1,2,3,4,5,6,1,2,3,4,5,6");
	assert_string_equal(contents(&input, &argmax, 4), "bad_shape");
	assert_string_equal(contents(&input, &by_axis, 4), "bad_shape");
}

static void test_formats(void **state)
{
	char *paths[] = {"x.npy"};
	struct input input = files(paths, 1);

	(void)state;
	asking_write("x.npy", "\1\2\3\4", 4);
	assert_string_equal(contents(&input, &plain, 9), "bad_npy");
	input.format = FORMAT_RAW;
	input.has_dtype = true;
	input.dtype = DTYPE_UINT16;
	assert_string_equal(contents(&input, &plain, 9), "uint16(2): 513,1027");
	input.big_endian = input.has_byteorder = true;
	input.has_offset = true;
	input.offset = 2;
	assert_string_equal(contents(&input, &plain, 9), "uint16(1): 772");
	input.offset = 1;
	assert_string_equal(contents(&input, &plain, 9), "bad_shape");
	input.offset = 5;
	assert_string_equal(contents(&input, &plain, 9), "file_truncated");
	input.offset = 0;
	input.has_shape = true;
	input.ndim = 2;
	input.shape[0] = 2;
	input.shape[1] = 1;
	assert_string_equal(contents(&input, &plain, 9), "uint16(2)(1): 258,772");
	input.shape[0] = 3;
	assert_string_equal(contents(&input, &plain, 9), "bad_shape");
	write_npy("x.npy", "<i2", "False", "(6,)", shorts, 11);
	input = files(paths, 1);
	assert_string_equal(contents(&input, &plain, 9), "file_truncated");
	write_npy("x.npy", "<i2", "False", "(5,)", shorts, 12);
	assert_string_equal(contents(&input, &plain, 9), "bad_npy");
	asking_write("x.npy", "\x93NUMPY\1\0\x70\0{", 11);
	assert_string_equal(contents(&input, &plain, 9), "file_truncated");
	paths[0] = "x.csv";
	asking_write("x.csv", "1,2", 3);
	assert_string_equal(contents(&input, &plain, 9), "not_implemented");
}

/* Change a file between two pieces. */
static const char *meddled(void (*meddle)(void))
{
	char *paths[] = {"m", "n"};
	struct input input = files(paths, 2);
	struct limits limits;
	struct input_context context = {.files = &asking_files, .limits = &limits, .job = &plain};
	struct source *source;
	struct error err = {0};
	int16_t data[16];
	uint64_t got;
	enum status status;

	limits_default(&limits);
	write_npy("m", "<i2", "False", "(6,)", shorts, 12);
	write_npy("n", "<i2", "False", "(6,)", shorts, 12);
	assert_int_equal(file_source_open(&input, &context, &source, &err), STATUS_OK);
	assert_int_equal(source->read(source, data, 4, &got, &err), STATUS_OK);
	meddle();
	status = source->read(source, data, 16, &got, &err);
	if (status == STATUS_OK)
		status = source->verify(source, &err);
	source_close(source);
	return status == STATUS_OK ? "ok" : status_code(status);
}

static void nothing(void)
{
}

static void shorter(void)
{
	write_npy("m", "<i2", "False", "(2,)", shorts, 4);
}

static void touched(void)
{
	/* the same bytes: only the time tells */
	usleep(20000);
	write_npy("m", "<i2", "False", "(6,)", shorts, 12);
}

static void replaced(void)
{
	asking_write("n", "something else", 14);
}

static void gone(void)
{
	char *path = NULL;
	int fd = -1;
	char link[64], target[512];
	ssize_t size;

	/* the directory is the harness's own: find it by a file in it */
	assert_int_equal(asking_files.open_read(NULL, "n", &fd, NULL), STATUS_OK);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, target, sizeof(target) - 1);
	assert_true(size > 0);
	target[size] = '\0';
	path = target;
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void test_changes(void **state)
{
	(void)state;
	assert_string_equal(meddled(nothing), "ok");
	assert_string_equal(meddled(shorter), "file_truncated");
	assert_string_equal(meddled(touched), "file_changed");
	assert_string_equal(meddled(replaced), "file_changed");
	assert_string_equal(meddled(gone), "file_changed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_fortran),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
