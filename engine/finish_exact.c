#include "config.h"

#include <math.h>
#include "engine/finish_parts.h"
#include "engine/round.h"

void finish_variance(const struct finish_args *args, const struct power_sums *sums, uint64_t count,
		     void *out)
{
	struct bigint factor, scaled, square, den;
	struct exact_value value = {.num = &scaled, .den = &den};
	int64_t square_exponent = 2 * sums->sum_exponent;

	bigint_set(&factor, count);
	bigint_mul(&scaled, &sums->squares, &factor);
	bigint_mul(&square, &sums->sum, &sums->sum);

	/* To one exponent; of zero sums it means nothing. */
	value.exponent = sums->squares_exponent;
	if (square.used == 0)
		square_exponent = value.exponent;
	if (square_exponent < value.exponent) {
		bigint_shift_left(&scaled, (uint32_t)(value.exponent - square_exponent));
		value.exponent = square_exponent;
	} else {
		bigint_shift_left(&square, (uint32_t)(square_exponent - value.exponent));
	}
	bigint_sub(&scaled, &scaled, &square); /* >= 0 by Cauchy's inequality */

	bigint_set(&square, count - args->ddof);
	bigint_mul(&den, &factor, &square);
	value.root = args->spec->op == OP_STD;
	round_exact(&value, args->result, out);
}

static void finish_moments(const struct finish_args *args, const struct exact_moments *moments,
			   uint64_t count, void *out)
{
	struct exactsum sum = moments->sum, squares = moments->squares;
	struct power_sums sums;
	double special;
	bool negative;

	if (!exactsum_is_finite(&sum, &special)) {
		round_f64(NAN, args->result, out);
		return;
	}
	exactsum_value(&sum, &sums.sum, &negative, &sums.sum_exponent);
	exactsum_value(&squares, &sums.squares, &negative, &sums.squares_exponent);
	finish_variance(args, &sums, count, out);
}

/* The sum, divided by count, or its square root, rounded once. */
enum final { FINAL_SUM, FINAL_MEAN, FINAL_ROOT };

static void finish_sum(const struct finish_args *args, const struct exactsum *value,
		       enum final final, uint64_t count, void *out)
{
	struct leading leading;
	struct exactsum sum;
	double special;

	if (!exactsum_is_finite(value, &special)) {
		round_f64(special, args->result, out);
		return;
	}
	/* Looking at it normalizes: a copy, the value may be needed again. A
	 * merge copies the digits in use alone. */
	exactsum_init(&sum);
	exactsum_merge(&sum, value);
	exactsum_leading(&sum, &leading);
	if (final == FINAL_MEAN)
		leading_divide(&leading, count);
	else if (final == FINAL_ROOT)
		leading_root(&leading);
	leading_round(&leading, args->result, out);
}

enum status finish_exact(const struct finish_args *args, const void *value, uint64_t count,
			 void *out, struct error *err)
{
	enum op op = args->spec->op;
	enum accum accum = args->accum;

	if (!dtype_is_float(args->result))
		return finish_mismatch(args, err);
	if (accum == ACCUM_EXACT_MOMENTS) {
		if (!op_needs_ddof(op))
			return finish_mismatch(args, err);
		finish_moments(args, value, count, out);
		return STATUS_OK;
	}

	if ((accum == ACCUM_EXACT_SUM && op == OP_SUM) ||
	    (accum == ACCUM_EXACT_ABS && op == OP_L1) ||
	    (accum == ACCUM_EXACT_SQUARE && op == OP_SUMSQ) ||
	    (accum == ACCUM_EXACT_DOT && op == OP_DOT))
		finish_sum(args, value, FINAL_SUM, count, out);
	else if (accum == ACCUM_EXACT_SUM && op == OP_MEAN)
		finish_sum(args, value, FINAL_MEAN, count, out);
	else if (accum == ACCUM_EXACT_SQUARE && op == OP_L2)
		finish_sum(args, value, FINAL_ROOT, count, out);
	else
		return finish_mismatch(args, err);
	return STATUS_OK;
}
