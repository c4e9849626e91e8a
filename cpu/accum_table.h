/* accum_table.h - the accumulator classes of the CPU backend, one file for each
 * idea; accum_class() picks from them. */
#ifndef CPU_ACCUM_TABLE_H
#define CPU_ACCUM_TABLE_H

#include "engine/accum.h"

extern const struct accum_class accum_sum, accum_abs, accum_square, accum_dot, accum_prod,
	accum_power;                           /* accum_terms.c */
extern const struct accum_class accum_scaled;  /* accum_scaled.c */
extern const struct accum_class accum_moments; /* accum_moments.c */
extern const struct accum_class accum_logsum;  /* accum_logsum.c */
extern const struct accum_class accum_exact_sum, accum_exact_abs, accum_exact_square,
	accum_exact_dot, accum_exact_moments; /* accum_exact.c */
extern const struct accum_class accum_i64_sum, accum_i64_abs, accum_i64_square, accum_i64_dot,
	accum_i64_prod, accum_i64_moments; /* accum_i64.c */
extern const struct accum_class accum_u64_sum, accum_u64_square, accum_u64_dot, accum_u64_prod,
	accum_u64_moments; /* accum_u64.c */
extern const struct accum_class accum_f64_min, accum_f64_max, accum_f64_max_abs;
extern const struct accum_class accum_i64_min, accum_i64_max, accum_i64_max_abs;
extern const struct accum_class accum_u64_min, accum_u64_max;     /* accum_extreme.c */
extern const struct accum_class accum_f64_tally, accum_i64_tally; /* accum_tally.c */

#endif
