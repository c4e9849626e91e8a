/* columns_kinds.h - ordered_columns() of each accumulator, compiled apart. */
#ifndef GPU_KERNELS_COLUMNS_KINDS_H
#define GPU_KERNELS_COLUMNS_KINDS_H

#include "gpu/kernels/launch.h"

struct columns_work;

cudaError_t columns_sum(const struct columns_work *work);
cudaError_t columns_abs(const struct columns_work *work);
cudaError_t columns_square(const struct columns_work *work);
cudaError_t columns_dot(const struct columns_work *work);
cudaError_t columns_prod(const struct columns_work *work);
cudaError_t columns_scaled(const struct columns_work *work);
cudaError_t columns_moments(const struct columns_work *work);
cudaError_t columns_power(const struct columns_work *work);
cudaError_t columns_logsum(const struct columns_work *work);

#endif
