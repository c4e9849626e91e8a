/* ordered_lines.cuh - what the parts of ordered_lines() (launch.h) have in
 * common: one file for each accumulator or two. */
#ifndef GPU_KERNELS_ORDERED_LINES_CUH
#define GPU_KERNELS_ORDERED_LINES_CUH

#include "engine/order.h"
#include "gpu/kernels/launch.h"

struct lines_work {
	const struct launch *launch;
	const struct elements *elements;
	const struct lines *lines;
	void *values;
};

cudaError_t ordered_sum_lines(const struct lines_work *work);
cudaError_t ordered_abs_lines(const struct lines_work *work);
cudaError_t ordered_square_lines(const struct lines_work *work);
cudaError_t ordered_dot_lines(const struct lines_work *work);
cudaError_t ordered_prod_lines(const struct lines_work *work);
cudaError_t ordered_scaled_lines(const struct lines_work *work);
cudaError_t ordered_moments_lines(const struct lines_work *work);
cudaError_t ordered_power_lines(const struct lines_work *work);
cudaError_t ordered_logsum_lines(const struct lines_work *work);

/* Scratch of lines by offsets: a flag, then for each level its units' values and
 * lines (ordered_pieces.cuh). Levels as long as one value is not all. */
constexpr unsigned UNIT_LEVELS = 6; /* ORDER_TILE ^ 6 is 2^72 */

struct unit_plan {
	unsigned levels;
	uint64_t count[UNIT_LEVELS];
	size_t at[UNIT_LEVELS], size; /* bytes */
};

static inline struct unit_plan plan_units(uint64_t elements, size_t value_size)
{
	struct unit_plan plan = {};

	plan.size = 256;
	for (uint64_t n = elements; n > ORDER_TILE || plan.levels == 0; n = n / ORDER_TILE + 1) {
		plan.count[plan.levels] = n / ORDER_TILE + 1;
		plan.at[plan.levels] = plan.size;
		plan.size += plan.count[plan.levels] * 2 * (value_size + sizeof(uint64_t));
		plan.levels++;
	}
	return plan;
}

#endif
