/* by_line.h - see block.h */
#ifndef CPU_BY_LINE_H
#define CPU_BY_LINE_H

#include "cpu/block.h"

/* Accumulators that are block_by_line(). find_nans: look for NaNs. */
void by_line_add(struct block_worker *worker, const struct block *block, uint64_t first,
		 uint64_t count, bool find_nans);

#endif
