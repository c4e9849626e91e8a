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
#include <fcntl.h>
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

static void write_all(const char *name)
{
	struct ctl_sink sink;

	ctl_sink_init(&sink, name);
	assert_int_equal(ctl_sink_write(&sink, "abc", 3), CTL_OK);
	assert_int_equal(ctl_sink_commit(&sink), CTL_OK);
	ctl_sink_deinit(&sink);
}

static void make_file(const char *name, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT, mode);

	assert_true(fd >= 0);
	close(fd);
}

/* Replaced, but for its mode. */
static void test_mode_is_kept(void **state)
{
	struct stat info;

	(void)state;
	make_file(path, 0600);
	write_all(path);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
	assert_int_equal(info.st_size, 3);
	unlink(path);
}

static void test_links_are_followed(void **state)
{
	char link[80];
	struct stat info;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", directory);
	assert_int_equal(symlink("out", link), 0);
	for (unsigned there = 0; there < 2; there++) { /* first to nothing */
		write_all(link);
		assert_int_equal(lstat(link, &info), 0);
		assert_true(S_ISLNK(info.st_mode));
		assert_int_equal(lstat(path, &info), 0);
		assert_true(S_ISREG(info.st_mode));
		assert_int_equal(info.st_size, 3);
		assert_int_equal(files(), 2);
	}
	unlink(link);
	unlink(path);
}

/* A FIFO stays one, and its reader gets the bytes. */
static void test_in_place(void **state)
{
	char bytes[8] = "";
	struct stat info;
	int reader;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	write_all(path);
	assert_int_equal(read(reader, bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, "abc", 3);
	close(reader);
	assert_int_equal(lstat(path, &info), 0);
	assert_true(S_ISFIFO(info.st_mode));
	unlink(path);
}

/* What an open file has already stays in front, and it stays that file. */
static void test_descriptor(void **state)
{
	char name[32], bytes[8] = "";
	struct stat before, after;
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	write_all(name);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	write_all(name);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 7);
	assert_memory_equal(bytes, "xabcabc", 7);
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino == after.st_ino);
	assert_int_equal(files(), 1);
	close(fd);
	unlink(path);
}

/* One that is not open, and what is none. */
static void test_no_descriptor(void **state)
{
	static const char *const names[] = {"/dev/fd/12345678", "/dev/fd/", "/dev/fd/0x",
					    "/dev/fd/99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ctl_sink sink;

		ctl_sink_init(&sink, names[i]);
		assert_int_equal(ctl_sink_write(&sink, "abc", 3), CTL_LOCAL);
		ctl_sink_deinit(&sink);
	}
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
		cmocka_unit_test(test_mode_is_kept),
		cmocka_unit_test(test_links_are_followed),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_no_descriptor),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
