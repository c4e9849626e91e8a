#include "config.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_grid.h"
#include "clients/ctl_json.h"
#include "clients/ctl_result.h"

/* Which of n things are shown: the first and the last, and a gap. */
struct shown {
	size_t count; /* lines, the gap's included */
	size_t first; /* before the gap */
	size_t total;
};

static struct shown shown_of(size_t total, size_t limit)
{
	struct shown shown = {total, total, total};

	/* A gap stands for two or more. */
	if (limit != 0 && total > limit + 1) {
		shown.count = limit + 1;
		shown.first = limit - limit / 2;
	}
	return shown;
}

static bool is_gap(const struct shown *shown, size_t line)
{
	return shown->count != shown->total && line == shown->first;
}

static size_t index_of(const struct shown *shown, size_t line)
{
	return line < shown->first ? line : shown->total - (shown->count - line);
}

static bool set_index(struct ctl_grid *grid, size_t row, size_t column, size_t index)
{
	char word[24];

	snprintf(word, sizeof(word), "%zu", index);
	return ctl_grid_set(grid, row, column, word);
}

static enum ctl_exit print_grid(struct ctl_grid *grid, bool good, FILE *stream)
{
	if (good)
		ctl_grid_print(grid, stream);
	ctl_grid_destroy(grid);
	return good ? CTL_OK : ctl_no_memory();
}

/* One number an operation: op, value, dtype, promise, combine and bits. */
static enum ctl_exit print_scalars(const json_t *result, FILE *stream)
{
	static const char *const heads[] = {"op", "value", "dtype", "promise", "combine", "bits"};
	json_t *results = json_object_get(result, "results");
	const json_t *bits = json_object_get(result, "bits");
	const char *promise = ctl_json_member(result, "determinism");
	const json_t *value;
	const char *op;
	size_t columns = bits != NULL ? 6 : 5, row = 0;
	struct ctl_grid *grid = ctl_grid_create(json_object_size(results) + 1, columns);
	bool good = grid != NULL;

	for (size_t i = 0; good && i < columns; i++)
		good = ctl_grid_set(grid, 0, i, heads[i]);
	json_object_foreach(results, op, value)
	{
		const char *words[] = {
			op,
			ctl_json_word(value),
			ctl_json_member(json_object_get(result, "dtype"), op),
			promise,
			ctl_json_member(json_object_get(result, "combine"), op),
			ctl_json_member(bits, op),
		};

		row++;
		for (size_t i = 0; good && i < columns; i++)
			good = ctl_grid_set(grid, row, i, words[i]);
	}
	if (grid != NULL)
		grid->right[1] = true;
	return print_grid(grid, good, stream);
}

/* Lists of numbers side by side, one column an operation. */
static enum ctl_exit print_vectors(const json_t *results, size_t length,
				   const struct ctl_table_limits *limits, FILE *stream)
{
	struct shown rows = shown_of(length, limits->rows);
	size_t columns = json_object_size(results) + 1, column = 0;
	struct ctl_grid *grid = ctl_grid_create(rows.count + 1, columns);
	bool good = grid != NULL && ctl_grid_set(grid, 0, 0, "index");
	json_t *value;
	const char *op;

	for (size_t line = 0; good && line < rows.count; line++)
		good = is_gap(&rows, line) ? ctl_grid_set(grid, line + 1, 0, "...")
					   : set_index(grid, line + 1, 0, index_of(&rows, line));
	json_object_foreach((json_t *)results, op, value)
	{
		column++;
		good = good && ctl_grid_set(grid, 0, column, op);
		for (size_t line = 0; good && line < rows.count; line++) {
			const json_t *item = json_array_get(value, index_of(&rows, line));

			good = ctl_grid_set(grid, line + 1, column,
					    is_gap(&rows, line) ? "..." : ctl_json_word(item));
		}
	}
	for (size_t i = 0; grid != NULL && i < columns; i++)
		grid->right[i] = true;
	return print_grid(grid, good, stream);
}

static const char *matrix_word(const json_t *matrix, const struct shown *rows, size_t line,
			       const struct shown *columns, size_t column)
{
	if (is_gap(rows, line) || is_gap(columns, column))
		return "...";
	return ctl_json_word(json_array_get(json_array_get(matrix, index_of(rows, line)),
					    index_of(columns, column)));
}

static enum ctl_exit print_matrix(const json_t *matrix, const struct ctl_table_limits *limits,
				  FILE *stream)
{
	struct shown rows = shown_of(json_array_size(matrix), limits->rows);
	struct shown columns =
		shown_of(json_array_size(json_array_get(matrix, 0)), limits->columns);
	struct ctl_grid *grid = ctl_grid_create(rows.count + 1, columns.count + 1);
	bool good = grid != NULL;

	for (size_t column = 0; good && column < columns.count; column++)
		good = is_gap(&columns, column)
			       ? ctl_grid_set(grid, 0, column + 1, "...")
			       : set_index(grid, 0, column + 1, index_of(&columns, column));
	for (size_t line = 0; good && line < rows.count; line++) {
		good = is_gap(&rows, line) ? ctl_grid_set(grid, line + 1, 0, "...")
					   : set_index(grid, line + 1, 0, index_of(&rows, line));
		for (size_t column = 0; good && column < columns.count; column++)
			good = ctl_grid_set(grid, line + 1, column + 1,
					    matrix_word(matrix, &rows, line, &columns, column));
	}
	for (size_t i = 0; grid != NULL && i <= columns.count; i++)
		grid->right[i] = true;
	return print_grid(grid, good, stream);
}

static size_t depth_of(const json_t *value)
{
	size_t depth = 0;

	for (; json_is_array(value); value = json_array_get(value, 0))
		depth++;
	return depth;
}

/* More than two axes: one matrix for each index of the axes before. */
static enum ctl_exit print_blocks(const json_t *value, const char *label, size_t depth,
				  const struct ctl_table_limits *limits, FILE *stream)
{
	struct shown blocks = shown_of(json_array_size(value), limits->rows);

	if (depth == 2) {
		if (*label != '\0')
			fprintf(stream, "[%s, :, :]\n", label);
		return print_matrix(value, limits, stream);
	}
	for (size_t i = 0; i < blocks.count; i++) {
		char *inner;
		enum ctl_exit code;

		if (is_gap(&blocks, i)) {
			fputs("...\n", stream);
			continue;
		}
		if (asprintf(&inner, "%s%s%zu", label, *label == '\0' ? "" : ", ",
			     index_of(&blocks, i)) < 0)
			return ctl_no_memory();
		code = print_blocks(json_array_get(value, index_of(&blocks, i)), inner, depth - 1,
				    limits, stream);
		free(inner);
		if (code != CTL_OK)
			return code;
	}
	return CTL_OK;
}

static void print_file(const char *op, const json_t *value, FILE *stream)
{
	const json_t *length;
	size_t i;

	fprintf(stream, "%s: %s [", op, ctl_json_member(value, "dtype"));
	json_array_foreach(json_object_get(value, "shape"), i, length)
		fprintf(stream, "%s%s", i == 0 ? "" : ", ", ctl_json_word(length));
	fprintf(stream, "] written to %s\n", ctl_json_member(value, "file"));
}

/* dtype, promise and combine of an array's operation, in a line above it. */
static void print_head(const json_t *result, const char *op, FILE *stream)
{
	fprintf(stream, "%s: %s, %s, %s\n", op,
		ctl_json_member(json_object_get(result, "dtype"), op),
		ctl_json_member(result, "determinism"),
		ctl_json_member(json_object_get(result, "combine"), op));
}

static enum ctl_exit print_arrays(const json_t *result, const struct ctl_table_limits *limits,
				  FILE *stream)
{
	json_t *results = json_object_get(result, "results");
	enum ctl_exit code = CTL_OK;
	size_t vector = 0;
	json_t *value;
	const char *op;

	json_object_foreach(results, op, value)
	{
		if (json_is_object(value)) {
			print_file(op, value, stream);
			continue;
		}
		print_head(result, op, stream);
		if (json_array_size(value) == 0)
			fputs("(empty)\n", stream);
		else if (depth_of(value) == 1)
			vector = json_array_size(value);
		else
			code = print_blocks(value, "", depth_of(value), limits, stream);
		if (code != CTL_OK)
			return code;
	}
	return vector == 0 ? CTL_OK : print_vectors(results, vector, limits, stream);
}

static void print_foot(const json_t *result, FILE *stream)
{
	const char *count = ctl_json_member(result, "count");
	const char *total = ctl_json_member(json_object_get(result, "elapsed_us"), "total");

	if (*count != '\0')
		fprintf(stream, "%s element%s, ", count, strcmp(count, "1") == 0 ? "" : "s");
	fprintf(stream, "backend %s, order %s", ctl_json_member(result, "backend"),
		ctl_json_member(result, "order"));
	if (*total != '\0')
		fprintf(stream, ", %s us", total);
	fputc('\n', stream);
	if (json_object_get(result, "partial") != NULL)
		fprintf(stream, "partial: %s\n", ctl_json_member(result, "partial"));
}

enum ctl_exit ctl_result_print(const json_t *result, const struct ctl_table_limits *limits,
			       FILE *stream)
{
	json_t *results = json_object_get(result, "results");
	enum ctl_exit code;
	void *first = json_object_iter(results);

	if (first == NULL)
		return ctl_fail(CTL_UNREACHABLE, "the answer holds no results: is this a foldd?");
	if (json_is_array(json_object_iter_value(first)) ||
	    json_is_object(json_object_iter_value(first)))
		code = print_arrays(result, limits, stream);
	else
		code = print_scalars(result, stream);
	if (code == CTL_OK)
		print_foot(result, stream);
	return code;
}
