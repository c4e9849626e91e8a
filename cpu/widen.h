/* widen.h - elements of any type to the three domains that kernels see. */
#ifndef CPU_WIDEN_H
#define CPU_WIDEN_H

#include <stdint.h>
#include "engine/dtype.h"

/* in: count elements of dtype, aligned to their size, native-endian. out: as
 * many double, int64_t or uint64_t. Exact, but for 64-bit integers to
 * DOMAIN_F64 (rounded once). To an integer domain only from bool and integers;
 * to DOMAIN_U64 only from unsigned ones. */
void widen(enum dtype dtype, const void *in, uint64_t count, enum domain domain, void *out);

uint64_t count_nans(const double *x, uint64_t count);

#endif
