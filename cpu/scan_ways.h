/* scan_ways.h - how scans are computed: one table for each kind of state. Used
 * by scan.c alone. */
#ifndef CPU_SCAN_WAYS_H
#define CPU_SCAN_WAYS_H

#include "cpu/scan.h"

struct scan_way {
	size_t size; /* bytes of a state */
	void (*init)(void *state);
	enum status (*feed)(void *state, const struct scan_args *args, const void *x,
			    uint64_t count, void *out, uint64_t out_stride, struct error *err);
};

extern const struct scan_way scan_sum_way, scan_prod_way, scan_logsum_way; /* scan_ordered.c */
extern const struct scan_way scan_exact_way;                               /* scan_exact.c */
extern const struct scan_way scan_f64_extreme_way, scan_i64_extreme_way,
	scan_u64_extreme_way; /* scan_extreme.c */
extern const struct scan_way scan_i64_sum_way, scan_u64_sum_way, scan_i64_prod_way,
	scan_u64_prod_way; /* scan_int.c */

#endif
