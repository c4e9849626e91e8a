#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_grid.h"

#define GAP 2 /* blanks between columns; chosen */

struct ctl_grid *ctl_grid_create(size_t rows, size_t columns)
{
	struct ctl_grid *grid = calloc(1, sizeof(*grid));
	size_t count;

	if (grid == NULL || __builtin_mul_overflow(rows, columns, &count))
		goto destroy_grid;
	grid->cells = calloc(count == 0 ? 1 : count, sizeof(*grid->cells));
	if (grid->cells == NULL)
		goto destroy_grid;
	grid->rows = rows;
	grid->columns = columns;
	grid->right = calloc(columns == 0 ? 1 : columns, sizeof(*grid->right));
	grid->widths = calloc(columns == 0 ? 1 : columns, sizeof(*grid->widths));
	if (grid->right == NULL || grid->widths == NULL)
		goto destroy_grid;
	return grid;

destroy_grid:
	ctl_grid_destroy(grid);
	return NULL;
}

void ctl_grid_destroy(struct ctl_grid *grid)
{
	if (grid == NULL)
		return;
	for (size_t i = 0; i < grid->rows * grid->columns; i++)
		free(grid->cells[i]);
	free(grid->cells);
	free(grid->right);
	free(grid->widths);
	free(grid);
}

bool ctl_grid_set(struct ctl_grid *grid, size_t row, size_t column, const char *word)
{
	char **cell = &grid->cells[row * grid->columns + column];
	char *copy = strdup(word);

	if (copy == NULL)
		return false;
	free(*cell);
	*cell = copy;
	if ((int)strlen(word) > grid->widths[column])
		grid->widths[column] = (int)strlen(word);
	return true;
}

static const char *word_at(const struct ctl_grid *grid, size_t row, size_t column)
{
	const char *word = grid->cells[row * grid->columns + column];

	return word != NULL ? word : "";
}

static void print_row(const struct ctl_grid *grid, size_t row, FILE *stream)
{
	size_t last = grid->columns;

	/* No blanks at the end of a line. */
	while (last != 0 && *word_at(grid, row, last - 1) == '\0')
		last--;
	for (size_t i = 0; i < last; i++) {
		const char *word = word_at(grid, row, i);

		if (i != 0)
			fprintf(stream, "%*s", GAP, "");
		if (grid->right[i])
			fprintf(stream, "%*s", grid->widths[i], word);
		else
			fprintf(stream, "%-*s", i + 1 == last ? 0 : grid->widths[i], word);
	}
	fputc('\n', stream);
}

void ctl_grid_print(const struct ctl_grid *grid, FILE *stream)
{
	for (size_t row = 0; row < grid->rows; row++)
		print_row(grid, row, stream);
}
