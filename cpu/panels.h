/* panels.h - see block.h */
#ifndef CPU_PANELS_H
#define CPU_PANELS_H

#include "cpu/block.h"

/* Accumulators that are not block_by_line(); NaNs are looked for even if there
 * are none. */
void panels_add(struct block_worker *worker, const struct block *block, uint64_t first,
		uint64_t count);

#endif
