/* kernels.c - all kernels of one instruction set. */
#include "config.h"
#include "cpu/kernels/kernels.h"

#include <stddef.h>
#include "cpu/kernels/accum_table.h"
#include "cpu/kernels/turn.h"
#include "cpu/kernels/widen.h"

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

const struct kernels LEVEL(kernels) = {
	.f64 = f64_classes,
	.i64 = i64_classes,
	.u64 = u64_classes,
	.widen = kernel_widen,
	.widen_f32 = kernel_widen_f32,
	.count_nans = kernel_count_nans,
	.count_nans_f32 = kernel_count_nans_f32,
	.turn = kernel_turn,
};
