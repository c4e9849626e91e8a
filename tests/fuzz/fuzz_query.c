/* Any bytes as a query string: refused with a code of the interface, or a job. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/job_json.h"
#include "proto/job_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_query: %s\n", what);
		abort();
	}
}

static void read_job(const struct query_job *job, bool has_body)
{
	struct limits limits;
	struct job_context context = {.limits = &limits, .kind = JOB_REDUCE, .query = true};
	struct error err = {0};
	struct job_spec spec;

	limits_default(&limits);
	context.spans = job->spans;
	context.span_count = job->span_count;
	context.has_body = has_body;
	context.body_format = FORMAT_NPY;
	if (job_json_read(&spec, job->object, &context, &err) != STATUS_OK) {
		check(err.text[0] != '\0' && err.status != STATUS_BAD_JSON, "no explanation");
		check(!err.has_pointer ||
			      strchr(err.pointer + (err.pointer[0] != '\0'), '/') == NULL,
		      "a pointer deeper than a name");
		return;
	}
	check(spec.job.op_count > 0 && spec.x.kind != INPUT_NONE, "a job without work");
	job_spec_deinit(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error err = {0};
	struct query query;
	struct query_job job;

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (query_init(&query, text, &err) == STATUS_OK) {
		if (query_job_init(&job, &query, &err) == STATUS_OK) {
			query_deinit(&query);
			read_job(&job, false);
			read_job(&job, true);
			query_job_deinit(&job);
		} else {
			query_deinit(&query);
		}
	}
	free(text);
	return 0;
}
