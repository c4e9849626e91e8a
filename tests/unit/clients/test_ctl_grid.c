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
#include "clients/ctl_grid.h"

static void check(const struct ctl_grid *grid, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	ctl_grid_print(grid, stream);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void test_widths(void **state)
{
	struct ctl_grid *grid = ctl_grid_create(3, 3);

	(void)state;
	assert_non_null(grid);
	assert_true(ctl_grid_set(grid, 0, 0, "a"));
	assert_true(ctl_grid_set(grid, 0, 1, "longer"));
	assert_true(ctl_grid_set(grid, 0, 2, "z"));
	assert_true(ctl_grid_set(grid, 1, 0, "left"));
	assert_true(ctl_grid_set(grid, 1, 1, "7"));
	/* A shorter word in the same place. */
	assert_true(ctl_grid_set(grid, 2, 0, "x"));
	assert_true(ctl_grid_set(grid, 2, 0, "y"));
	grid->right[1] = true;
	check(grid, "a     longer  z\nleft       7\ny\n");
	ctl_grid_destroy(grid);
}

static void test_none(void **state)
{
	struct ctl_grid *grid = ctl_grid_create(0, 0);

	(void)state;
	assert_non_null(grid);
	check(grid, "");
	ctl_grid_destroy(grid);
	ctl_grid_destroy(NULL);
	assert_null(ctl_grid_create(SIZE_MAX, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
