#include "config.h"

#include <assert.h>
#include <stddef.h>
#include "engine/combine.h"
#include "engine/extreme.h"

typedef void (*combine)(void *left, const void *right);

void combine_exactsum(void *left, const void *right)
{
	exactsum_merge(left, right);
}

void combine_exact_moments(void *left, const void *right)
{
	struct exact_moments *a = left;
	const struct exact_moments *b = right;

	exactsum_merge(&a->sum, &b->sum);
	exactsum_merge(&a->squares, &b->squares);
}

void combine_int192(void *left, const void *right)
{
	int192_add(left, right);
}

void combine_int_moments(void *left, const void *right)
{
	struct int_moments *a = left;
	const struct int_moments *b = right;

	int192_add(&a->sum, &b->sum);
	int192_add(&a->squares, &b->squares);
}

void combine_intprod(void *left, const void *right)
{
	intprod_mul(left, right);
}

void combine_tally(void *left, const void *right)
{
	((struct tally *)left)->nonzero += ((const struct tally *)right)->nonzero;
}

void combine_f64_min(void *left, const void *right)
{
	extreme_combine(left, right, false, extreme_f64_less);
}

void combine_f64_max(void *left, const void *right)
{
	extreme_combine(left, right, true, extreme_f64_less);
}

void combine_i64_min(void *left, const void *right)
{
	extreme_combine(left, right, false, extreme_i64_less);
}

void combine_i64_max(void *left, const void *right)
{
	extreme_combine(left, right, true, extreme_i64_less);
}

void combine_u64_min(void *left, const void *right)
{
	extreme_combine(left, right, false, extreme_u64_less);
}

void combine_u64_max(void *left, const void *right)
{
	extreme_combine(left, right, true, extreme_u64_less);
}

/* By domain; magnitudes of integers are unsigned. */
static const combine minima[] = {
	[DOMAIN_F64] = combine_f64_min,
	[DOMAIN_I64] = combine_i64_min,
	[DOMAIN_U64] = combine_u64_min,
};
static const combine maxima[] = {
	[DOMAIN_F64] = combine_f64_max,
	[DOMAIN_I64] = combine_i64_max,
	[DOMAIN_U64] = combine_u64_max,
};

static combine combine_of(enum accum accum, enum domain domain)
{
	switch (accum) {
	case ACCUM_EXACT_SUM:
	case ACCUM_EXACT_ABS:
	case ACCUM_EXACT_SQUARE:
	case ACCUM_EXACT_DOT:
		return combine_exactsum;
	case ACCUM_EXACT_MOMENTS:
		return combine_exact_moments;
	case ACCUM_INT_SUM:
	case ACCUM_INT_ABS:
	case ACCUM_INT_SQUARE:
	case ACCUM_INT_DOT:
		return combine_int192;
	case ACCUM_INT_MOMENTS:
		return combine_int_moments;
	case ACCUM_INT_PROD:
		return combine_intprod;
	case ACCUM_MIN:
		return minima[domain];
	case ACCUM_MAX:
		return maxima[domain];
	case ACCUM_MAX_ABS:
		return maxima[domain == DOMAIN_I64 ? DOMAIN_U64 : domain];
	case ACCUM_TALLY:
		return combine_tally;
	default:
		return NULL;
	}
}

void accum_combine(enum accum accum, enum domain domain, void *left, const void *right)
{
	combine function = combine_of(accum, domain);

	assert(function != NULL);
	function(left, right);
}
