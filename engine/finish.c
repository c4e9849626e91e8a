#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "engine/finish_parts.h"
#include "engine/round.h"

enum status finish_mismatch(const struct finish_args *args, struct error *err)
{
	return fail(err, STATUS_INTERNAL, "no final step for %s of accumulator %d to %s",
		    args->spec->key, (int)args->accum, dtype_name(args->result));
}

static enum status finish_i64(const struct finish_args *args, int64_t value, void *out,
			      struct error *err)
{
	struct int192 wide = {{0}};

	int192_add_i64(&wide, value);
	return finish_int192(args, &wide, out, err);
}

static enum status finish_u64(const struct finish_args *args, uint64_t value, void *out,
			      struct error *err)
{
	struct int192 wide = {{0}};

	int192_add_u64(&wide, value);
	return finish_int192(args, &wide, out, err);
}

static enum status finish_f64(const struct finish_args *args, double value, void *out,
			      struct error *err)
{
	if (!dtype_is_float(args->result))
		return finish_mismatch(args, err);
	round_f64(value, args->result, out);
	return STATUS_OK;
}

/* The value where nothing is left (docs/numerics.md). */
static enum status finish_empty(const struct finish_args *args, uint64_t count, uint64_t length,
				void *out, struct error *err)
{
	double value = 0;

	if (op_needs_ddof(args->spec->op))
		return fail(err, STATUS_EMPTY_INPUT,
			    "%s with ddof %" PRIu64 " needs more elements than that; %" PRIu64
			    " of %" PRIu64 " took part",
			    args->spec->key, args->ddof, count, length);
	if (!op_has_empty_value(args->spec->op))
		return fail(err, STATUS_EMPTY_INPUT,
			    "%s of no elements has no value: 0 of %" PRIu64 " took part",
			    args->spec->key, length);

	if (args->spec->op == OP_PROD || args->spec->op == OP_ALL)
		value = 1;
	else if (args->spec->op == OP_LOGSUMEXP)
		value = -INFINITY;
	if (dtype_is_float(args->result)) {
		round_f64(value, args->result, out);
		return STATUS_OK;
	}
	return finish_i64(args, (int64_t)value, out, err);
}

static bool is_empty(const struct finish_args *args, uint64_t count)
{
	return op_needs_ddof(args->spec->op) ? count <= args->ddof : count == 0;
}

static enum status finish_extreme(const struct finish_args *args, const struct extreme *extreme,
				  void *out, struct error *err)
{
	if (op_is_arg(args->spec->op)) {
		/* Both are below 2^63. */
		uint64_t index = extreme->index + args->index_base;

		if (index > INT64_MAX)
			return fail_at(err, STATUS_BAD_VALUE, "/index_base",
				       "%s would be %" PRIu64 ", which is no int64",
				       args->spec->key, index);
		return finish_i64(args, (int64_t)index, out, err);
	}

	switch (dtype_domain(args->input)) {
	case DOMAIN_F64:
		return finish_f64(args, extreme->nan ? NAN : extreme->value.f, out, err);
	case DOMAIN_I64:
		if (args->accum != ACCUM_MAX_ABS)
			return finish_i64(args, extreme->value.i, out, err);
		return finish_u64(args, extreme->value.u, out, err);
	case DOMAIN_U64:
		return finish_u64(args, extreme->value.u, out, err);
	}
	return finish_mismatch(args, err);
}

static enum status finish_tally(const struct finish_args *args, const struct tally *tally,
				uint64_t count, void *out, struct error *err)
{
	switch (args->spec->op) {
	case OP_COUNT_NONZERO:
		return finish_u64(args, tally->nonzero, out, err);
	case OP_ANY:
		return finish_u64(args, tally->nonzero > 0, out, err);
	case OP_ALL:
		return finish_u64(args, tally->nonzero == count, out, err);
	default:
		return finish_mismatch(args, err);
	}
}

enum status finish_value(const struct finish_args *args, const void *value, uint64_t count,
			 uint64_t length, void *out, struct error *err)
{
	enum status status;
	double result;

	if (args->spec->op == OP_COUNT)
		return finish_u64(args, count, out, err);
	if (is_empty(args, count))
		return finish_empty(args, count, length, out, err);

	switch (args->accum) {
	case ACCUM_SUM:
	case ACCUM_ABS:
	case ACCUM_SQUARE:
	case ACCUM_DOT:
	case ACCUM_PROD:
	case ACCUM_SCALED:
	case ACCUM_MOMENTS:
	case ACCUM_POWER:
	case ACCUM_LOGSUM:
		status = finish_float(args, value, count, &result, err);
		if (status != STATUS_OK)
			return status;
		return finish_f64(args, result, out, err);
	case ACCUM_EXACT_SUM:
	case ACCUM_EXACT_ABS:
	case ACCUM_EXACT_SQUARE:
	case ACCUM_EXACT_DOT:
	case ACCUM_EXACT_MOMENTS:
		return finish_exact(args, value, count, out, err);
	case ACCUM_INT_SUM:
	case ACCUM_INT_ABS:
	case ACCUM_INT_SQUARE:
	case ACCUM_INT_DOT:
	case ACCUM_INT_PROD:
	case ACCUM_INT_MOMENTS:
		return finish_integer(args, value, count, out, err);
	case ACCUM_MIN:
	case ACCUM_MAX:
	case ACCUM_MAX_ABS:
		return finish_extreme(args, value, out, err);
	case ACCUM_TALLY:
		return finish_tally(args, value, count, out, err);
	case ACCUM_COUNT:
		break;
	}
	return finish_mismatch(args, err);
}
