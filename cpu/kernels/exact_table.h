/* exact_table.h - a bucket for each sign and exponent: one addition of an integer
 * an element, whatever the range. For many elements: it costs much to begin and
 * to end. */
#ifndef CPU_KERNELS_EXACT_TABLE_H
#define CPU_KERNELS_EXACT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/kernels/level.h"
#include "engine/exactsum.h"

struct exact_table {
	bool open, single; /* of float */
	uint32_t count;    /* then: elements since it was opened, below 2^17 */
	uint64_t bucket[4096];
};

#define exact_table_init LEVEL(exact_table_init)
#define exact_table_add LEVEL(exact_table_add)
#define exact_table_add_f32 LEVEL(exact_table_add_f32)
#define exact_table_end LEVEL(exact_table_end)

void exact_table_init(struct exact_table *table);

/* Elements, or their magnitudes. What has no room in the table goes to sum; NaN
 * and infinities set its flags, by the end of the table. */
void exact_table_add(struct exact_table *table, const double *x, uint64_t count, bool magnitude,
		     struct exactsum *sum);
void exact_table_add_f32(struct exact_table *table, const float *x, uint64_t count, bool magnitude,
			 struct exactsum *sum);

/* Add it all to sum; the table is as after exact_table_init(). */
void exact_table_end(struct exact_table *table, struct exactsum *sum);

#endif
