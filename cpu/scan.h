/* scan.h - prefixes of a line, streaming: any split of the input gives the same
 * bits. Floats are summed, multiplied and log-summed in the scan's own order
 * (docs/orders.md); minima, maxima, integers and exact sums have no order. */
#ifndef CPU_SCAN_H
#define CPU_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/job.h"

struct scan_args {
	enum op op;         /* one that op_scans() */
	enum domain domain; /* of the elements; OP_LOGSUMEXP: DOMAIN_F64 */
	enum dtype result;  /* type of the prefixes */
	bool exact;         /* OP_SUM of floats: each prefix rounded once */
	bool omit, exclusive;
	enum overflow_rule overflow;
};

/* A state is plain memory, a multiple of 8 bytes, without pointers. */
size_t scan_state_size(const struct scan_args *args);

/* Start of a line or segment. */
void scan_init(void *state, const struct scan_args *args);

/* The next count elements of the line, in the domain's type. One prefix each,
 * of type args->result, to out, out + out_stride, ... (in elements).
 * STATUS_INTEGER_OVERFLOW at the first prefix out of range: err->index is its
 * position in the line. */
enum status scan_feed(void *state, const struct scan_args *args, const void *x, uint64_t count,
		      void *out, uint64_t out_stride, struct error *err);

#endif
