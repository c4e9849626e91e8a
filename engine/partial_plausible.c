/* partial_plausible.c - whether a decoded state can be that of `count` elements:
 * the checksum keeps damage out, not intent, and the final steps have room for
 * what elements give alone. Everything required here of a state is kept when
 * two states are merged. */
#include "config.h"

#include <math.h>
#include <string.h>
#include "engine/integer.h"
#include "engine/partial_state.h"
#include "engine/round.h"

static enum status implausible(struct error *err, const char *what)
{
	return fail(err, STATUS_BAD_VALUE,
		    "not a partial result of foldd: no elements of its type have such %s", what);
}

bool partial_number_of(const struct partial *partial, enum partial_term term,
		       struct partial_number *out)
{
	double special;
	uint64_t words[3];

	if (dtype_is_float(partial->dtype)) {
		struct exactsum sum = partial->sums[term].exact;

		if (!exactsum_is_finite(&sum, &special))
			return false;
		exactsum_value(&sum, &out->magnitude, &out->negative, &out->exponent);
		return true;
	}
	out->negative = int192_negative(&partial->sums[term].integer);
	int192_magnitude(&partial->sums[term].integer, words);
	bigint_set_words(&out->magnitude, words, 3);
	out->exponent = 0;
	return true;
}

/* The largest magnitude of a negative or of another element, in units of
 * 2^least_exponent(). */
static void largest_element(enum dtype dtype, bool negative, struct bigint *out)
{
	if (dtype_is_float(dtype)) {
		const struct float_format *format = float_format_of(dtype);

		bigint_set(out, ((uint64_t)1 << format->precision) - 1);
		bigint_shift_left(out, (uint32_t)(format->max_exponent - format->min_exponent));
	} else {
		struct integer_range range = integer_range_of(dtype);

		bigint_set(out, (uint64_t)(negative ? -range.least : range.greatest));
	}
}

static int64_t least_exponent(enum dtype dtype)
{
	const struct float_format *format;

	if (!dtype_is_float(dtype))
		return 0;
	format = float_format_of(dtype);
	return format->min_exponent - format->precision + 1;
}

/* The largest magnitude of a term of this sign; 0: there is none. */
static void largest_term(enum dtype dtype, enum partial_term term, bool negative,
			 struct bigint *out)
{
	struct bigint below, above, most;

	largest_element(dtype, true, &below);
	largest_element(dtype, false, &above);
	most = bigint_compare(&below, &above) > 0 ? below : above;
	if (term == TERM_SUM)
		*out = negative ? below : above;
	else if (negative && term == TERM_DOT)
		bigint_mul(out, &below, &above);
	else if (negative)
		bigint_set(out, 0);
	else if (term == TERM_ABS)
		*out = most;
	else
		bigint_mul(out, &most, &most);
}

/* A multiple of the smallest term, and no more than `count` terms give. */
static enum status check_sum(const struct partial *partial, enum partial_term term,
			     const struct partial_number *sum, struct error *err)
{
	int64_t unit = least_exponent(partial->dtype) * (term >= TERM_SQUARE ? 2 : 1);
	struct bigint magnitude = sum->magnitude, largest, count, most;
	bool lost = false;

	if (magnitude.used == 0)
		return STATUS_OK;
	if (sum->exponent >= unit)
		bigint_shift_left(&magnitude, (uint32_t)(sum->exponent - unit));
	else
		bigint_shift_right(&magnitude, (uint32_t)(unit - sum->exponent), &lost);
	largest_term(partial->dtype, term, sum->negative, &largest);
	bigint_set(&count, partial->count);
	bigint_mul(&most, &largest, &count);
	if (lost || bigint_compare(&magnitude, &most) > 0)
		return implausible(err, "a sum");
	return STATUS_OK;
}

/* Infinities and NaN of a sum of terms that are never negative. */
static bool special_fits(const struct partial *partial, enum partial_term term)
{
	const struct exactsum *sum = &partial->sums[term].exact;

	return term == TERM_SUM || term == TERM_DOT ||
	       (!sum->neg_inf && (!sum->nan || partial->job.nan == NAN_PROPAGATE));
}

static enum status check_sums(const struct partial *partial, struct error *err)
{
	enum status status = STATUS_OK;
	struct partial_number sum;

	for (unsigned term = 0; term < TERM_SUMS && status == STATUS_OK; term++) {
		if (!partial_has(partial, term))
			continue;
		if (partial_number_of(partial, term, &sum))
			status = check_sum(partial, term, &sum, err);
		else if (!special_fits(partial, term))
			status = implausible(err, "a sum");
	}
	return status;
}

/* Whether |product| may be that of `count` elements. */
static enum status check_product(const struct partial *partial, struct error *err)
{
	const struct intprod *product = &partial->product;
	struct bigint largest, magnitude;
	uint64_t count = partial->count < 2048 ? partial->count : 2048;
	uint64_t most, bits;
	bool power, fits;

	if (product->zero)
		return STATUS_OK;
	largest_element(partial->dtype, true, &largest);
	if (product->negative && largest.used == 0)
		return implausible(err, "a product");
	power = largest.used > 0;
	if (!power)
		largest_element(partial->dtype, false, &largest);
	/* 2^b for signed integers and (with b 0) for bool, else below it. */
	power = power || partial->dtype == DTYPE_BOOL;
	most = (bigint_bits(&largest) - (power ? 1 : 0)) * count;
	bigint_set_words(&magnitude, product->word, product->huge ? 0 : product->used);
	bits = product->huge ? 64 * INTPROD_WORDS + 1 : bigint_bits(&magnitude);
	fits = bits <= most;
	if (power && bits == most + 1) { /* then nothing but 2^most */
		bool lost = false;

		bigint_shift_right(&magnitude, (uint32_t)most, &lost);
		fits = !lost;
	}
	return fits ? STATUS_OK : implausible(err, "a product");
}

static bool is_element(enum dtype dtype, double value)
{
	unsigned char element[8];
	uint16_t half;
	float single;

	round_f64(value, dtype, element);
	switch (dtype) {
	case DTYPE_FLOAT16:
		memcpy(&half, element, sizeof(half));
		return float16_to_f64(half) == value;
	case DTYPE_BFLOAT16:
		memcpy(&half, element, sizeof(half));
		return bfloat16_to_f64(half) == value;
	case DTYPE_FLOAT32:
		memcpy(&single, element, sizeof(single));
		return (double)single == value;
	default:
		return value == value;
	}
}

/* A number that an element, or its magnitude, may be. */
static bool extreme_fits(const struct partial *partial, enum partial_term term)
{
	const struct extreme *extreme = partial_term(partial, term);
	struct integer_range range = integer_range_of(partial->dtype);

	switch (dtype_domain(partial->dtype)) {
	case DOMAIN_F64:
		return is_element(partial->dtype, extreme->value.f) &&
		       !(term == TERM_MAX_ABS && signbit(extreme->value.f));
	case DOMAIN_I64:
		if (term == TERM_MAX_ABS)
			return extreme->value.u <= (uint64_t)(-range.least > range.greatest
								      ? -range.least
								      : range.greatest);
		return extreme->value.i >= range.least && extreme->value.i <= range.greatest;
	case DOMAIN_U64:
		break;
	}
	return extreme->value.u <= range.greatest;
}

static enum status check_extreme(const struct partial *partial, enum partial_term term,
				 struct error *err)
{
	const struct extreme *extreme = partial_term(partial, term);
	bool nan_allowed = dtype_is_float(partial->dtype) && partial->job.nan == NAN_PROPAGATE;

	if (extreme->index > INT64_MAX)
		return implausible(err, "an index");
	if (extreme->nan ? !nan_allowed : !extreme_fits(partial, term))
		return implausible(err, "an extreme");
	return STATUS_OK;
}

enum status partial_plausible(const struct partial *partial, struct error *err)
{
	enum status status;
	const char *contradiction;

	if (partial->count == 0)
		return STATUS_OK; /* nothing but how many came */
	status = check_sums(partial, err);
	if (status == STATUS_OK && partial_has(partial, TERM_PRODUCT))
		status = check_product(partial, err);
	for (unsigned term = TERM_MIN; term <= TERM_MAX_ABS; term++)
		if (status == STATUS_OK && partial_has(partial, term))
			status = check_extreme(partial, term, err);
	if (status == STATUS_OK && partial->tally.nonzero > partial->count)
		status = implausible(err, "a count");
	if (status != STATUS_OK)
		return status;
	contradiction = partial_contradiction(partial);
	return contradiction == NULL ? STATUS_OK : implausible(err, contradiction);
}
