#include "config.h"
#include <stdio.h>
#include <string.h>
#include "clients/ctl_info.h"
#include "clients/ctl_json.h"
#include "clients/ctl_merge.h"
#include "clients/ctl_problem.h"
#include "clients/ctl_run.h"

void ctl_run_print_json(const struct ctl_answer *answer)
{
	const struct ctl_text *text = &answer->text;

	fwrite(text->bytes, 1, text->size, stdout);
	if (text->size != 0 && text->bytes[text->size - 1] != '\n')
		putchar('\n');
}

enum ctl_exit ctl_run_not_json(void)
{
	return ctl_fail(CTL_UNREACHABLE, "the answer is not JSON: is this a foldd?");
}

/* The partial result, as a line of its own; it leaves the answer. */
static enum ctl_exit store_partial(json_t *result, const char *name)
{
	const char *partial = ctl_json_member(result, "partial");
	struct ctl_sink sink;
	enum ctl_exit code;

	if (*partial == '\0')
		return ctl_fail(CTL_UNREACHABLE,
				"the answer has no partial result: is this a foldd?");
	ctl_sink_init(&sink, name);
	code = ctl_sink_write(&sink, partial, strlen(partial));
	if (code == CTL_OK)
		code = ctl_sink_write(&sink, "\n", 1);
	if (code == CTL_OK)
		code = ctl_sink_commit(&sink);
	ctl_sink_deinit(&sink);
	json_object_del(result, "partial");
	return code;
}

static enum ctl_exit show_good(const struct ctl_options *options, const struct ctl_answer *answer)
{
	const char *partial_file = options->partial_file;
	json_t *result;
	enum ctl_exit code = CTL_OK;

	if (options->json && partial_file == NULL)
		return CTL_OK;
	result = ctl_json_read(answer->text.bytes, answer->text.size);
	if (result == NULL)
		return ctl_run_not_json();
	if (partial_file != NULL)
		code = store_partial(result, partial_file);
	if (code == CTL_OK && !options->json &&
	    (partial_file == NULL || strcmp(partial_file, "-") != 0))
		code = ctl_result_print(result, &options->limits, stdout);
	json_decref(result);
	return code;
}

static enum ctl_exit show_result(const struct ctl_options *options, const struct ctl_answer *answer)
{
	if (options->json)
		ctl_run_print_json(answer);
	return answer->status / 100 == 2 ? show_good(options, answer) : ctl_problem_report(answer);
}

enum ctl_exit ctl_run_job(const struct ctl_options *options)
{
	struct ctl_body body;
	struct ctl_sink sink;
	struct ctl_answer answer = {0};
	struct ctl_request request = {
		.path = options->command == CTL_SCAN ? "/v1/scan" : "/v1/reduce",
		.body = &body,
	};
	enum ctl_exit code = ctl_body_open(&body, &options->job);

	if (code != CTL_OK)
		return code;
	if (options->npy != NULL) {
		ctl_sink_init(&sink, options->npy);
		request.sink = &sink;
		request.accept = options->several_ops ? "application/zip" : "application/x-npy";
	}
	code = ctl_http_send(&answer, &options->server, &request);
	if (code == CTL_OK && answer.in_sink)
		code = ctl_sink_commit(&sink);
	else if (code == CTL_OK && options->npy != NULL && answer.status / 100 == 2)
		code = ctl_fail(CTL_UNREACHABLE, "the answer is not %s", request.accept);
	else if (code == CTL_OK)
		code = show_result(options, &answer);
	if (options->npy != NULL)
		ctl_sink_deinit(&sink);
	ctl_answer_deinit(&answer);
	ctl_body_close(&body);
	return code;
}

/* Each entry is a result or a problem; the last failure's code counts. */
static enum ctl_exit show_batch(const json_t *answer, const struct ctl_options *options)
{
	const json_t *results = json_object_get(answer, "results"), *entry;
	enum ctl_exit code = CTL_OK;
	size_t i;

	if (!json_is_array(results))
		return ctl_run_not_json();
	json_array_foreach(results, i, entry)
	{
		char prefix[40];
		enum ctl_exit one = CTL_OK;

		snprintf(prefix, sizeof(prefix), "job %zu: ", i);
		if (json_object_get(entry, "results") == NULL) {
			one = ctl_problem_report_entry(entry, prefix);
		} else if (!options->json) {
			printf("job %zu\n", i);
			one = ctl_result_print(entry, &options->limits, stdout);
		}
		/* Of several failures the one that trying again cannot mend. */
		if (one != CTL_OK && (code == CTL_OK || code == CTL_BUSY))
			code = one;
	}
	return code;
}

enum ctl_exit ctl_run_batch(const struct ctl_options *options)
{
	struct ctl_body body;
	struct ctl_answer answer = {0};
	struct ctl_request request = {.path = "/v1/batch", .body = &body};
	enum ctl_exit code = ctl_body_open_batch(&body, options->batch_file);
	json_t *results = NULL;

	if (code != CTL_OK)
		return code;
	code = ctl_http_send(&answer, &options->server, &request);
	ctl_body_close(&body);
	if (code != CTL_OK)
		return code;
	if (options->json)
		ctl_run_print_json(&answer);
	if (answer.status / 100 != 2) {
		code = ctl_problem_report(&answer);
	} else {
		results = ctl_json_read(answer.text.bytes, answer.text.size);
		code = results == NULL ? ctl_run_not_json() : show_batch(results, options);
	}
	json_decref(results);
	ctl_answer_deinit(&answer);
	return code;
}

/* A problem of one partial result names its file. */
static enum ctl_exit show_merge(const struct ctl_options *options, const struct ctl_merge *merge,
				const struct ctl_answer *answer)
{
	json_t *problem = NULL;
	struct ctl_text place = {0};
	enum ctl_exit code;

	if (answer->status / 100 != 2)
		problem = ctl_json_read(answer->text.bytes, answer->text.size);
	if (ctl_merge_place(merge, ctl_json_member(problem, "pointer"), &place)) {
		if (options->json)
			ctl_run_print_json(answer);
		code = ctl_problem_report_entry(problem, place.bytes);
	} else {
		code = show_result(options, answer);
	}
	ctl_text_deinit(&place);
	json_decref(problem);
	return code;
}

enum ctl_exit ctl_run_merge(const struct ctl_options *options)
{
	struct ctl_merge merge = {0};
	struct ctl_body body;
	struct ctl_answer answer = {0};
	struct ctl_request request = {.path = "/v1/merge", .body = &body};
	enum ctl_exit code = CTL_OK;

	for (size_t i = 0; i < options->file_count && code == CTL_OK; i++)
		code = ctl_merge_add(&merge, options->files[i]);
	if (code == CTL_OK)
		code = ctl_body_open_merge(&body, &options->job, &merge.list);
	if (code != CTL_OK)
		goto deinit_merge;
	code = ctl_http_send(&answer, &options->server, &request);
	ctl_body_close(&body);
	if (code == CTL_OK)
		code = show_merge(options, &merge, &answer);
	ctl_answer_deinit(&answer);

deinit_merge:
	ctl_merge_deinit(&merge);
	return code;
}

enum ctl_exit ctl_run_info(const struct ctl_options *options)
{
	struct ctl_answer answer = {0};
	struct ctl_request request = {.path = "/v1/info"};
	enum ctl_exit code = ctl_http_send(&answer, &options->server, &request);
	json_t *info = NULL;

	if (code != CTL_OK)
		return code;
	if (options->json)
		ctl_run_print_json(&answer);
	if (answer.status / 100 != 2) {
		code = ctl_problem_report(&answer);
	} else if (!options->json) {
		info = ctl_json_read(answer.text.bytes, answer.text.size);
		code = info == NULL ? ctl_run_not_json() : ctl_info_print(info, stdout);
	}
	json_decref(info);
	ctl_answer_deinit(&answer);
	return code;
}
