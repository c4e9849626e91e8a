#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "engine/spool.h"
#include <cmocka.h> /* last: it defines fail() */

static const struct spool_config small = {.memory = 100, .limit = 1000};

/* 0, 1, 2, ... as bytes, in pieces of 7. */
static void fill(struct spool *spool, unsigned size)
{
	unsigned char piece[7];

	for (unsigned i = 0; i < size;) {
		unsigned n = 0;

		while (n < sizeof(piece) && i < size)
			piece[n++] = (unsigned char)i++;
		assert_int_equal(spool_write(spool, piece, n, NULL), STATUS_OK);
	}
}

static void check(struct spool *spool, unsigned size)
{
	const unsigned char *all = spool_data(spool);
	unsigned char piece[13];

	assert_int_equal(spool_size(spool), size);
	for (unsigned i = 0; i < size; i++)
		assert_int_equal(all[i], (unsigned char)i);
	for (unsigned i = 0; i + sizeof(piece) <= size; i += 5) {
		assert_int_equal(spool_read(spool, i, piece, sizeof(piece), NULL), STATUS_OK);
		assert_int_equal(piece[12], (unsigned char)(i + 12));
	}
	assert_int_equal(spool_read(spool, size, piece, 1, NULL), STATUS_INTERNAL);
}

static void stays_in_memory(void **state)
{
	struct spool *spool = spool_create(&small);

	(void)state;
	assert_null(spool_data(spool));
	fill(spool, 100);
	assert_int_equal(spool_fd(spool), -1);
	check(spool, 100);
	spool_destroy(spool);
}

static void spills_to_disk(void **state)
{
	struct spool *spool = spool_create(&small);

	(void)state;
	fill(spool, 101);
	assert_true(spool_fd(spool) >= 0);
	check(spool, 101);
	fill(spool, 0);
	check(spool, 101);
	spool_destroy(spool);
}

static void limit_is_kept(void **state)
{
	struct spool *spool = spool_create(&small);
	struct error err = {0};
	char byte = 0;

	(void)state;
	fill(spool, 1000);
	assert_int_equal(spool_write(spool, &byte, 1, &err), STATUS_TOO_LARGE);
	check(spool, 1000);
	spool_destroy(spool);
}

static void bad_directory_is_an_error(void **state)
{
	const struct spool_config config = {.directory = "/nonexistent/x", .limit = 10};
	struct spool *spool = spool_create(&config);
	struct error err = {0};
	char byte = 0;

	(void)state;
	assert_int_equal(spool_write(spool, &byte, 1, &err), STATUS_INTERNAL);
	assert_non_null(strstr(err.text, "/nonexistent/x"));
	spool_destroy(spool);
}

static void writes_into_a_file_after_its_header(void **state)
{
	char path[] = "/tmp/foldd-spool-XXXXXX";
	int fd = mkstemp(path);
	struct spool *spool = spool_create_on(fd, 64, UINT64_MAX);
	unsigned char byte;

	(void)state;
	unlink(path);
	fill(spool, 300);
	check(spool, 300);
	assert_int_equal(lseek(fd, 0, SEEK_END), 364);
	assert_int_equal(pread(fd, &byte, 1, 64 + 17), 1);
	assert_int_equal(byte, 17);
	spool_destroy(spool);
	assert_int_equal(fcntl(fd, F_GETFD) >= 0, 1); /* still the owner's */
	close(fd);
}

/* A job that needs one descriptor too many can be asked again: 507, not 500. */
static void no_descriptor_left(void **state)
{
	struct spool *spool = spool_create(&small);
	struct rlimit old, none = {.rlim_cur = 0};
	char bytes[101] = {0};

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(spool_write(spool, bytes, sizeof(bytes), NULL), STATUS_OUT_OF_MEMORY);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	spool_destroy(spool);
}

/* Many spools at a time: those that come too late go to disk, small ones stay. */
static void all_together_are_bounded(void **state)
{
	enum { PIECE = 1 << 20, COUNT = (SPOOL_TOTAL_MEMORY >> 20) + 8 };
	const struct spool_config config = {.memory = PIECE, .limit = PIECE};
	static struct spool *spools[COUNT];
	char *piece = calloc(1, PIECE);
	struct spool *tiny;
	unsigned in_memory = 0;

	(void)state;
	assert_non_null(piece);
	for (unsigned i = 0; i < COUNT; i++) {
		spools[i] = spool_create(&config);
		piece[PIECE - 1] = (char)i;
		assert_int_equal(spool_write(spools[i], piece, PIECE, NULL), STATUS_OK);
		in_memory += spool_fd(spools[i]) < 0;
	}
	assert_int_equal(in_memory, COUNT - 8);
	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(((const char *)spool_data(spools[i]))[PIECE - 1], (char)i);
	tiny = spool_create(&config);
	assert_int_equal(spool_write(tiny, piece, 100, NULL), STATUS_OK);
	assert_int_equal(spool_fd(tiny), -1);
	spool_destroy(tiny);
	for (unsigned i = 0; i < COUNT; i++)
		spool_destroy(spools[i]);

	/* All of it is given back. */
	spools[0] = spool_create(&config);
	assert_int_equal(spool_write(spools[0], piece, PIECE, NULL), STATUS_OK);
	assert_int_equal(spool_fd(spools[0]), -1);
	spool_destroy(spools[0]);
	free(piece);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays_in_memory),
		cmocka_unit_test(spills_to_disk),
		cmocka_unit_test(limit_is_kept),
		cmocka_unit_test(bad_directory_is_an_error),
		cmocka_unit_test(writes_into_a_file_after_its_header),
		cmocka_unit_test(no_descriptor_left),
		cmocka_unit_test(all_together_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
