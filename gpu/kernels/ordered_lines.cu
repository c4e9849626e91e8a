/* ordered_lines.cu - ordered_lines() of launch.h: scratch, and whose work it is. */
#include "config.h"

#include "gpu/kernels/ordered_lines.cuh"

size_t ordered_lines_scratch(enum accum accum, const struct lines *lines)
{
	size_t values = 0;
	uint64_t tiles = lines->length;

	if (lines->offsets != nullptr)
		return plan_units(lines->elements, accum_size(accum)).size;
	/* Every level of each line's tile values. */
	while (tiles > 1) {
		tiles = (tiles + ORDER_TILE - 1) / ORDER_TILE;
		values += lines->lines * tiles;
	}
	return values * accum_size(accum);
}

cudaError_t ordered_lines(const struct launch *launch, enum accum accum,
			  const struct elements *elements, const struct lines *lines, void *values)
{
	const struct lines_work work = {launch, elements, lines, values};

	switch (accum) {
	case ACCUM_SUM:
		return ordered_sum_lines(&work);
	case ACCUM_ABS:
		return ordered_abs_lines(&work);
	case ACCUM_SQUARE:
		return ordered_square_lines(&work);
	case ACCUM_DOT:
		return ordered_dot_lines(&work);
	case ACCUM_PROD:
		return ordered_prod_lines(&work);
	case ACCUM_SCALED:
		return ordered_scaled_lines(&work);
	case ACCUM_MOMENTS:
		return ordered_moments_lines(&work);
	case ACCUM_POWER:
		return ordered_power_lines(&work);
	case ACCUM_LOGSUM:
		return ordered_logsum_lines(&work);
	default:
		return cudaErrorInvalidValue;
	}
}
