/* scan.c - prefixes: one launch over the whole array, its output fetched in pieces
 * on their way to the result. */
#include "config.h"
#include "gpu/work.h"

#include <string.h>
#include "gpu/fetcher.h"
#include "gpu/overflow.h"

struct scan {
	struct work *work;
	struct scan_job job;
	struct elements elements;
	struct device_buffer out;   /* a prefix for each element */
	struct device_buffer facts; /* struct scan_facts */
};

struct scan_facts {
	uint64_t overflow; /* stored position, UINT64_MAX: none */
	struct nan_found nans;
};

/* What the kernels are asked for; the input is what they will see. */
static struct scan_job job_of(const struct plan *plan, enum dtype input)
{
	const struct plan_op *op = &plan->ops[0];

	return (struct scan_job){
		.op = op->spec.op,
		.domain = plan->accums[op->accum].domain,
		.input = input,
		.result = op->result,
		.exact = op->combine == COMBINE_SUPERACCUMULATOR,
		.omit = work_omits(plan),
		.exclusive = plan->job->exclusive,
		.overflow = plan->job->overflow,
	};
}

bool scan_possible(const struct plan *plan)
{
	const struct scan_job job = job_of(plan, plan->input.dtype);

	return scan_served(&job);
}

static enum status set_job(struct scan *scan, struct error *err)
{
	const struct plan *plan = scan->work->plan;
	const struct plan_op *op = &plan->ops[0];
	enum domain domain = plan->accums[op->accum].domain;
	enum status status = work_elements(scan->work, domain, &scan->elements, err);

	scan->job = job_of(plan, scan->elements.dtype);
	scan->job.omit = scan->elements.omit;
	return status;
}

static enum status count_nans(struct scan *scan, const struct launch *launch,
			      struct scan_facts *facts, struct error *err)
{
	struct work *work = scan->work;
	const struct lines all = {.lines = 1, .length = work->count, .elements = work->count};

	if (!scan->elements.omit)
		return STATUS_OK;
	return cuda_status(work->device, nan_lines(launch, &scan->elements, &all, &facts->nans),
			   "counting NaNs", err);
}

static size_t scratch_of(const struct scan_job *job, const struct geometry *geometry)
{
	return geometry->kind == GEOMETRY_LINES ? scan_lines_scratch(job, &geometry->as.lines)
						: scan_columns_scratch(job, &geometry->as.columns);
}

static enum status compute(struct scan *scan, struct scan_facts *facts, struct error *err)
{
	struct work *work = scan->work;
	const struct geometry *geometry = &work->geometry;
	struct scan_facts *found;
	struct launch launch;
	cudaError_t code;
	enum status status = buffer_reserve(work->device, work->queue, &scan->out,
					    work->count * dtype_size(scan->job.result), 0, err);

	if (status == STATUS_OK)
		status = buffer_reserve(work->device, work->queue, &scan->facts, sizeof(*found), 0,
					err);
	if (status == STATUS_OK)
		status = work_launch(work, scratch_of(&scan->job, geometry), &launch, err);
	if (status != STATUS_OK)
		return status;
	found = scan->facts.data;
	code = geometry->kind == GEOMETRY_LINES
		       ? scan_lines(&launch, &scan->job, scan->elements.x, &geometry->as.lines,
				    scan->out.data, &found->overflow)
		       : scan_columns(&launch, &scan->job, scan->elements.x, &geometry->as.columns,
				      scan->out.data, &found->overflow);
	status = cuda_status(work->device, code, "a scan", err);
	if (status == STATUS_OK)
		status = count_nans(scan, &launch, found, err);
	return status == STATUS_OK ? work_fetch(work, found, facts, sizeof(*facts), err) : status;
}

static enum status write_piece(void *context, const void *bytes, uint64_t size, struct error *err)
{
	return spool_write(context, bytes, size, err);
}

static enum status fetch(struct scan *scan, struct error *err)
{
	struct work *work = scan->work;

	return fetcher_run(work->device, work->queue, scan->out.data,
			   work->count * dtype_size(scan->job.result), write_piece,
			   work->result->ops[0].data, err);
}

uint64_t scan_memory(const struct plan *plan, const struct geometry *geometry, uint64_t count)
{
	const struct plan_op *op = &plan->ops[0];
	bool wide =
		plan->accums[op->accum].domain == DOMAIN_F64 && !dtype_is_float(plan->input.dtype);
	const struct scan_job job = {
		.op = op->spec.op,
		.domain = plan->accums[op->accum].domain,
		.input = wide ? DTYPE_FLOAT64 : plan->input.dtype,
		.result = op->result,
		.exact = op->combine == COMBINE_SUPERACCUMULATOR,
		.omit = work_omits(plan),
		.exclusive = plan->job->exclusive,
		.overflow = plan->job->overflow,
	};

	return count * dtype_size(op->result) + scratch_of(&job, geometry) +
	       (wide ? count * sizeof(double) : 0);
}

static enum status run(struct scan *scan, struct error *err)
{
	struct work *work = scan->work;
	struct scan_facts facts;
	uint64_t nan;
	enum status status = work_first_nan(work, &nan, err);

	if (status == STATUS_OK && nan != UINT64_MAX)
		return work_fail_nan(work->plan, nan, err);
	if (status != STATUS_OK || work->count == 0)
		return status;
	status = set_job(scan, err);
	if (status == STATUS_OK)
		status = compute(scan, &facts, err);
	if (status != STATUS_OK)
		return status;
	if (facts.overflow != UINT64_MAX)
		return overflow_explain(work, facts.overflow, err);
	work->result->count = work->count - (scan->elements.omit ? facts.nans.count : 0);
	return fetch(scan, err);
}

enum status scan_run(struct work *work, struct error *err)
{
	struct scan scan = {.work = work};
	enum status status = run(&scan, err);

	buffer_release(work->device, work->queue, &scan.out);
	buffer_release(work->device, work->queue, &scan.facts);
	return status;
}
