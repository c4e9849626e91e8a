/* ctl_grid.h - a table of words, its columns as wide as their widest word. */
#ifndef CLIENTS_CTL_GRID_H
#define CLIENTS_CTL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ctl_grid {
	size_t rows, columns;
	char **cells; /* rows * columns, row by row; NULL is empty */
	bool *right;  /* a column set to the right */
	int *widths;  /* of the columns, private */
};

/* NULL: no memory. */
struct ctl_grid *ctl_grid_create(size_t rows, size_t columns);
void ctl_grid_destroy(struct ctl_grid *grid);

/* Copies the word; false: no memory. */
bool ctl_grid_set(struct ctl_grid *grid, size_t row, size_t column, const char *word);
void ctl_grid_print(const struct ctl_grid *grid, FILE *stream);

#endif
