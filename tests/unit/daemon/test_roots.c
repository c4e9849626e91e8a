#include "config.h"

#include "daemon/roots.h"
#include "tests/unit/daemon/scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

static struct roots roots;
static struct file_access files;

static char *const read_roots[] = {"data", "link-to-more"};
static char *const write_roots[] = {"out"};

static int set_up(void **state)
{
	struct error err = {0};
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "data/socket"};
	int fd;

	if (scratch_create(state) != 0)
		return -1;
	mkdir("data", 0777);
	mkdir("data/sub", 0777);
	mkdir("data/.hidden", 0777);
	mkdir("more", 0777);
	mkdir("out", 0777);
	mkdir("database", 0777);
	scratch_write("secret", "secret");
	scratch_write("database/x", "other");
	scratch_write("data/b.npy", "b");
	scratch_write("data/a.npy", "a");
	scratch_write("data/a*.npy", "star");
	scratch_write("data/.dot.npy", "dot");
	scratch_write("data/sub/c.npy", "c");
	scratch_write("data/.hidden/h.npy", "h");
	scratch_write("more/m", "m");
	if (symlink("more", "link-to-more") != 0 || symlink("../secret", "data/escape") != 0 ||
	    symlink("sub/c.npy", "data/inside") != 0 ||
	    symlink("sub/../../secret", "data/escape2") != 0 ||
	    symlink("/proc/self/root/etc/passwd", "data/magic") != 0 ||
	    symlink("loop", "data/loop") != 0 || symlink("gone", "data/dangling") != 0 ||
	    symlink("../more", "data/outside-dir") != 0 || mkfifo("data/fifo", 0666) != 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return -1;
	close(fd);
	if (roots_open(&roots, read_roots, 2, write_roots, 1, 1000, &err) != STATUS_OK)
		return -1;
	roots_access(&roots, &files);
	return 0;
}

static int tear_down(void **state)
{
	roots_close(&roots);
	return scratch_remove(state);
}

static const char *in_scratch(const char *path)
{
	static char out[300];

	snprintf(out, sizeof(out), "%s/%s", scratch_path, path);
	return out;
}

static void expect_text(const char *path, const char *text)
{
	char got[16] = "";
	struct error err = {0};
	int fd = -1;

	if (files.open_read(files.context, path, &fd, &err) != STATUS_OK)
		fail_msg("%s: %s", path, err.text);
	assert_int_equal(read(fd, got, sizeof(got) - 1), strlen(text));
	assert_string_equal(got, text);
	assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	close(fd);
}

static void expect_status(const char *path, enum status status, const char *word)
{
	struct error err = {0};
	int fd = -1;
	enum status got = files.open_read(files.context, path, &fd, &err);

	if (got != status || strstr(err.text, word) == NULL)
		fail_msg("%s: %s (%s)", path, got == STATUS_OK ? "ok" : status_code(got), err.text);
	assert_int_equal(fd, -1);
}

static void opens_what_lies_beneath(void **state)
{
	(void)state;
	expect_text("a.npy", "a");
	expect_text("sub/../a.npy", "a");
	expect_text("inside", "c");
	expect_text(in_scratch("data/sub/c.npy"), "c");
	expect_text(in_scratch("data//sub/c.npy"), "c");
	expect_text(in_scratch("link-to-more/m"), "m"); /* a root may be a link */
}

static void refuses_what_does_not(void **state)
{
	static const char *const forbidden[] = {
		"../secret",      "sub/../../secret",
		"escape",         "escape2",
		"magic",          "../nothing",
		"loop",           "/etc/passwd",
		"/nowhere/x",     "/",
		"outside-dir/m",  "../data/a.npy",
		"outside-dir/no",
	};
	static const char *const absolute[] = {
		"secret", "database/x", "data/../secret", "more/m", "data/../data/a.npy", "dat",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
		expect_status(forbidden[i], STATUS_PATH_FORBIDDEN, "");
	for (size_t i = 0; i < sizeof(absolute) / sizeof(absolute[0]); i++)
		expect_status(in_scratch(absolute[i]), STATUS_PATH_FORBIDDEN, "");
}

static void tells_what_is_wrong(void **state)
{
	char name[5000];

	(void)state;
	expect_status("", STATUS_BAD_VALUE, "empty");
	expect_status("gone", STATUS_FILE_NOT_FOUND, "gone");
	expect_status("dangling", STATUS_FILE_NOT_FOUND, "dangling");
	expect_status("a.npy/x", STATUS_FILE_NOT_FOUND, "Not a directory");
	expect_status("sub", STATUS_FILE_UNREADABLE, "a directory");
	expect_status(in_scratch("data"), STATUS_FILE_UNREADABLE, "a directory");
	expect_status("fifo", STATUS_FILE_UNREADABLE, "a FIFO"); /* and does not hang */
	expect_status("socket", STATUS_FILE_UNREADABLE, "socket");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect_status(name, STATUS_BAD_VALUE, "long");
	if (geteuid() != 0) { /* root reads all */
		assert_int_equal(chmod("data/b.npy", 0), 0);
		expect_status("b.npy", STATUS_FILE_UNREADABLE, "denied");
		assert_int_equal(chmod("data/b.npy", 0644), 0);
	}
}

static void nothing_without_roots(void **state)
{
	struct roots none;
	struct file_access access;
	struct output_file *file;
	struct file_list list;
	struct error err = {0};
	uint64_t effort = FILE_GLOB_EFFORT;
	int fd;

	(void)state;
	assert_int_equal(roots_open(&none, NULL, 0, NULL, 0, 10, &err), STATUS_OK);
	roots_access(&none, &access);
	assert_int_equal(access.open_read(access.context, "a", &fd, &err), STATUS_PATH_FORBIDDEN);
	assert_int_equal(access.open_read(access.context, "/etc/passwd", &fd, &err),
			 STATUS_PATH_FORBIDDEN);
	assert_int_equal(access.glob(access.context, "*", &effort, &list, &err),
			 STATUS_PATH_FORBIDDEN);
	assert_int_equal(access.output_open(access.context, "a", true, &file, &fd, &err),
			 STATUS_PATH_FORBIDDEN);
	roots_close(&none);
}

static void roots_must_be_directories(void **state)
{
	char *const bad[][1] = {{"nowhere"}, {"secret"}, {""}};
	struct roots none;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(roots_open(&none, bad[i], 1, NULL, 0, 10, &err), STATUS_BAD_VALUE);
		assert_int_equal(roots_open(&none, read_roots, 2, bad[i], 1, 10, &err),
				 STATUS_BAD_VALUE);
	}
}

/* As nobody, where the test runs as root, who may everything. */
static void roots_must_be_allowed(void **state)
{
	char *const closed[] = {"closed"}, *const read_only[] = {"read-only"};
	bool is_root = geteuid() == 0;
	struct roots some;
	struct error err = {0};

	(void)state;
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(mkdir("closed", 0), 0);
	assert_int_equal(mkdir("read-only", 0), 0);
	assert_int_equal(chmod("read-only", 0555), 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(roots_open(&some, closed, 1, NULL, 0, 10, &err), STATUS_BAD_VALUE);
	assert_string_equal(err.text, "root closed: Permission denied");
	assert_int_equal(roots_open(&some, NULL, 0, read_only, 1, 10, &err), STATUS_BAD_VALUE);
	assert_string_equal(err.text, "write root read-only: Permission denied");
	assert_int_equal(roots_open(&some, read_only, 1, NULL, 0, 10, &err), STATUS_OK);
	roots_close(&some);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
}

/* names: separated by spaces. */
static void expect_matches(const char *pattern, const char *names)
{
	char got[512] = "";
	struct file_list list = {0};
	struct error err = {0};
	uint64_t effort = FILE_GLOB_EFFORT;

	if (files.glob(files.context, pattern, &effort, &list, &err) != STATUS_OK)
		fail_msg("%s: %s", pattern, err.text);
	for (size_t i = 0; i < list.count; i++) {
		strcat(got, i == 0 ? "" : " ");
		strcat(got, list.paths[i]);
	}
	file_list_free(&list);
	assert_string_equal(got, names);
}

static void expect_no_matches(const char *pattern, enum status status)
{
	struct file_list list = {0};
	struct error err = {0};
	uint64_t effort = FILE_GLOB_EFFORT;

	assert_int_equal(files.glob(files.context, pattern, &effort, &list, &err), status);
	assert_null(list.paths);
}

static void globs_beneath(void **state)
{
	char both[512];

	(void)state;
	expect_matches("*.npy", "a*.npy a.npy b.npy");
	expect_matches("[ab].npy", "a.npy b.npy");
	expect_matches("a\\*.npy", "a*.npy");
	expect_matches("plain/not/there", "plain/not/there");
	expect_matches("s*/*.npy", "sub/c.npy");
	expect_matches("s?b/c.npy", "sub/c.npy");
	expect_matches("s*/./../?.npy", "sub/./../a.npy sub/./../b.npy");
	expect_matches(".h*/*", ".hidden/h.npy");
	expect_matches(".*.npy", ".dot.npy");
	expect_matches("esc*e", "escape"); /* opening it is what fails */
	snprintf(both, sizeof(both), "%s/data/a.npy %s/data/b.npy", scratch_path, scratch_path);
	expect_matches(in_scratch("data/?.npy"), both);
}

static void globs_fail(void **state)
{
	(void)state;
	expect_no_matches("*.csv", STATUS_FILE_NOT_FOUND);
	expect_no_matches("x*/c.npy", STATUS_FILE_NOT_FOUND);
	expect_no_matches("a.npy/*", STATUS_FILE_NOT_FOUND);
	expect_no_matches("../*", STATUS_PATH_FORBIDDEN);
	expect_no_matches("s*/../../*", STATUS_PATH_FORBIDDEN);
	expect_no_matches("outside*/m*", STATUS_PATH_FORBIDDEN);
	expect_no_matches("/etc/*", STATUS_PATH_FORBIDDEN);
	expect_no_matches("s*/", STATUS_BAD_VALUE);
	roots.max_files = 2;
	expect_no_matches("*.npy", STATUS_TOO_LARGE);
	roots.max_files = 1000;
}

/* Each call leaves less for the next; what is used up stays so. */
static void globs_cost_effort(void **state)
{
	struct file_list list = {0};
	struct error err = {0};
	uint64_t effort = 1000, before = effort;

	(void)state;
	while (files.glob(files.context, "s*/../[ab].npy", &effort, &list, &err) == STATUS_OK) {
		file_list_free(&list);
		assert_true(effort < before);
		before = effort;
	}
	assert_int_equal(err.status, STATUS_TOO_LARGE);
	assert_null(list.paths);
}

static struct output_file *begin_output(const char *path, bool overwrite, const char *text)
{
	struct output_file *file = NULL;
	struct error err = {0};
	int fd;

	if (files.output_open(files.context, path, overwrite, &file, &fd, &err) != STATUS_OK)
		fail_msg("%s: %s", path, err.text);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return file;
}

static void expect_no_output(const char *path, bool overwrite, enum status status)
{
	struct output_file *file = NULL;
	struct error err = {0};
	int fd = -1;

	assert_int_equal(files.output_open(files.context, path, overwrite, &file, &fd, &err),
			 status);
	assert_null(file);
	assert_int_equal(fd, -1);
}

static void outputs_appear_whole(void **state)
{
	char text[32];
	struct error err = {0};
	struct output_file *file = begin_output("new", false, "first");

	(void)state;
	assert_int_equal(access("out/new", F_OK), -1);
	assert_int_equal(files.output_commit(file, &err), STATUS_OK);
	scratch_read("out/new", text, sizeof(text));
	assert_string_equal(text, "first");

	expect_no_output("new", false, STATUS_FILE_EXISTS);
	file = begin_output(in_scratch("out/new"), true, "second");
	scratch_read("out/new", text, sizeof(text));
	assert_string_equal(text, "first");
	assert_int_equal(files.output_commit(file, &err), STATUS_OK);
	scratch_read("out/new", text, sizeof(text));
	assert_string_equal(text, "second");
	assert_int_equal(scratch_count("out"), 1);
	unlink("out/new");
}

static void outputs_leave_nothing(void **state)
{
	char text[32];
	struct error err = {0};
	struct output_file *file = begin_output("race", false, "ours");

	(void)state;
	files.output_discard(file);
	files.output_discard(NULL);
	assert_int_equal(scratch_count("out"), 0);

	/* Somebody else is faster. */
	file = begin_output("race", false, "ours");
	scratch_write("out/race", "theirs");
	assert_int_equal(files.output_commit(file, &err), STATUS_FILE_EXISTS);
	scratch_read("out/race", text, sizeof(text));
	assert_string_equal(text, "theirs");
	unlink("out/race");

	file = begin_output("race", true, "ours");
	mkdir("out/race", 0777);
	assert_int_equal(files.output_commit(file, &err), STATUS_FILE_EXISTS);
	rmdir("out/race");
	assert_int_equal(scratch_count("out"), 0);
}

static void outputs_stay_beneath(void **state)
{
	char text[32];
	struct error err = {0};

	(void)state;
	expect_no_output("../x", false, STATUS_PATH_FORBIDDEN);
	expect_no_output("../out/x", false, STATUS_PATH_FORBIDDEN);
	expect_no_output("/etc/x", true, STATUS_PATH_FORBIDDEN);
	expect_no_output(in_scratch("data/x"), false, STATUS_PATH_FORBIDDEN);
	expect_no_output("gone/x", false, STATUS_FILE_NOT_FOUND);
	expect_no_output("", false, STATUS_BAD_VALUE);
	expect_no_output(".", true, STATUS_BAD_VALUE);
	expect_no_output("x/", true, STATUS_BAD_VALUE);
	expect_no_output("..", true, STATUS_BAD_VALUE);

	/* A link at the end is replaced, never followed. */
	assert_int_equal(symlink("../secret", "out/link"), 0);
	expect_no_output("link", false, STATUS_FILE_EXISTS);
	assert_int_equal(files.output_commit(begin_output("link", true, "new"), &err), STATUS_OK);
	scratch_read("secret", text, sizeof(text));
	assert_string_equal(text, "secret");
	scratch_read("out/link", text, sizeof(text));
	assert_string_equal(text, "new");
	unlink("out/link");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_what_lies_beneath),
		cmocka_unit_test(refuses_what_does_not),
		cmocka_unit_test(tells_what_is_wrong),
		cmocka_unit_test(nothing_without_roots),
		cmocka_unit_test(roots_must_be_directories),
		cmocka_unit_test(roots_must_be_allowed),
		cmocka_unit_test(globs_beneath),
		cmocka_unit_test(globs_fail),
		cmocka_unit_test(globs_cost_effort),
		cmocka_unit_test(outputs_appear_whole),
		cmocka_unit_test(outputs_leave_nothing),
		cmocka_unit_test(outputs_stay_beneath),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
