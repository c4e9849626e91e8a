/* widen.h - elements of any type to those that kernels see; see kernels.h. */
#ifndef CPU_KERNELS_WIDEN_H
#define CPU_KERNELS_WIDEN_H

#include <stdint.h>
#include "cpu/kernels/level.h"
#include "engine/dtype.h"

#define kernel_widen LEVEL(kernel_widen)
#define kernel_widen_f32 LEVEL(kernel_widen_f32)
#define kernel_count_nans LEVEL(kernel_count_nans)
#define kernel_count_nans_f32 LEVEL(kernel_count_nans_f32)

void kernel_widen(enum dtype dtype, const void *in, uint64_t count, enum domain domain, void *out);
void kernel_widen_f32(enum dtype dtype, const void *in, uint64_t count, float *out);
uint64_t kernel_count_nans(const double *x, uint64_t count);
uint64_t kernel_count_nans_f32(const float *x, uint64_t count);

#endif
