/* rows_scaled.c - scaled squares over many lines: the three sums of as many lines
 * as a vector has elements are taken apart into vectors, rows are added, and they
 * are put together again. The arithmetic is docs/orders.md, 4.1. */
#include "config.h"
#include "cpu/kernels/rows.h"

#include "cpu/kernels/vector.h"

/* Of VECTOR_F64 lines. */
struct open_sums {
	vf64 big, mid, small;
};

VECTOR_INLINE void load_sums(struct open_sums *out, const struct scaled_squares *runs,
			     uint64_t lines)
{
	double part[3][VECTOR_F64] = {{0}};

	for (uint64_t i = 0; i < lines; i++) {
		part[0][i] = runs[i].big;
		part[1][i] = runs[i].mid;
		part[2][i] = runs[i].small;
	}
	out->big = vector_load_f64(part[0]);
	out->mid = vector_load_f64(part[1]);
	out->small = vector_load_f64(part[2]);
}

VECTOR_INLINE void store_sums(const struct open_sums *in, struct scaled_squares *runs,
			      uint64_t lines)
{
	double part[3][VECTOR_F64];

	memcpy(part[0], &in->big, sizeof(part[0]));
	memcpy(part[1], &in->mid, sizeof(part[1]));
	memcpy(part[2], &in->small, sizeof(part[2]));
	for (uint64_t i = 0; i < lines; i++)
		runs[i] = (struct scaled_squares){part[0][i], part[1][i], part[2][i]};
}

/* One more element of each line: to one of the sums, the identity to the others;
 * of an omitted one to all. */
VECTOR_INLINE void add_row(struct open_sums *sums, vf64 x, bool omit)
{
	const vf64 none = vector_set_f64(-0.0);
	vf64 magnitude = vector_abs(x), down = x * 0x1p-538, up = x * 0x1p+537;
	vi64 big = magnitude > 0x1p+486, small = (magnitude < 0x1p-511) & (x != 0.0);
	vi64 not_mid = big | small;

	if (omit)
		not_mid |= x != x;
	sums->big += vector_select(big, down * down, none);
	sums->mid += vector_select(not_mid, none, x * x);
	sums->small += vector_select(small, up * up, none);
}

VECTOR_INLINE void add_rows(struct scaled_squares *runs, const struct panel *panel, bool omit,
			    uint64_t i, uint64_t lines)
{
	const double *row = (const double *)panel->x + i;
	struct open_sums sums;

	load_sums(&sums, runs + i, lines);
	for (uint64_t r = 0; r < panel->rows; r++, row += panel->stride) {
		double part[VECTOR_F64] = {0};

		if (lines == VECTOR_F64) {
			add_row(&sums, vector_load_f64(row), omit);
			continue;
		}
		memcpy(part, row, lines * sizeof(*row));
		add_row(&sums, vector_load_f64(part), omit);
	}
	store_sums(&sums, runs + i, lines);
}

VECTOR_INLINE void add_panel(struct scaled_squares *runs, const struct panel *panel, bool omit)
{
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= panel->lines; i += VECTOR_F64)
		add_rows(runs, panel, omit, i, VECTOR_F64);
	if (i < panel->lines)
		add_rows(runs, panel, omit, i, panel->lines - i);
}

void rows_scaled(void *runs, const struct panel *panel, const struct accum_args *args)
{
	if (args->omit)
		add_panel(runs, panel, true);
	else
		add_panel(runs, panel, false);
}
