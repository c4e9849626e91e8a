/* accum_table.h - the accumulator classes, one file for each idea; kernels.c
 * lists them. */
#ifndef CPU_KERNELS_ACCUM_TABLE_H
#define CPU_KERNELS_ACCUM_TABLE_H

#include "cpu/kernels/level.h"
#include "engine/accum.h"

/* accum_terms.c */
#define accum_sum LEVEL(accum_sum)
#define accum_abs LEVEL(accum_abs)
#define accum_square LEVEL(accum_square)
#define accum_dot LEVEL(accum_dot)
#define accum_prod LEVEL(accum_prod)
#define accum_power LEVEL(accum_power)
extern const struct accum_class accum_sum, accum_abs, accum_square, accum_dot, accum_prod,
	accum_power;

/* accum_scaled.c, accum_moments.c, accum_logsum.c */
#define accum_scaled LEVEL(accum_scaled)
#define accum_moments LEVEL(accum_moments)
#define accum_logsum LEVEL(accum_logsum)
extern const struct accum_class accum_scaled, accum_moments, accum_logsum;

/* accum_exact.c, accum_exact_sum.c */
#define accum_exact_sum LEVEL(accum_exact_sum)
#define accum_exact_abs LEVEL(accum_exact_abs)
#define accum_exact_square LEVEL(accum_exact_square)
#define accum_exact_dot LEVEL(accum_exact_dot)
#define accum_exact_moments LEVEL(accum_exact_moments)
extern const struct accum_class accum_exact_sum, accum_exact_abs, accum_exact_square,
	accum_exact_dot, accum_exact_moments;

/* accum_i64.c */
#define accum_i64_sum LEVEL(accum_i64_sum)
#define accum_i64_abs LEVEL(accum_i64_abs)
#define accum_i64_square LEVEL(accum_i64_square)
#define accum_i64_dot LEVEL(accum_i64_dot)
#define accum_i64_prod LEVEL(accum_i64_prod)
#define accum_i64_moments LEVEL(accum_i64_moments)
extern const struct accum_class accum_i64_sum, accum_i64_abs, accum_i64_square, accum_i64_dot,
	accum_i64_prod, accum_i64_moments;

/* accum_u64.c */
#define accum_u64_sum LEVEL(accum_u64_sum)
#define accum_u64_square LEVEL(accum_u64_square)
#define accum_u64_dot LEVEL(accum_u64_dot)
#define accum_u64_prod LEVEL(accum_u64_prod)
#define accum_u64_moments LEVEL(accum_u64_moments)
extern const struct accum_class accum_u64_sum, accum_u64_square, accum_u64_dot, accum_u64_prod,
	accum_u64_moments;

/* accum_extreme.c */
#define accum_f64_min LEVEL(accum_f64_min)
#define accum_f64_max LEVEL(accum_f64_max)
#define accum_f64_max_abs LEVEL(accum_f64_max_abs)
#define accum_i64_min LEVEL(accum_i64_min)
#define accum_i64_max LEVEL(accum_i64_max)
#define accum_i64_max_abs LEVEL(accum_i64_max_abs)
#define accum_u64_min LEVEL(accum_u64_min)
#define accum_u64_max LEVEL(accum_u64_max)
extern const struct accum_class accum_f64_min, accum_f64_max, accum_f64_max_abs, accum_i64_min,
	accum_i64_max, accum_i64_max_abs, accum_u64_min, accum_u64_max;

/* accum_tally.c */
#define accum_f64_tally LEVEL(accum_f64_tally)
#define accum_i64_tally LEVEL(accum_i64_tally)
extern const struct accum_class accum_f64_tally, accum_i64_tally;

#endif
