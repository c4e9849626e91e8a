/* rows.h - several rows of a panel at once (engine/accum.h), for lines whose
 * elements are not adjacent. The classes list them as their `rows`. */
#ifndef CPU_KERNELS_ROWS_H
#define CPU_KERNELS_ROWS_H

#include "cpu/kernels/level.h"
#include "engine/accum.h"

#define rows_sum LEVEL(rows_sum)
#define rows_sum_f32 LEVEL(rows_sum_f32)
#define rows_abs LEVEL(rows_abs)
#define rows_abs_f32 LEVEL(rows_abs_f32)
#define rows_square LEVEL(rows_square)
#define rows_square_f32 LEVEL(rows_square_f32)
#define rows_dot LEVEL(rows_dot)
#define rows_dot_f32 LEVEL(rows_dot_f32)
#define rows_prod LEVEL(rows_prod)
#define rows_prod_f32 LEVEL(rows_prod_f32)
#define rows_moments LEVEL(rows_moments)
#define rows_moments_f32 LEVEL(rows_moments_f32)
#define rows_scaled LEVEL(rows_scaled)

/* rows_terms.c: runs are doubles. */
void rows_sum(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_sum_f32(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_abs(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_abs_f32(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_square(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_square_f32(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_dot(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_dot_f32(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_prod(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_prod_f32(void *runs, const struct panel *panel, const struct accum_args *args);

/* rows_moments.c: runs are struct moments_run. */
void rows_moments(void *runs, const struct panel *panel, const struct accum_args *args);
void rows_moments_f32(void *runs, const struct panel *panel, const struct accum_args *args);

/* rows_scaled.c: runs are struct scaled_squares. */
void rows_scaled(void *runs, const struct panel *panel, const struct accum_args *args);

#endif
