/* accum_class.c - which class serves an accumulator in a domain. */
#include "config.h"

#include <stddef.h>
#include "cpu/accum_table.h"

static const struct accum_class *const f64_classes[ACCUM_COUNT] = {
	[ACCUM_SUM] = &accum_sum,
	[ACCUM_ABS] = &accum_abs,
	[ACCUM_SQUARE] = &accum_square,
	[ACCUM_DOT] = &accum_dot,
	[ACCUM_PROD] = &accum_prod,
	[ACCUM_SCALED] = &accum_scaled,
	[ACCUM_MOMENTS] = &accum_moments,
	[ACCUM_POWER] = &accum_power,
	[ACCUM_LOGSUM] = &accum_logsum,
	[ACCUM_EXACT_SUM] = &accum_exact_sum,
	[ACCUM_EXACT_ABS] = &accum_exact_abs,
	[ACCUM_EXACT_SQUARE] = &accum_exact_square,
	[ACCUM_EXACT_DOT] = &accum_exact_dot,
	[ACCUM_EXACT_MOMENTS] = &accum_exact_moments,
	[ACCUM_MIN] = &accum_f64_min,
	[ACCUM_MAX] = &accum_f64_max,
	[ACCUM_MAX_ABS] = &accum_f64_max_abs,
	[ACCUM_TALLY] = &accum_f64_tally,
};

static const struct accum_class *const i64_classes[ACCUM_COUNT] = {
	[ACCUM_INT_SUM] = &accum_i64_sum,       [ACCUM_INT_ABS] = &accum_i64_abs,
	[ACCUM_INT_SQUARE] = &accum_i64_square, [ACCUM_INT_DOT] = &accum_i64_dot,
	[ACCUM_INT_PROD] = &accum_i64_prod,     [ACCUM_INT_MOMENTS] = &accum_i64_moments,
	[ACCUM_MIN] = &accum_i64_min,           [ACCUM_MAX] = &accum_i64_max,
	[ACCUM_MAX_ABS] = &accum_i64_max_abs,   [ACCUM_TALLY] = &accum_i64_tally,
};

/* |x| is x, and an element is zero in both integer domains alike. */
static const struct accum_class *const u64_classes[ACCUM_COUNT] = {
	[ACCUM_INT_SUM] = &accum_u64_sum,       [ACCUM_INT_ABS] = &accum_u64_sum,
	[ACCUM_INT_SQUARE] = &accum_u64_square, [ACCUM_INT_DOT] = &accum_u64_dot,
	[ACCUM_INT_PROD] = &accum_u64_prod,     [ACCUM_INT_MOMENTS] = &accum_u64_moments,
	[ACCUM_MIN] = &accum_u64_min,           [ACCUM_MAX] = &accum_u64_max,
	[ACCUM_MAX_ABS] = &accum_u64_max,       [ACCUM_TALLY] = &accum_i64_tally,
};

const struct accum_class *accum_class(enum accum accum, enum domain domain)
{
	switch (domain) {
	case DOMAIN_F64:
		return f64_classes[accum];
	case DOMAIN_I64:
		return i64_classes[accum];
	case DOMAIN_U64:
		return u64_classes[accum];
	}
	return NULL;
}

uint32_t accum_size(enum accum accum)
{
	const struct accum_class *class = f64_classes[accum];

	if (class == NULL)
		class = i64_classes[accum];
	return class->size;
}
