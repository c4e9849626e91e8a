#include "config.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/bench_cpu.h"
#include "clients/bench_data.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/op.h"
#include "engine/task.h"

#define RUNS_MIN 5u      /* of one measurement; its median is shown */
#define RUNS_MAX 100000u /* chosen */

static const enum dtype dtypes[] = {DTYPE_FLOAT32, DTYPE_FLOAT64};
static const enum op ops[] = {OP_SUM, OP_MAX, OP_L2, OP_VAR};
static const enum determinism promises[] = {DETERMINISM_NONE, DETERMINISM_ORDERED,
					    DETERMINISM_EXACT};

struct bench {
	const struct bench_cpu_options *options;
	struct engine *engine;
	struct bench_data data;
	double *times; /* ns, RUNS_MAX of them */
	bool first;    /* no line of JSON yet */
	bool wrong;
};

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void report(struct bench *bench, enum op op, enum determinism promise, double ns)
{
	const char *dtype = dtype_name(bench->data.dtype);
	double bytes = (double)bench->data.count * (double)dtype_size(bench->data.dtype);

	if (bench->options->json)
		printf("%s\n  {\"dtype\": \"%s\", \"count\": %" PRIu64 ", \"op\": \"%s\", "
		       "\"determinism\": \"%s\", \"ns\": %.0f, \"bytes_per_second\": %.4e}",
		       bench->first ? "" : ",", dtype, bench->data.count, op_name(op),
		       determinism_name(promise), ns, bytes * 1e9 / ns);
	else
		printf("%-8s %12" PRIu64 "  %-4s %-8s %14.1f %9.2f\n", dtype, bench->data.count,
		       op_name(op), determinism_name(promise), ns / 1e3, bytes / ns);
	bench->first = false;
}

/* The result must be right: a fast wrong answer measures nothing. */
static bool is_right(const struct bench_data *data, enum op op, double value)
{
	double expected = op == OP_SUM   ? data->sum
			  : op == OP_MAX ? data->max
			  : op == OP_L2  ? data->l2
					 : data->var;
	bool whole = op == OP_SUM || op == OP_MAX;
	double unit = data->dtype == DTYPE_FLOAT32 ? FLT_EPSILON : whole ? 0 : 1e-12;

	return fabs(value - expected) <= unit * fabs(expected);
}

static enum status result_value(struct task *task, double *out, struct error *err)
{
	const struct result_op *op = &task->result->ops[0];
	union {
		float f32;
		double f64;
	} value;
	enum status status = spool_read(op->data, 0, &value, dtype_size(op->dtype), err);

	if (status == STATUS_OK)
		*out = op->dtype == DTYPE_FLOAT32 ? (double)value.f32 : value.f64;
	return status;
}

/* One job from its making to its answer. */
static enum status run_once(struct bench *bench, enum op op, enum determinism promise, double *ns,
			    double *value, struct error *err)
{
	struct task *task = task_create();
	enum status status;
	uint64_t start;

	if (task == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a task");
	task->job.kind = JOB_REDUCE;
	task->job.op_count = 1;
	task->job.determinism = promise;
	task->job.backend = BACKEND_CPU;
	status = op_parse(op_name(op), &task->job.ops[0].spec, err);
	task->x = bench_data_source(&bench->data);
	if (status == STATUS_OK && task->x == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory for a source");
	if (status == STATUS_OK) {
		start = clock_ns();
		status = task_run(bench->engine, task);
		*ns = (double)(clock_ns() - start);
		if (status != STATUS_OK)
			*err = task->error;
		else
			status = result_value(task, value, err);
	}
	task_destroy(task);
	return status;
}

static bool enough(const struct bench *bench, unsigned runs, uint64_t start)
{
	if (runs >= RUNS_MAX)
		return true;
	return runs >= RUNS_MIN && (double)(clock_ns() - start) >= bench->options->seconds * 1e9;
}

static double median(double *times, unsigned count)
{
	qsort(times, count, sizeof(*times), compare);
	return times[count / 2];
}

static bool measure_job(struct bench *bench, enum op op, enum determinism promise)
{
	struct error err = {0};
	uint64_t start = clock_ns();
	unsigned runs = 0;
	double value = 0;

	while (!enough(bench, runs, start)) {
		if (run_once(bench, op, promise, &bench->times[runs], &value, &err) != STATUS_OK) {
			fprintf(stderr, "foldbench: %s %s: %s\n", op_name(op),
				determinism_name(promise), err.text);
			return false;
		}
		runs++;
	}
	report(bench, op, promise, median(bench->times, runs));
	if (!is_right(&bench->data, op, value)) {
		fprintf(stderr, "foldbench: %s %s of %" PRIu64 " %s is wrong: %.17g\n", op_name(op),
			determinism_name(promise), bench->data.count, dtype_name(bench->data.dtype),
			value);
		bench->wrong = true;
	}
	return true;
}

static bool measure_length(struct bench *bench, enum dtype dtype, uint64_t count)
{
	bool good = true;

	if (!bench_data_init(&bench->data, dtype, count)) {
		fprintf(stderr, "foldbench: no memory for %" PRIu64 " elements\n", count);
		return false;
	}
	for (unsigned i = 0; good && i < sizeof(ops) / sizeof(ops[0]); i++) {
		for (unsigned j = 0; good && j < sizeof(promises) / sizeof(promises[0]); j++)
			good = measure_job(bench, ops[i], promises[j]);
	}
	bench_data_deinit(&bench->data);
	return good;
}

/* There is always a CPU backend. */
static void describe_cpu(const struct engine *engine, struct backend_caps *out)
{
	unsigned count = engine_backend_count(engine);

	for (unsigned i = 0; i < count; i++) {
		engine_backend_describe(engine, i, out);
		if (strcmp(out->name, "cpu") == 0)
			return;
	}
}

static void report_head(const struct bench *bench)
{
	struct backend_caps caps;

	describe_cpu(bench->engine, &caps);
	if (bench->options->json) {
		printf("{\"backend\": \"%s\", \"threads\": %u, \"measurements\": [", caps.name,
		       caps.threads);
		return;
	}
	printf("%s: %s, %u thread%s; medians\n\n", caps.name, caps.device, caps.threads,
	       caps.threads == 1 ? "" : "s");
	printf("%-8s %12s  %-4s %-8s %14s %9s\n", "dtype", "count", "op", "promise", "us", "GB/s");
}

int bench_cpu_run(const struct bench_cpu_options *options)
{
	struct engine_config config = {.threads = options->threads};
	struct bench bench = {.options = options, .first = true};
	struct error err = {0};
	bool good = true;

	limits_default(&config.limits);
	bench.times = malloc(RUNS_MAX * sizeof(*bench.times));
	if (bench.times == NULL) {
		fputs("foldbench: out of memory\n", stderr);
		return 1;
	}
	if (engine_create(&config, &bench.engine, &err) != STATUS_OK) {
		fprintf(stderr, "foldbench: %s\n", err.text);
		free(bench.times);
		return 1;
	}
	report_head(&bench);
	for (unsigned i = 0; good && i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		for (unsigned j = 0; good && j < options->length_count; j++)
			good = measure_length(&bench, dtypes[i], options->lengths[j]);
	}
	if (options->json)
		printf("\n]}\n");
	engine_destroy(bench.engine);
	free(bench.times);
	return good && !bench.wrong ? 0 : 1;
}
