#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "engine/finish_parts.h"
#include "engine/integer.h"
#include "engine/round.h"

/* Both ends of an integer type's range. */
static void range_of(enum dtype dtype, struct int192 *least, struct int192 *greatest)
{
	struct integer_range range = integer_range_of(dtype);

	memset(least, 0, sizeof(*least));
	memset(greatest, 0, sizeof(*greatest));
	int192_add_i128(least, range.least);
	int192_add_i128(greatest, range.greatest);
}

static enum status integer_by_rule(const struct finish_args *args, const struct int192 *value,
				   void *out, struct error *err)
{
	struct int192 least, greatest;
	bool below, above;
	char text[64];

	range_of(args->result, &least, &greatest);
	below = int192_compare(value, &least) < 0;
	above = int192_compare(value, &greatest) > 0;
	if ((below || above) && args->overflow == OVERFLOW_ERROR) {
		int192_format(value, text, sizeof(text));
		fail(err, STATUS_INTEGER_OVERFLOW, "%s is %s, out of the range of %s",
		     args->spec->key, text, dtype_name(args->result));
		if (err != NULL)
			snprintf(err->value, sizeof(err->value), "%s", text);
		return STATUS_INTEGER_OVERFLOW;
	}
	if ((below || above) && args->overflow == OVERFLOW_SATURATE)
		value = below ? &least : &greatest;
	integer_store(value->word[0], args->result, out);
	return STATUS_OK;
}

/* value / den, or its square root, rounded once to a float type. */
static void round_ratio(const struct int192 *value, uint64_t den_value, bool root, enum dtype to,
			void *out)
{
	struct bigint num, den;
	struct exact_value exact = {
		.negative = int192_negative(value), .num = &num, .den = &den, .root = root};
	uint64_t words[3];

	int192_magnitude(value, words);
	bigint_set_words(&num, words, 3);
	bigint_set(&den, den_value);
	round_exact(&exact, to, out);
}

enum status finish_int192(const struct finish_args *args, const struct int192 *value, void *out,
			  struct error *err)
{
	if (!dtype_is_float(args->result))
		return integer_by_rule(args, value, out, err);
	round_ratio(value, 1, false, args->result, out);
	return STATUS_OK;
}

static void round_product(const struct intprod *value, bool negative, enum dtype to, void *out)
{
	struct bigint num;
	struct exact_value exact = {.negative = negative, .num = &num};

	if (value->zero) {
		round_f64(0, to, out);
	} else if (value->huge) {
		round_f64(negative ? -INFINITY : INFINITY, to, out);
	} else {
		bigint_set_words(&num, value->word, value->used);
		round_exact(&exact, to, out);
	}
}

/* Whether the product fits in 64 bits and a sign. */
static bool is_short(const struct intprod *value)
{
	return value->zero || (!value->huge && value->used == 1);
}

static enum status finish_product(const struct finish_args *args, const struct intprod *value,
				  void *out, struct error *err)
{
	bool negative = value->negative && !value->zero;
	struct int192 least, greatest, wide = {{0}};
	bool inside;

	if (dtype_is_float(args->result)) {
		round_product(value, negative, args->result, out);
		return STATUS_OK;
	}

	range_of(args->result, &least, &greatest);
	if (!value->zero)
		int192_add_i128(&wide, negative ? -(__int128)value->word[0] : value->word[0]);
	inside = is_short(value) && int192_compare(&wide, &least) >= 0 &&
		 int192_compare(&wide, &greatest) <= 0;
	if (!inside && args->overflow == OVERFLOW_ERROR)
		return fail(err, STATUS_INTEGER_OVERFLOW, "%s is out of the range of %s",
			    args->spec->key, dtype_name(args->result));
	if (!inside && args->overflow == OVERFLOW_SATURATE)
		integer_store(negative ? least.word[0] : greatest.word[0], args->result, out);
	else
		integer_store(value->low, args->result, out);
	return STATUS_OK;
}

static enum status finish_int_moments(const struct finish_args *args,
				      const struct int_moments *moments, uint64_t count, void *out,
				      struct error *err)
{
	struct power_sums sums = {.sum_exponent = 0, .squares_exponent = 0};
	uint64_t words[3];

	if (!op_needs_ddof(args->spec->op) || !dtype_is_float(args->result))
		return finish_mismatch(args, err);
	int192_magnitude(&moments->sum, words);
	bigint_set_words(&sums.sum, words, 3);
	int192_magnitude(&moments->squares, words);
	bigint_set_words(&sums.squares, words, 3);
	finish_variance(args, &sums, count, out);
	return STATUS_OK;
}

enum status finish_integer(const struct finish_args *args, const void *value, uint64_t count,
			   void *out, struct error *err)
{
	enum op op = args->spec->op;
	enum accum accum = args->accum;

	if (accum == ACCUM_INT_MOMENTS)
		return finish_int_moments(args, value, count, out, err);
	if (accum == ACCUM_INT_PROD && op == OP_PROD)
		return finish_product(args, value, out, err);
	if ((accum == ACCUM_INT_SUM && op == OP_SUM) || (accum == ACCUM_INT_ABS && op == OP_L1) ||
	    (accum == ACCUM_INT_SQUARE && op == OP_SUMSQ) ||
	    (accum == ACCUM_INT_DOT && op == OP_DOT))
		return finish_int192(args, value, out, err);

	if (!dtype_is_float(args->result))
		return finish_mismatch(args, err);
	if (accum == ACCUM_INT_SUM && op == OP_MEAN)
		round_ratio(value, count, false, args->result, out);
	else if (accum == ACCUM_INT_SQUARE && op == OP_L2)
		round_ratio(value, 1, true, args->result, out);
	else
		return finish_mismatch(args, err);
	return STATUS_OK;
}
