/* ordered_scaled.cu - scaled sums of squares in the canonical order. Those of
 * float64 are what l2 needs; of the other types they are only right. */
#include "config.h"

#include "gpu/kernels/ordered_dispatch.cuh"

cudaError_t ordered_scaled_lines(const struct lines_work *work)
{
	if (work->elements->dtype != DTYPE_FLOAT64)
		return lines_of_any_type<ACCUM_SCALED>(work);

	const typed_reader<DTYPE_FLOAT64> x = {(const double *)work->elements->x}, y = {nullptr};

	return lines_read_by<ACCUM_SCALED>(work, x, y);
}
