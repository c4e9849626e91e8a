/* partial_agree.c - whether the terms of a decoded state, each possible alone, can
 * be of the same elements. As in partial_plausible.c, what is required of two
 * states holds for what they merge to. */
#include "config.h"

#include <math.h>
#include "engine/extreme.h"
#include "engine/partial_state.h"

/* Terms in which a NaN among the elements shows, and nothing else is one: no
 * infinities of both signs meet there. */
#define TERMS_TELLING_NAN \
	(1u << TERM_ABS | 1u << TERM_SQUARE | 1u << TERM_MIN | 1u << TERM_MAX | 1u << TERM_MAX_ABS)

/* Terms that an element that is infinite or NaN leaves so, and no other does. */
#define TERMS_TELLING_FINITE \
	(1u << TERM_SUM | 1u << TERM_ABS | 1u << TERM_SQUARE | 1u << TERM_MAX_ABS)

static bool is_extreme(enum partial_term term)
{
	return term >= TERM_MIN && term <= TERM_MAX_ABS;
}

static bool is_nan(const struct partial *partial, enum partial_term term)
{
	const struct extreme *extreme = partial_term(partial, term);

	return is_extreme(term) ? extreme->nan : partial->sums[term].exact.nan;
}

static bool is_finite(const struct partial *partial, enum partial_term term)
{
	const struct extreme *extreme = partial_term(partial, term);
	const struct exactsum *sum = partial_term(partial, term);

	if (is_extreme(term))
		return !extreme->nan && isfinite(extreme->value.f);
	return !sum->nan && !sum->pos_inf && !sum->neg_inf;
}

static const char *check_nan(const struct partial *partial)
{
	unsigned seen = 0, unseen = 0;

	for (unsigned term = 0; term < TERM_TALLY; term++)
		if (partial_has(partial, term) && (TERMS_TELLING_NAN >> term & 1) != 0)
			*(is_nan(partial, term) ? &seen : &unseen) |= 1u << term;
	if (seen != 0 && unseen != 0)
		return "a NaN in one term alone";
	for (unsigned term = TERM_SUM; term <= TERM_DOT; term += TERM_DOT - TERM_SUM)
		if (seen != 0 && partial_has(partial, term) && !is_nan(partial, term))
			return "a sum beside such a NaN";
	/* Infinities of both signs are two elements; 0 * inf of dot is one. */
	if (partial_has(partial, TERM_SUM) && is_nan(partial, TERM_SUM) && partial->count == 1 &&
	    (unseen != 0 || partial->job.nan != NAN_PROPAGATE))
		return "a sum that is NaN";
	return NULL;
}

static const char *check_finite(const struct partial *partial)
{
	bool finite = false, special = false;

	for (unsigned term = 0; term < TERM_TALLY; term++)
		if (partial_has(partial, term) && (TERMS_TELLING_FINITE >> term & 1) != 0)
			*(is_finite(partial, term) ? &finite : &special) = true;
	if (finite && special)
		return "an infinity or NaN in one term alone";
	for (unsigned term = TERM_MIN; term <= TERM_MAX; term++)
		if (finite && partial_has(partial, term) && !is_finite(partial, term))
			return "an infinity or NaN in one term alone";
	return NULL;
}

/* -0 alone has neither squares nor magnitudes. */
static const char *check_negative_zeros(const struct partial *partial,
					const struct partial_number *number)
{
	const struct exactsum *sum = &partial->sums[TERM_SUM].exact;
	const struct extreme *most = partial_term(partial, TERM_MAX_ABS);

	if (!partial_has(partial, TERM_SUM) || !sum->neg_zero || sum->other)
		return NULL;
	if ((partial_has(partial, TERM_ABS) && number[TERM_ABS].magnitude.used > 0) ||
	    (partial_has(partial, TERM_SQUARE) && number[TERM_SQUARE].magnitude.used > 0) ||
	    (partial_has(partial, TERM_MAX_ABS) && most->value.f > 0))
		return "magnitudes beside a sum of negative zeros";
	return NULL;
}

static int compare_scaled(struct bigint a, int64_t a_exponent, struct bigint b, int64_t b_exponent)
{
	/* A shift of zero may be beyond any room. */
	if (a.used == 0 || b.used == 0)
		return (a.used > 0) - (b.used > 0);
	if (a_exponent >= b_exponent)
		bigint_shift_left(&a, (uint32_t)(a_exponent - b_exponent));
	else
		bigint_shift_left(&b, (uint32_t)(b_exponent - a_exponent));
	return bigint_compare(&a, &b);
}

/* Sum of |x| to |sum of x|: never less, the same for one element. */
static bool magnitudes_fit(uint64_t count, const struct partial_number *sum,
			   const struct partial_number *magnitudes)
{
	int order = compare_scaled(magnitudes->magnitude, magnitudes->exponent, sum->magnitude,
				   sum->exponent);

	return count == 1 ? order == 0 : order >= 0;
}

/* n * (sum of squares) to (sum)^2, likewise: the variance relies on that. The sum
 * may be that of |x|. */
static bool squares_fit(uint64_t count, const struct partial_number *sum,
			const struct partial_number *squares)
{
	struct bigint n, left, right;
	int order;

	bigint_set(&n, count);
	bigint_mul(&left, &squares->magnitude, &n);
	bigint_mul(&right, &sum->magnitude, &sum->magnitude);
	order = compare_scaled(left, squares->exponent, right, 2 * sum->exponent);
	return count == 1 ? order == 0 : order >= 0;
}

static const char *check_sums(const struct partial *partial)
{
	struct partial_number number[TERM_DOT];

	/* Where one is not finite, none is. */
	for (unsigned term = TERM_SUM; term < TERM_DOT; term++)
		if (partial_has(partial, term) && !partial_number_of(partial, term, &number[term]))
			return NULL;
	if (partial_has(partial, TERM_SUM) && partial_has(partial, TERM_ABS) &&
	    !magnitudes_fit(partial->count, &number[TERM_SUM], &number[TERM_ABS]))
		return "a sum beside such a sum of magnitudes";
	for (unsigned term = TERM_SUM; term <= TERM_ABS; term++)
		if (partial_has(partial, term) && partial_has(partial, TERM_SQUARE) &&
		    !squares_fit(partial->count, &number[term], &number[TERM_SQUARE]))
			return "a sum beside such a sum of squares";
	return dtype_is_float(partial->dtype) ? check_negative_zeros(partial, number) : NULL;
}

static const char *check_extremes(const struct partial *partial)
{
	const struct extreme *min = partial_term(partial, TERM_MIN);
	const struct extreme *max = partial_term(partial, TERM_MAX);
	uint64_t least = min->value.u, most = max->value.u;
	bool above;

	if (!partial_has(partial, TERM_MIN) || !partial_has(partial, TERM_MAX) || min->nan)
		return NULL;
	switch (dtype_domain(partial->dtype)) {
	case DOMAIN_F64:
		above = extreme_f64_less(most, least);
		break;
	case DOMAIN_I64:
		above = extreme_i64_less(most, least);
		break;
	default:
		above = extreme_u64_less(most, least);
	}
	if (above)
		return "a minimum above the maximum";
	return partial->count == 1 && least != most ? "extremes of one element" : NULL;
}

const char *partial_contradiction(const struct partial *partial)
{
	const char *what = NULL;

	if (dtype_is_float(partial->dtype)) {
		what = check_nan(partial);
		if (what == NULL)
			what = check_finite(partial);
	}
	if (what == NULL)
		what = check_sums(partial);
	return what != NULL ? what : check_extremes(partial);
}
