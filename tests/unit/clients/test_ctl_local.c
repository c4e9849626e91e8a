#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clients/ctl_local.h"

static char path[] = "/tmp/test_ctl_local.XXXXXX";

static void file_make(const void *bytes, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

/* Whole content, in steps; sizes around that of the head. */
static void test_read(void **state)
{
	static const size_t sizes[] = {1, CTL_LOCAL_HEAD - 1, CTL_LOCAL_HEAD, CTL_LOCAL_HEAD + 1,
				       300};
	char bytes[300], got_bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		file_make(bytes, sizes[i]);
		for (size_t step = 1; step <= 100; step += 9) {
			struct ctl_local local;
			size_t at = 0, got = 1;

			assert_int_equal(ctl_local_open(&local, path), CTL_OK);
			assert_int_equal(local.size, sizes[i]);
			while (got != 0) {
				size_t room = sizeof(got_bytes) - at < step ? sizeof(got_bytes) - at
									    : step;

				assert_int_equal(ctl_local_read(&local, got_bytes + at, room, &got),
						 CTL_OK);
				at += got;
			}
			assert_int_equal(at, sizes[i]);
			assert_memory_equal(got_bytes, bytes, at);
			ctl_local_close(&local);
		}
	}
}

static void test_is_npy(void **state)
{
	struct ctl_local local;

	(void)state;
	file_make("\x93NUMPY", 6);
	assert_int_equal(ctl_local_open(&local, path), CTL_OK);
	assert_true(ctl_local_is_npy(&local));
	ctl_local_close(&local);
	file_make("\x93NUMP", 5);
	assert_int_equal(ctl_local_open(&local, path), CTL_OK);
	assert_false(ctl_local_is_npy(&local));
	ctl_local_close(&local);
}

/* Files of the kernel say that they have no bytes. */
static void test_no_size(void **state)
{
	struct ctl_local local;
	char byte;
	size_t got = 0;

	(void)state;
	assert_int_equal(ctl_local_open(&local, "/proc/self/stat"), CTL_OK);
	assert_int_equal(local.size, -1);
	assert_int_equal(ctl_local_read(&local, &byte, 1, &got), CTL_OK);
	assert_int_equal(got, 1);
	ctl_local_close(&local);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_is_npy),
		cmocka_unit_test(test_no_size),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
