/* rows_moments.c - moments over many lines: the open runs of as many lines as a
 * vector has elements are taken apart into vectors, rows are added, and they are
 * put together again. The arithmetic is docs/orders.md, 4.5. */
#include "config.h"
#include "cpu/kernels/rows.h"

#include "cpu/kernels/moments_run.h"
#include "cpu/kernels/vector.h"

/* Of VECTOR_F64 lines. */
struct open_runs {
	vf64 count, first, sum, squares;
};

VECTOR_INLINE void load_runs(struct open_runs *out, const struct moments_run *runs, uint64_t lines)
{
	double part[4][VECTOR_F64] = {{0}};

	for (uint64_t i = 0; i < lines; i++) {
		part[0][i] = runs[i].count;
		part[1][i] = runs[i].first;
		part[2][i] = runs[i].sum;
		part[3][i] = runs[i].squares;
	}
	out->count = vector_load_f64(part[0]);
	out->first = vector_load_f64(part[1]);
	out->sum = vector_load_f64(part[2]);
	out->squares = vector_load_f64(part[3]);
}

VECTOR_INLINE void store_runs(const struct open_runs *in, struct moments_run *runs, uint64_t lines)
{
	double part[4][VECTOR_F64];

	memcpy(part[0], &in->count, sizeof(part[0]));
	memcpy(part[1], &in->first, sizeof(part[1]));
	memcpy(part[2], &in->sum, sizeof(part[2]));
	memcpy(part[3], &in->squares, sizeof(part[3]));
	for (uint64_t i = 0; i < lines; i++)
		runs[i] = (struct moments_run){part[0][i], part[1][i], part[2][i], part[3][i]};
}

/* One more element of each line. An omitted one adds the identity. */
VECTOR_INLINE void add_row(struct open_runs *runs, vf64 x, bool omit)
{
	const vf64 identity = vector_set_f64(-0.0), one = vector_set_f64(1.0);
	vi64 fresh = runs->count == vector_set_f64(0.0), takes = x == x;
	vf64 d, square;

	runs->first = vector_select(omit ? fresh & takes : fresh, x, runs->first);
	d = x - runs->first;
	square = d * d;
	runs->count += omit ? (vf64)(takes & (vi64)one) : one;
	runs->sum += omit ? vector_select(takes, d, identity) : d;
	runs->squares += omit ? vector_select(takes, square, identity) : square;
}

VECTOR_INLINE vf64 load_row(const char *row, uint64_t i, uint64_t lines, bool f32)
{
	double part[VECTOR_F64] = {0};

	if (lines == VECTOR_F64)
		return f32 ? vector_load_widened((const float *)(const void *)row + i)
			   : vector_load_f64((const double *)(const void *)row + i);
	for (uint64_t l = 0; l < lines; l++)
		part[l] = f32 ? (double)((const float *)(const void *)row)[i + l]
			      : ((const double *)(const void *)row)[i + l];
	return vector_load_f64(part);
}

VECTOR_INLINE void add_rows(struct moments_run *runs, const struct panel *panel, bool f32,
			    bool omit, uint64_t i, uint64_t lines)
{
	uint64_t step = panel->stride * (f32 ? sizeof(float) : sizeof(double));
	const char *row = panel->x;
	struct open_runs open;

	load_runs(&open, runs + i, lines);
	for (uint64_t r = 0; r < panel->rows; r++, row += step)
		add_row(&open, load_row(row, i, lines, f32), omit);
	store_runs(&open, runs + i, lines);
}

VECTOR_INLINE void add_panel(struct moments_run *runs, const struct panel *panel, bool f32,
			     bool omit)
{
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= panel->lines; i += VECTOR_F64)
		add_rows(runs, panel, f32, omit, i, VECTOR_F64);
	if (i < panel->lines)
		add_rows(runs, panel, f32, omit, i, panel->lines - i);
}

void rows_moments(void *runs, const struct panel *panel, const struct accum_args *args)
{
	if (args->omit)
		add_panel(runs, panel, false, true);
	else
		add_panel(runs, panel, false, false);
}

void rows_moments_f32(void *runs, const struct panel *panel, const struct accum_args *args)
{
	if (args->omit)
		add_panel(runs, panel, true, true);
	else
		add_panel(runs, panel, true, false);
}
