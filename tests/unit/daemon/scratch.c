#include "config.h"

#include "tests/unit/daemon/scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

char scratch_path[64];

int scratch_create(void **state)
{
	(void)state;
	strcpy(scratch_path, "/tmp/foldd-test-XXXXXX");
	return mkdtemp(scratch_path) == NULL || chdir(scratch_path) != 0;
}

static int remove_one(const char *path, const struct stat *meta, int type, struct FTW *where)
{
	(void)meta;
	(void)type;
	(void)where;
	return remove(path);
}

int scratch_remove(void **state)
{
	(void)state;
	return chdir("/") != 0 || nftw(scratch_path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0;
}

void scratch_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

void scratch_read(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	out[fread(out, 1, size - 1, file)] = '\0';
	fclose(file);
}

size_t scratch_count(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(directory);
	return count;
}
