/* overflow.h - a scan of integers met a prefix out of range: which, and what it
 * is. */
#ifndef GPU_OVERFLOW_H
#define GPU_OVERFLOW_H

#include "gpu/work.h"

/* STATUS_INTEGER_OVERFLOW as the CPU backend says it: the prefix at this stored
 * position, found anew by reading its line from the front. */
enum status overflow_explain(struct work *work, uint64_t position, struct error *err);

#endif
