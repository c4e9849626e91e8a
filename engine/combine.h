/* combine.h - merging two values of a free accumulator: the same for every
 * backend, and for partial results. right is left as it is. */
#ifndef ENGINE_COMBINE_H
#define ENGINE_COMBINE_H

#include "engine/accum.h"

/* left = left . right; accum is a free one that the domain has. */
void accum_combine(enum accum accum, enum domain domain, void *left, const void *right);

/* The same by kind of value: what accum_class.combine points to. */
void combine_exactsum(void *left, const void *right);
void combine_exact_moments(void *left, const void *right);
void combine_int192(void *left, const void *right);
void combine_int_moments(void *left, const void *right);
void combine_intprod(void *left, const void *right);
void combine_tally(void *left, const void *right);
void combine_f64_min(void *left, const void *right); /* struct extreme */
void combine_f64_max(void *left, const void *right);
void combine_i64_min(void *left, const void *right);
void combine_i64_max(void *left, const void *right);
void combine_u64_min(void *left, const void *right);
void combine_u64_max(void *left, const void *right);

#endif
