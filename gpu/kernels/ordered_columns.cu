/* ordered_columns.cu - ordered_columns() of launch.h: scratch, and whose work it
 * is. */
#include "config.h"

#include "gpu/kernels/columns_kinds.h"
#include "gpu/kernels/columns_fold.cuh"

/* The values of chunks, and what the first step of folding makes of them. */
size_t ordered_columns_scratch(enum accum accum, const struct columns *columns)
{
	const uint64_t lines = columns->outer * columns->inner;
	const uint64_t chunks = columns_chunks(columns->length, COLUMNS_LEAST_RUNS);

	return lines * (chunks + chunks / FOLD_GROUP + 1) * accum_size(accum);
}

cudaError_t ordered_columns(const struct launch *launch, enum accum accum,
			    const struct elements *elements, const struct columns *columns,
			    void *values)
{
	const struct columns_work work = {launch, elements, columns, values};

	switch (accum) {
	case ACCUM_SUM:
		return columns_sum(&work);
	case ACCUM_ABS:
		return columns_abs(&work);
	case ACCUM_SQUARE:
		return columns_square(&work);
	case ACCUM_DOT:
		return columns_dot(&work);
	case ACCUM_PROD:
		return columns_prod(&work);
	case ACCUM_SCALED:
		return columns_scaled(&work);
	case ACCUM_MOMENTS:
		return columns_moments(&work);
	case ACCUM_POWER:
		return columns_power(&work);
	case ACCUM_LOGSUM:
		return columns_logsum(&work);
	default:
		return cudaErrorInvalidValue;
	}
}
