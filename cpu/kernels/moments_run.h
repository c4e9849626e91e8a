/* moments_run.h - a run of the strided order of moments (docs/orders.md, 4.5),
 * shifted by its first element that takes part, so that equal elements give
 * exactly 0. */
#ifndef CPU_KERNELS_MOMENTS_RUN_H
#define CPU_KERNELS_MOMENTS_RUN_H

struct moments_run {
	double count, first;
	double sum, squares; /* of x - first */
};

#endif
