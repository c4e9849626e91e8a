/* kernels.h - what is compiled once for each instruction set: the accumulators
 * and the widening of elements. The same bits come out of each; cpu/simd.h
 * picks one. */
#ifndef CPU_KERNELS_KERNELS_H
#define CPU_KERNELS_KERNELS_H

#include <stddef.h>
#include "engine/accum.h"

struct kernels {
	/* By enum accum; NULL where the domain has no such accumulator. */
	const struct accum_class *const *f64, *const *i64, *const *u64;

	/* in: count elements of dtype, aligned to their size, native-endian.
	 * out: as many double, int64_t or uint64_t. Exact, but for 64-bit
	 * integers to DOMAIN_F64 (rounded once). To an integer domain only from
	 * bool and integers; to DOMAIN_U64 only from unsigned ones. */
	void (*widen)(enum dtype dtype, const void *in, uint64_t count, enum domain domain,
		      void *out);

	/* float16, bfloat16 to float32; exact. */
	void (*widen_f32)(enum dtype dtype, const void *in, uint64_t count, float *out);

	/* NaNs among count elements. */
	uint64_t (*count_nans)(const double *x, uint64_t count);
	uint64_t (*count_nans_f32)(const float *x, uint64_t count);

	/* rows x columns elements of size bytes: out[c * out_step + r] becomes
	 * in[r * in_step + c]. Both are aligned to size. */
	void (*turn)(size_t size, void *out, uint64_t out_step, const void *in, uint64_t in_step,
		     uint64_t rows, uint64_t columns);
};

/* Portable C, and for x86-64: SSE4.2; AVX2, FMA, BMI, F16C; AVX-512 F, BW, CD,
 * DQ, VL. */
extern const struct kernels kernels_portable;
#ifdef HAVE_X86_KERNELS
extern const struct kernels kernels_x86_64_v2, kernels_avx2, kernels_avx512;
#endif

#endif
