/* partial_finish.c - from a state to the result of a job over everything: the
 * job is made again, planned and finished like any other. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include "engine/order.h"
#include "engine/partial_state.h"

static enum status no_such_key(const char *key, struct error *err)
{
	char pointer[sizeof("/out_dtype/") + OP_KEY_SIZE];

	snprintf(pointer, sizeof(pointer), "/out_dtype/%s", key);
	return fail_at(err, STATUS_BAD_JOB, pointer, "%s is no operation of these parts", key);
}

static enum status choose_types(struct job *job, const struct partial_finish *choice,
				struct error *err)
{
	bool taken = false;

	for (unsigned i = 0; i < job->op_count && choice->has_out_dtype; i++)
		if (op_takes_out_dtype(job->ops[i].spec.op)) {
			job->ops[i].has_out_dtype = taken = true;
			job->ops[i].out_dtype = choice->out_dtype;
		}
	if (choice->has_out_dtype && !taken)
		return fail_at(err, STATUS_BAD_JOB, "/out_dtype",
			       "no operation of these parts takes an out_dtype");
	for (unsigned k = 0; k < choice->out_count; k++) {
		const char *key = choice->out[k].key;
		unsigned i = 0;

		while (i < job->op_count && strcmp(job->ops[i].spec.key, key) != 0)
			i++;
		if (i == job->op_count)
			return no_such_key(key, err);
		job->ops[i].has_out_dtype = true;
		job->ops[i].out_dtype = choice->out[k].dtype;
	}
	return STATUS_OK;
}

/* The job over everything, and its plan; the plan refers to the job. */
static enum status plan_whole(const struct partial *partial, const struct partial_finish *choice,
			      const struct limits *limits, struct job *job, struct plan *plan,
			      struct error *err)
{
	const struct array_desc desc = {
		.dtype = partial->dtype, .ndim = 1, .shape = {partial->length}};
	enum status status;

	*job = partial->job;
	job->partial = choice->partial;
	job->ddof = choice->given_ddof ? choice->ddof : 0;
	job->given.ddof = choice->given_ddof;
	status = choose_types(job, choice, err);
	if (status != STATUS_OK)
		return status;
	return plan_make(plan, job, &desc, partial_has(partial, TERM_DOT) ? &desc : NULL, limits,
			 err);
}

struct joined {
	struct exact_moments exact;
	struct int_moments integer;
};

/* The accumulator's value out of its terms. */
static const void *value_of(const struct partial *partial, enum accum accum, struct joined *joined)
{
	unsigned terms;

	if (accum == ACCUM_EXACT_MOMENTS) {
		joined->exact.sum = partial->sums[TERM_SUM].exact;
		joined->exact.squares = partial->sums[TERM_SQUARE].exact;
		return &joined->exact;
	}
	if (accum == ACCUM_INT_MOMENTS) {
		joined->integer.sum = partial->sums[TERM_SUM].integer;
		joined->integer.squares = partial->sums[TERM_SQUARE].integer;
		return &joined->integer;
	}
	terms = partial_terms_of(accum);
	return partial_term(partial, (enum partial_term)__builtin_ctz(terms));
}

static enum status put(struct spool **out, const void *bytes, uint64_t size, struct error *err)
{
	const struct spool_config config = {.memory = 64, .limit = UINT64_MAX};

	*out = spool_create(&config);
	if (*out == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result");
	return spool_write(*out, bytes, size, err);
}

static enum status finish_op(const struct partial *partial, const struct plan *plan, unsigned i,
			     struct result *result, struct error *err)
{
	const struct finish_args args = plan_finish_args(plan, i);
	struct result_op *op = &result->ops[result->op_count++];
	static const char null = 1;
	struct joined joined;
	const void *value = NULL;
	uint64_t element = 0;
	struct error why = {0};
	enum status status;

	memcpy(op->key, plan->ops[i].spec.key, sizeof(op->key));
	op->dtype = args.result;
	op->combine = plan->ops[i].combine;
	if (args.spec->op != OP_COUNT)
		value = value_of(partial, args.accum, &joined);
	status = finish_value(&args, value, partial->count, partial->length, &element, &why);
	if (job_nulls(plan->job, status))
		status = put(&op->nulls, &null, 1, err);
	else if (status != STATUS_OK && err != NULL)
		*err = why;
	if (status == STATUS_OK)
		status = put(&op->data, &element, dtype_size(args.result), err);
	return status;
}

enum status partial_finish(const struct partial *partial, const struct partial_finish *choice,
			   const struct limits *limits, struct result **out, struct error *err)
{
	struct job job;
	struct plan plan;
	struct result *result;
	enum status status = plan_whole(partial, choice, limits, &job, &plan, err);

	if (status != STATUS_OK)
		return status;
	result = result_create(plan.op_count);
	if (result == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result");
	result->kind = JOB_REDUCE;
	result->determinism = DETERMINISM_EXACT;
	result->order = ORDER_VERSION;
	snprintf(result->backend, sizeof(result->backend), "merge");
	result->batch_jobs = 1;
	result->scalar = true;
	result->count = partial->count;
	for (unsigned i = 0; i < plan.op_count && status == STATUS_OK; i++)
		status = finish_op(partial, &plan, i, result, err);
	if (status != STATUS_OK) {
		result_destroy(result);
		return status;
	}
	*out = result;
	return STATUS_OK;
}
