/* bench_job.h - foldd as it is measured: one job over one array, from its making
 * to its answer. */
#ifndef TESTS_BENCH_BENCH_JOB_H
#define TESTS_BENCH_BENCH_JOB_H

#include "engine/engine.h"
#include "engine/job.h"
#include "tests/bench/bench_array.h"

struct bench_job {
	enum determinism determinism;
	unsigned op_count;
	struct op_spec ops[JOB_MAX_OPS];
	bool has_axis;
	int64_t axis;
};

/* "sum" or "sum,mean,max". */
enum status bench_job_ops(struct bench_job *job, const char *list, struct error *err);

/* What the last run gave: all results of the first operation, then of the next,
 * as doubles; owned. */
struct bench_values {
	double *values;
	uint64_t count;
};

/* Run it so many times; *ns of each. */
enum status bench_job_run(struct engine *engine, const struct bench_job *job,
			  const struct bench_array *array, unsigned runs, double *ns,
			  struct bench_values *out, struct error *err);

#endif
