#include "config.h"
#include "engine/plan.h"
#include "engine/order.h"
#include "engine/partial.h"

#include <stdio.h>
#include <string.h>

/* "/op" when one operation was asked for, else "/op/i". */
static const char *op_pointer(char out[24], const struct job *job, unsigned i)
{
	if (job->op_count == 1)
		return "/op";
	snprintf(out, 24, "/op/%u", i);
	return out;
}

static bool any_op(const struct job *job, bool (*is)(enum op))
{
	for (unsigned i = 0; i < job->op_count; i++)
		if (is(job->ops[i].spec.op))
			return true;
	return false;
}

static bool is_dot(enum op op)
{
	return op == OP_DOT;
}

/* Members that were sent but say nothing about this job. */
static enum status check_members(const struct job *job, struct error *err)
{
	bool split = job->has_axis || job->has_segments;
	bool scan = job->kind == JOB_SCAN;

	if (job->has_axis && job->has_segments)
		return fail_at(err, STATUS_BAD_JOB, "/segments",
			       "segments and axis exclude each other");
	if (job->given.keepdims && (scan || job->has_segments))
		return fail_at(err, STATUS_BAD_JOB, "/keepdims",
			       "keepdims belongs to a reduction over axes");
	if (job->given.ddof && !any_op(job, op_needs_ddof))
		return fail_at(err, STATUS_BAD_JOB, "/ddof", "ddof belongs to var and std");
	if (job->given.exclusive && !scan)
		return fail_at(err, STATUS_BAD_JOB, "/exclusive", "exclusive belongs to scans");
	if (job->given.empty && (scan || !split))
		return fail_at(err, STATUS_BAD_JOB, "/empty",
			       "empty belongs to reductions over axes or segments");
	if (job->given.overflow && !any_op(job, op_may_overflow))
		return fail_at(err, STATUS_BAD_JOB, "/overflow",
			       "overflow belongs to operations whose result is a value");
	if (job->given.index_base &&
	    (split || !(any_op(job, op_is_arg) || job->nan == NAN_ERROR || job->partial)))
		return fail_at(err, STATUS_BAD_JOB, "/index_base",
			       "index_base belongs to argmin, argmax, nan=error and partial over "
			       "the whole array");
	return STATUS_OK;
}

static enum status check_ops(const struct job *job, enum dtype input, struct error *err)
{
	char pointer[24];

	for (unsigned i = 0; i < job->op_count; i++) {
		const struct op_spec *spec = &job->ops[i].spec;

		op_pointer(pointer, job, i);
		for (unsigned k = 0; k < i; k++)
			if (strcmp(job->ops[k].spec.key, spec->key) == 0)
				return fail_at(err, STATUS_BAD_JOB, op_pointer(pointer, job, i),
					       "operation %s is asked for twice", spec->key);
		if (job->kind == JOB_SCAN && !op_scans(spec->op))
			return fail_at(err, STATUS_BAD_JOB, op_pointer(pointer, job, i),
				       "%s has no scan; sum, prod, min, max, logsumexp have",
				       spec->key);
		if (op_is_arg(spec->op) && job->has_axis && job->axis_count > 1)
			return fail_at(err, STATUS_BAD_JOB, "/axis", "%s takes one axis or none",
				       spec->key);
		if (job->determinism == DETERMINISM_EXACT &&
		    !op_has_exact(spec, input, job->kind == JOB_SCAN))
			return fail_at(err, STATUS_EXACT_UNSUPPORTED, op_pointer(pointer, job, i),
				       "%s of %s has no exact form", spec->key, dtype_name(input));
	}
	return STATUS_OK;
}

static enum status result_dtype(enum dtype *out, const struct job_op *op, enum dtype input,
				struct error *err)
{
	enum dtype natural = op_result_dtype(op->spec.op, input);
	enum dtype wanted = op->out_dtype;

	if (!op->has_out_dtype || wanted == natural) {
		if (op->has_out_dtype && !op_takes_out_dtype(op->spec.op))
			return fail_at(err, STATUS_BAD_DTYPE, "/out_dtype", "%s takes no out_dtype",
				       op->spec.key);
		*out = natural;
		return STATUS_OK;
	}
	if (!op_takes_out_dtype(op->spec.op))
		return fail_at(err, STATUS_BAD_DTYPE, "/out_dtype", "%s takes no out_dtype",
			       op->spec.key);
	if (wanted == DTYPE_BOOL)
		return fail_at(err, STATUS_BAD_DTYPE, "/out_dtype", "%s of %s does not go to bool",
			       op->spec.key, dtype_name(input));
	if (dtype_is_float(natural) && !dtype_is_float(wanted))
		return fail_at(err, STATUS_BAD_DTYPE, "/out_dtype",
			       "%s of %s is a float and does not go to %s", op->spec.key,
			       dtype_name(input), dtype_name(wanted));
	*out = wanted;
	return STATUS_OK;
}

/* lp:1 is l1 and lp:2 is l2, in every promise. */
static struct op_spec simplify(const struct op_spec *spec)
{
	struct op_spec out = *spec;

	if (spec->op == OP_LP && spec->p == 1)
		out.op = OP_L1;
	else if (spec->op == OP_LP && spec->p == 2)
		out.op = OP_L2;
	return out;
}

static enum accum float_accum(enum op op, enum dtype input, bool exact)
{
	switch (op) {
	case OP_SUM:
	case OP_MEAN:
		return exact ? ACCUM_EXACT_SUM : ACCUM_SUM;
	case OP_L1:
		return exact ? ACCUM_EXACT_ABS : ACCUM_ABS;
	case OP_SUMSQ:
		return exact ? ACCUM_EXACT_SQUARE : ACCUM_SQUARE;
	case OP_L2:
		if (exact)
			return ACCUM_EXACT_SQUARE;
		return input == DTYPE_FLOAT64 ? ACCUM_SCALED : ACCUM_SQUARE;
	case OP_DOT:
		return exact ? ACCUM_EXACT_DOT : ACCUM_DOT;
	case OP_VAR:
	case OP_STD:
		return exact ? ACCUM_EXACT_MOMENTS : ACCUM_MOMENTS;
	case OP_PROD:
		return ACCUM_PROD;
	default:
		return ACCUM_COUNT;
	}
}

static enum accum int_accum(enum op op)
{
	switch (op) {
	case OP_SUM:
	case OP_MEAN:
		return ACCUM_INT_SUM;
	case OP_L1:
		return ACCUM_INT_ABS;
	case OP_SUMSQ:
	case OP_L2:
		return ACCUM_INT_SQUARE;
	case OP_DOT:
		return ACCUM_INT_DOT;
	case OP_VAR:
	case OP_STD:
		return ACCUM_INT_MOMENTS;
	case OP_PROD:
		return ACCUM_INT_PROD;
	default:
		return ACCUM_COUNT;
	}
}

/* Which accumulator serves an operation; false: it needs none (count). */
static bool choose_accum(struct plan_accum *out, const struct op_spec *spec, enum dtype input,
			 bool exact)
{
	out->domain = dtype_domain(input);
	out->p = 0;
	switch (spec->op) {
	case OP_COUNT:
		return false;
	case OP_MIN:
	case OP_ARGMIN:
		out->accum = ACCUM_MIN;
		return true;
	case OP_MAX:
	case OP_ARGMAX:
		out->accum = ACCUM_MAX;
		return true;
	case OP_LINF:
		out->accum = ACCUM_MAX_ABS;
		return true;
	case OP_COUNT_NONZERO:
	case OP_ANY:
	case OP_ALL:
		out->accum = ACCUM_TALLY;
		return true;
	case OP_LP:
		out->accum = ACCUM_POWER;
		out->p = spec->p;
		out->domain = DOMAIN_F64;
		return true;
	case OP_LOGSUMEXP:
		out->accum = ACCUM_LOGSUM;
		out->domain = DOMAIN_F64;
		return true;
	default:
		out->accum = out->domain == DOMAIN_F64 ? float_accum(spec->op, input, exact)
						       : int_accum(spec->op);
		return true;
	}
}

static enum combine combine_of(enum accum accum)
{
	if (accum <= ACCUM_LOGSUM)
		return COMBINE_TWO_PASS;
	if (accum <= ACCUM_EXACT_MOMENTS)
		return COMBINE_SUPERACCUMULATOR;
	if (accum <= ACCUM_INT_MOMENTS)
		return COMBINE_INTEGER;
	return COMBINE_ORDER_FREE;
}

/* Operations that need the same accumulator share it: one reading. */
static unsigned share_accum(struct plan *plan, const struct plan_accum *wanted)
{
	for (unsigned i = 0; i < plan->accum_count; i++) {
		const struct plan_accum *have = &plan->accums[i];

		if (have->accum == wanted->accum && have->domain == wanted->domain &&
		    have->p == wanted->p)
			return i;
	}
	plan->accums[plan->accum_count] = *wanted;
	return plan->accum_count++;
}

static enum status choose_ops(struct plan *plan, struct error *err)
{
	const struct job *job = plan->job;
	bool exact = job->determinism == DETERMINISM_EXACT;

	for (unsigned i = 0; i < job->op_count; i++) {
		struct plan_op *op = &plan->ops[plan->op_count++];
		struct plan_accum wanted = {0};
		enum status status =
			result_dtype(&op->result, &job->ops[i], plan->input.dtype, err);

		if (status != STATUS_OK)
			return status;
		op->spec = simplify(&job->ops[i].spec);
		op->combine = COMBINE_ORDER_FREE;
		if (choose_accum(&wanted, &op->spec, plan->input.dtype, exact)) {
			op->accum = share_accum(plan, &wanted);
			op->combine = combine_of(wanted.accum);
		}
	}
	return STATUS_OK;
}

static bool same_shape(const struct array_desc *x, const struct array_desc *y)
{
	return x->ndim == y->ndim && memcmp(x->shape, y->shape, x->ndim * sizeof(x->shape[0])) == 0;
}

/* Two arrays: one type, one length; one shape where axes matter. */
static enum status check_pair(struct plan *plan, const struct array_desc *y, struct error *err)
{
	const struct array_desc *x = &plan->input;
	const struct job *job = plan->job;
	uint64_t x_count, y_count;

	plan->pair = any_op(job, is_dot);
	if (!plan->pair && y != NULL)
		return fail_at(err, STATUS_BAD_JOB, "/with", "a second array belongs to dot");
	if (!plan->pair)
		return STATUS_OK;
	if (y == NULL)
		return fail_at(err, STATUS_BAD_JOB, "/with", "dot needs a second array, `with`");
	if (job->op_count > 1 && job->nan == NAN_OMIT)
		return fail_at(
			err, STATUS_BAD_JOB, "/op",
			"dot with nan=omit leaves out pairs; ask for other operations apart");
	if (x->dtype != y->dtype)
		return fail_at(err, STATUS_BAD_DTYPE, "/with",
			       "dot takes two arrays of one type, not %s and %s",
			       dtype_name(x->dtype), dtype_name(y->dtype));
	if (array_count(y, &y_count, err) != STATUS_OK)
		return STATUS_BAD_SHAPE;
	array_count(x, &x_count, NULL);
	if (job->has_axis ? !same_shape(x, y) && x_count != ARRAY_UNKNOWN
			  : x_count != y_count && x_count != ARRAY_UNKNOWN)
		return fail_at(err, STATUS_BAD_SHAPE, "/with",
			       "dot takes two arrays of one %s: %llu and %llu elements",
			       job->has_axis ? "shape" : "length", (unsigned long long)x_count,
			       (unsigned long long)y_count);
	/* Stored orders that differ would pair the wrong elements. */
	if ((x->fortran || y->fortran) && (x->fortran != y->fortran || !same_shape(x, y)))
		plan->gather = true;
	return STATUS_OK;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t out;

	return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t out;

	return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

/* Values a scan keeps for each line: a row's lanes, a group's tiles and some. */
#define SCAN_VALUES (2 * SCAN_LANES + 16)

/* Values open at a time for each strided line: the run, and a counter that
 * holds one value for each bit of the number of runs. */
static uint64_t values_per_line(const struct layout *layout)
{
	uint64_t runs = layout->line_length / ORDER_RUN + 1;

	return 2 + (64 - (unsigned)__builtin_clzll(runs));
}

static enum status check_size(struct plan *plan, const struct limits *limits, struct error *err)
{
	const struct layout *layout = &plan->layout;
	uint64_t count, results = layout->lines, out = 0;
	uint64_t state = 1u << 20;

	array_count(&plan->input, &count, NULL);
	for (unsigned i = 0; i < plan->op_count; i++)
		out = add(out, dtype_size(plan->ops[i].result));
	if (plan->job->kind == JOB_SCAN)
		results = count;
	else if (!layout->scalar)
		out = add(out, sizeof(uint64_t));
	if (results != ARRAY_UNKNOWN && times(results, out) > limits->spool)
		return fail(err, STATUS_TOO_LARGE,
			    "the results take %llu bytes, more than limits.spool (%llu)",
			    (unsigned long long)times(results, out),
			    (unsigned long long)limits->spool);

	if (!layout->adjacent) {
		for (unsigned i = 0; i < plan->accum_count; i++) {
			enum accum accum = plan->accums[i].accum;
			uint64_t values = accum > ACCUM_LOGSUM          ? 1
					  : plan->job->kind == JOB_SCAN ? SCAN_VALUES
									: values_per_line(layout);

			state = add(state,
				    times(times(layout->live_lines, accum_size(accum)), values));
		}
	}
	if (plan->gather)
		state = add(state,
			    times(times(count, dtype_size(plan->input.dtype)), plan->pair ? 4 : 2));
	plan->state_bytes = state;
	if (state > limits->state)
		return fail(err, STATUS_TOO_LARGE,
			    "the job needs %llu bytes of memory, more than limits.state (%llu)",
			    (unsigned long long)state, (unsigned long long)limits->state);
	return STATUS_OK;
}

enum status plan_make(struct plan *out, const struct job *job, const struct array_desc *x,
		      const struct array_desc *y, const struct limits *limits, struct error *err)
{
	enum status status;

	memset(out, 0, sizeof(*out));
	out->job = job;
	out->input = *x;
	status = check_members(job, err);
	if (status == STATUS_OK)
		status = check_pair(out, y, err);
	if (status == STATUS_OK)
		status = check_ops(job, x->dtype, err);
	if (status == STATUS_OK)
		status = choose_ops(out, err);
	if (status == STATUS_OK && job->partial)
		status = partial_check(out, err);
	if (status == STATUS_OK)
		status = layout_make(&out->layout, job, x, err);
	if (status != STATUS_OK)
		return status;

	out->gather = out->gather || out->layout.buffered;
	if (out->gather) {
		/* The stream will see C order. */
		out->input.fortran = false;
		status = layout_make(&out->layout, job, &out->input, err);
		if (status != STATUS_OK)
			return status;
	}
	return check_size(out, limits, err);
}

struct finish_args plan_finish_args(const struct plan *plan, unsigned i)
{
	const struct plan_op *op = &plan->ops[i];
	struct finish_args args = {
		.spec = &op->spec,
		.input = plan->input.dtype,
		.result = op->result,
		.accum = op->spec.op == OP_COUNT ? ACCUM_COUNT : plan->accums[op->accum].accum,
		.overflow = plan->job->overflow,
		.ddof = plan->job->ddof,
		.index_base = plan->job->index_base,
	};

	return args;
}
