/* shared_sums.h - the sums of a tile that several accumulators need, made once
 * (struct tile_shared). */
#ifndef CPU_KERNELS_SHARED_SUMS_H
#define CPU_KERNELS_SHARED_SUMS_H

#include "cpu/kernels/level.h"
#include "engine/accum.h"

#define shared_sums LEVEL(shared_sums)

/* tile->shared, filled. narrow: the elements are float32; omit: there are NaNs
 * to leave out. */
const struct tile_shared *shared_sums(const struct tile *tile, bool narrow, bool omit);

#endif
