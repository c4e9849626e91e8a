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
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clients/ctl_sink.h"

static char directory[] = "/tmp/test_ctl_sink.XXXXXX";
static char path[64];

static unsigned files(void)
{
	DIR *open = opendir(directory);
	unsigned count = 0;

	assert_non_null(open);
	while (readdir(open) != NULL)
		count++;
	closedir(open);
	return count - 2; /* . and .. */
}

static void test_commit(void **state)
{
	struct ctl_sink sink;
	struct stat info;
	char bytes[8] = "";
	FILE *stream;

	(void)state;
	ctl_sink_init(&sink, path);
	assert_int_equal(files(), 0);
	assert_int_equal(ctl_sink_write(&sink, "abc", 3), CTL_OK);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(ctl_sink_write(&sink, "de", 2), CTL_OK);
	assert_int_equal(ctl_sink_commit(&sink), CTL_OK);
	ctl_sink_deinit(&sink);
	assert_int_equal(files(), 1);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0644);
	stream = fopen(path, "rb");
	assert_non_null(stream);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), stream), 5);
	assert_memory_equal(bytes, "abcde", 5);
	fclose(stream);
	unlink(path);
}

static void test_given_up(void **state)
{
	struct ctl_sink sink;

	(void)state;
	ctl_sink_init(&sink, path);
	assert_int_equal(ctl_sink_write(&sink, "abc", 3), CTL_OK);
	ctl_sink_deinit(&sink);
	assert_int_equal(files(), 0);
}

static void test_nowhere(void **state)
{
	struct ctl_sink sink;

	(void)state;
	ctl_sink_init(&sink, "/nonexistent/x");
	assert_int_equal(ctl_sink_write(&sink, "abc", 3), CTL_LOCAL);
	ctl_sink_deinit(&sink);
}

static int make_directory(void **state)
{
	(void)state;
	umask(022);
	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/out", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_nowhere),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
