#include "config.h"
#include <stdbool.h>
#include <string.h>
#include "clients/ctl_grid.h"
#include "clients/ctl_info.h"
#include "clients/ctl_json.h"

static bool finish_grid(struct ctl_grid *grid, bool good, FILE *stream)
{
	if (good) {
		fputc('\n', stream);
		ctl_grid_print(grid, stream);
	}
	ctl_grid_destroy(grid);
	return good;
}

/* Why a backend is lost is told in a line of its own. */
static size_t columns_of(const json_t *backend)
{
	return json_object_size(backend) - (json_object_get(backend, "lost") != NULL);
}

/* Those of the backend that has most (a CPU's name their instruction set). */
static json_t *most_members(const json_t *backends)
{
	json_t *most = json_array_get(backends, 0), *backend;
	size_t i;

	json_array_foreach(backends, i, backend)
	{
		if (columns_of(backend) > columns_of(most))
			most = backend;
	}
	return most;
}

/* A line for each, a column for each member. */
static bool print_backends(const json_t *backends, FILE *stream)
{
	json_t *first = most_members(backends), *backend;
	struct ctl_grid *grid = ctl_grid_create(json_array_size(backends) + 1, columns_of(first));
	bool good = grid != NULL;
	const json_t *value;
	const char *key;
	size_t column = 0, row;

	json_object_foreach(first, key, value)
	{
		if (strcmp(key, "lost") == 0)
			continue;
		good = good && ctl_grid_set(grid, 0, column, key);
		json_array_foreach(backends, row, backend) good =
			good && ctl_grid_set(grid, row + 1, column, ctl_json_member(backend, key));
		column++;
	}
	return finish_grid(grid, good, stream);
}

static void print_lost(const json_t *backends, FILE *stream)
{
	const json_t *backend;
	size_t i;

	json_array_foreach(backends, i, backend) if (json_object_get(backend, "lost") != NULL)
		fprintf(stream, "\n%s\n", ctl_json_member(backend, "lost"));
}

static void print_absent(const json_t *absent, FILE *stream)
{
	const json_t *backend;
	size_t i;

	if (json_array_size(absent) != 0)
		fputc('\n', stream);
	json_array_foreach(absent, i, backend)
		fprintf(stream, "no %s: %s\n", ctl_json_member(backend, "name"),
			ctl_json_member(backend, "why"));
}

static bool has_word(const json_t *list, const char *word)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (strcmp(ctl_json_word(item), word) == 0)
			return true;
	}
	return false;
}

/* For which types an operation is exact, in a word. */
static const char *exact_word(const json_t *types)
{
	if (has_word(types, "float64"))
		return "all types";
	return has_word(types, "int64") ? "integers" : "none";
}

static bool print_operations(const json_t *operations, FILE *stream)
{
	static const char *const heads[] = {"operation", "exact", "scan", "exact scan"};
	struct ctl_grid *grid = ctl_grid_create(json_array_size(operations) + 1, 4);
	bool good = grid != NULL;
	const json_t *operation;
	size_t i;

	for (size_t column = 0; good && column < 4; column++)
		good = ctl_grid_set(grid, 0, column, heads[column]);
	json_array_foreach(operations, i, operation)
	{
		bool scan = json_is_true(json_object_get(operation, "scan"));
		const char *words[] = {
			ctl_json_member(operation, "name"),
			exact_word(json_object_get(operation, "exact")),
			scan ? "yes" : "",
			scan ? exact_word(json_object_get(operation, "scan_exact")) : "",
		};

		for (size_t column = 0; good && column < 4; column++)
			good = ctl_grid_set(grid, i + 1, column, words[column]);
	}
	return finish_grid(grid, good, stream);
}

static bool print_limits(json_t *limits, FILE *stream)
{
	struct ctl_grid *grid = ctl_grid_create(json_object_size(limits) + 1, 2);
	bool good = grid != NULL && ctl_grid_set(grid, 0, 0, "limit") &&
		    ctl_grid_set(grid, 0, 1, "(0: none)");
	const json_t *value;
	const char *key;
	size_t row = 1;

	json_object_foreach(limits, key, value)
	{
		good = good && ctl_grid_set(grid, row, 0, key) &&
		       ctl_grid_set(grid, row, 1, ctl_json_word(value));
		row++;
	}
	if (grid != NULL)
		grid->right[1] = true;
	return finish_grid(grid, good, stream);
}

static void print_types(const json_t *types, FILE *stream)
{
	const json_t *type;
	size_t i;

	fputs("\ntypes:", stream);
	json_array_foreach(types, i, type) fprintf(stream, " %s", ctl_json_member(type, "name"));
	fputc('\n', stream);
}

static void print_not_implemented(json_t *kinds, FILE *stream)
{
	const json_t *list, *item;
	const char *kind;
	size_t i;

	if (json_object_size(kinds) != 0)
		fputs("\nnot served by this version:\n", stream);
	json_object_foreach(kinds, kind, list)
	{
		fprintf(stream, "  %s:", kind);
		json_array_foreach(list, i, item) fprintf(stream, " %s", ctl_json_word(item));
		fputc('\n', stream);
	}
}

enum ctl_exit ctl_info_print(const json_t *info, FILE *stream)
{
	if (json_object_get(info, "version") == NULL)
		return ctl_fail(CTL_UNREACHABLE, "the answer has no version: is this a foldd?");
	fprintf(stream, "foldd %s, order %s\n", ctl_json_member(info, "version"),
		ctl_json_member(info, "order"));
	if (!print_backends(json_object_get(info, "backends"), stream) ||
	    !print_operations(json_object_get(info, "operations"), stream) ||
	    !print_limits(json_object_get(info, "limits"), stream))
		return ctl_no_memory();
	print_lost(json_object_get(info, "backends"), stream);
	print_absent(json_object_get(info, "absent_backends"), stream);
	print_types(json_object_get(info, "dtypes"), stream);
	print_not_implemented(json_object_get(info, "not_implemented"), stream);
	return CTL_OK;
}
