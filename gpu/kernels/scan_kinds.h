/* scan_kinds.h - scans of each kind, compiled apart. */
#ifndef GPU_KERNELS_SCAN_KINDS_H
#define GPU_KERNELS_SCAN_KINDS_H

#include "gpu/kernels/launch.h"
#include "gpu/kernels/scan_store.cuh"

struct scan_call {
	const struct launch *launch;
	const struct scan_job *job;
	const void *x;
	const struct lines *lines;
	struct scan_output out;
};

cudaError_t scan_float_sum(const struct scan_call *call);
cudaError_t scan_float_prod(const struct scan_call *call);
cudaError_t scan_float_logsum(const struct scan_call *call);
cudaError_t scan_float_extremes(const struct scan_call *call);
cudaError_t scan_integer_sums(const struct scan_call *call);
cudaError_t scan_integer_extremes(const struct scan_call *call);

/* Rows and columns exchanged: from (outer, length, inner) elements of `size`
 * bytes to (outer, inner, length). */
cudaError_t scan_turn(const struct launch *launch, const void *from, const struct columns *columns,
		      size_t size, void *to);

#endif
