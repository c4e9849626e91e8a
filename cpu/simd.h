/* simd.h - which instruction set the kernels use: the best that the processor
 * has, or the one named by FOLDD_SIMD (portable, x86_64_v2, avx2, avx512) when
 * the processor has it. The bits of results do not depend on it. */
#ifndef CPU_SIMD_H
#define CPU_SIMD_H

#include <stdbool.h>
#include "cpu/kernels/kernels.h"
#include "engine/status.h"

enum simd { SIMD_PORTABLE, SIMD_X86_64_V2, SIMD_AVX2, SIMD_AVX512, SIMD_COUNT };

const char *simd_name(enum simd simd); /* "avx2" */
bool simd_has(enum simd simd);         /* built, and the processor has it */

/* The one in use. */
enum simd simd_current(void);
const struct kernels *simd_kernels(void);

/* Use another, before any stream is open. It must be there (simd_has). */
void simd_use(enum simd simd);

/* STATUS_BAD_VALUE: FOLDD_SIMD names no instruction set, or one that is not
 * there; the message lists what is. */
enum status simd_check(struct error *err);

#endif
