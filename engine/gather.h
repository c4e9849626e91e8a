/* gather.h - a whole Fortran-order array brought to C order, for jobs whose
 * answer is in C order and depends on it: scans without an axis, segments, a
 * dot product of arrays stored differently. */
#ifndef ENGINE_GATHER_H
#define ENGINE_GATHER_H

#include "engine/array.h"

/* out[C index] = in[stored position] for all elements of desc. */
void gather_to_c(const struct array_desc *desc, const void *in, void *out);

#endif
