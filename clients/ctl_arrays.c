#include "config.h"
#include <stdio.h>
#include <string.h>
#include "clients/ctl_array.h"
#include "clients/ctl_arrays.h"
#include "clients/ctl_grid.h"
#include "clients/ctl_json.h"
#include "clients/ctl_problem.h"
#include "clients/ctl_run.h"

enum verb { VERB_PUT, VERB_LIST, VERB_SHOW, VERB_GET, VERB_DELETE, VERB_COUNT };

static const char *const verbs[VERB_COUNT] = {"put", "list", "show", "get", "delete"};

static enum verb verb_of(const struct ctl_options *options)
{
	int verb = 0;

	while (verb < VERB_COUNT && strcmp(options->words[0], verbs[verb]) != 0)
		verb++;
	return (enum verb)verb;
}

static bool describes(const struct ctl_job *job)
{
	return job->x.what != NULL || job->dtype != NULL || job->shape != NULL ||
	       job->byteorder != NULL || job->offset != NULL || job->format_name != NULL;
}

enum ctl_exit ctl_arrays_check(struct ctl_options *options)
{
	enum verb verb;

	if (options->word_count == 0)
		return ctl_fail(CTL_USAGE, "array needs a verb: put, list, show, get or delete");
	verb = verb_of(options);
	if (verb == VERB_COUNT)
		return ctl_fail(CTL_USAGE, "'%s' is none of put, list, show, get and delete",
				options->words[0]);
	if (verb == VERB_LIST && options->word_count > 1)
		return ctl_fail(CTL_USAGE, "list takes no name: '%s'", options->words[1]);
	if (verb != VERB_LIST && (options->word_count < 2 || options->words[1][0] == '\0'))
		return ctl_fail(CTL_USAGE, "%s needs the name of an array", verbs[verb]);
	if (verb != VERB_PUT && (describes(&options->job) || options->only_new))
		return ctl_fail(CTL_USAGE, "%s takes no array, and no words about one",
				verbs[verb]);
	if (verb != VERB_GET && options->npy != NULL)
		return ctl_fail(CTL_USAGE, "-o goes with get");
	if (verb == VERB_GET && options->npy == NULL)
		return ctl_fail(CTL_USAGE, "get needs -o FILE, or -o - for standard output");
	if (verb == VERB_GET && options->json)
		return ctl_fail(CTL_USAGE, "get gives a .npy file, not JSON");
	if (verb == VERB_PUT && options->job.x.kind == CTL_SOURCE_NONE)
		return ctl_fail(CTL_USAGE, "no array: foldctl array put NAME FILE|-, or --path");
	return verb == VERB_PUT ? ctl_array_end(&options->job) : CTL_OK;
}

/* "(4, 3)", as NumPy writes it. */
static void add_shape(struct ctl_text *text, const json_t *array)
{
	const json_t *shape = json_object_get(array, "shape"), *length;
	size_t i;

	ctl_text_puts(text, "(");
	json_array_foreach(shape, i, length)
		ctl_text_printf(text, "%s%s", i == 0 ? "" : ", ", ctl_json_word(length));
	ctl_text_puts(text, json_array_size(shape) == 1 ? ",)" : ")");
}

static bool set_cell(struct ctl_grid *grid, size_t row, size_t column, const json_t *array,
		     const char *name)
{
	struct ctl_text shape = {0};
	bool good;

	if (strcmp(name, "shape") != 0)
		return ctl_grid_set(grid, row, column, ctl_json_member(array, name));
	add_shape(&shape, array);
	good = !shape.failed && ctl_grid_set(grid, row, column, shape.bytes);
	ctl_text_deinit(&shape);
	return good;
}

static enum ctl_exit print_grid(struct ctl_grid *grid, bool good)
{
	if (good)
		ctl_grid_print(grid, stdout);
	ctl_grid_destroy(grid);
	return good ? CTL_OK : ctl_no_memory();
}

static enum ctl_exit print_list(const json_t *answer)
{
	static const char *const columns[] = {"name",  "dtype",   "shape", "order",
					      "bytes", "backend", "copy",  "created"};
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	const json_t *arrays = json_object_get(answer, "arrays"), *array;
	const size_t rows = json_array_size(arrays);
	struct ctl_grid *grid = rows > 0 ? ctl_grid_create(rows + 1, count) : NULL;
	bool good = grid != NULL;
	enum ctl_exit code = CTL_OK;
	size_t row;

	for (size_t column = 0; column < count && good; column++) {
		good = ctl_grid_set(grid, 0, column, columns[column]);
		json_array_foreach(arrays, row, array) good =
			good && set_cell(grid, row + 1, column, array, columns[column]);
		grid->right[column] = strcmp(columns[column], "bytes") == 0;
	}
	if (rows > 0)
		code = print_grid(grid, good);
	json_array_foreach(arrays, row, array)
	{
		const char *lost = ctl_json_member(array, "lost");

		if (*lost != '\0')
			printf("%s is lost: %s\n", ctl_json_member(array, "name"), lost);
	}
	printf("%zu array%s, %s of %s bytes\n", rows, rows == 1 ? "" : "s",
	       ctl_json_member(answer, "bytes"), ctl_json_member(answer, "budget"));
	return code;
}

static enum ctl_exit print_one(json_t *array)
{
	struct ctl_grid *grid = ctl_grid_create(json_object_size(array), 2);
	bool good = grid != NULL;
	const json_t *value;
	const char *name;
	size_t row = 0;

	json_object_foreach(array, name, value)
	{
		good = good && ctl_grid_set(grid, row, 0, name) &&
		       set_cell(grid, row, 1, array, name);
		row++;
	}
	return print_grid(grid, good);
}

static enum ctl_exit show(const struct ctl_options *options, enum verb verb,
			  const struct ctl_answer *answer)
{
	json_t *value;
	enum ctl_exit code;

	if (options->json)
		ctl_run_print_json(answer);
	if (answer->status / 100 != 2)
		return ctl_problem_report(answer);
	if (verb == VERB_DELETE || options->json)
		return CTL_OK;
	value = ctl_json_read(answer->text.bytes, answer->text.size);
	if (!json_is_object(value))
		code = ctl_run_not_json();
	else
		code = verb == VERB_LIST ? print_list(value) : print_one(value);
	json_decref(value);
	return code;
}

static enum ctl_exit send_all(const struct ctl_options *options, enum verb verb,
			      struct ctl_request *request)
{
	struct ctl_answer answer = {0};
	struct ctl_sink sink;
	enum ctl_exit code;

	if (verb == VERB_GET) {
		ctl_sink_init(&sink, options->npy);
		request->sink = &sink;
		request->accept = "application/x-npy";
	}
	code = ctl_http_send(&answer, &options->server, request);
	if (code == CTL_OK && answer.in_sink)
		code = ctl_sink_commit(&sink);
	else if (code == CTL_OK && verb == VERB_GET && answer.status / 100 == 2)
		code = ctl_fail(CTL_UNREACHABLE, "the answer is not %s", request->accept);
	else if (code == CTL_OK)
		code = show(options, verb, &answer);
	if (verb == VERB_GET)
		ctl_sink_deinit(&sink);
	ctl_answer_deinit(&answer);
	return code;
}

enum ctl_exit ctl_arrays_run(const struct ctl_options *options)
{
	static const char *const methods[VERB_COUNT] = {
		[VERB_PUT] = "PUT", [VERB_DELETE] = "DELETE"};
	const enum verb verb = verb_of(options);
	struct ctl_request request = {.method = methods[verb], .only_new = options->only_new};
	struct ctl_text path = {0};
	struct ctl_body body;
	enum ctl_exit code = CTL_OK;

	ctl_text_puts(&path, "/v1/arrays");
	if (verb != VERB_LIST) {
		ctl_text_puts(&path, "/");
		ctl_text_percent(&path, options->words[1]);
	}
	if (verb == VERB_GET)
		ctl_text_puts(&path, "/data");
	request.path = path.bytes;
	if (path.failed)
		code = ctl_no_memory();
	if (code == CTL_OK && verb == VERB_PUT) {
		code = ctl_body_open(&body, &options->job);
		request.body = code == CTL_OK ? &body : NULL;
	}
	if (code == CTL_OK)
		code = send_all(options, verb, &request);
	if (request.body != NULL)
		ctl_body_close(&body);
	ctl_text_deinit(&path);
	return code;
}
