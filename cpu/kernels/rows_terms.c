/* rows_terms.c - the ordered accumulators whose value is one double, over many
 * lines: a line's value stays in a register for several rows, so that it is
 * loaded and stored once for all of them. Its terms are combined in sequence,
 * the order of a run. */
#include "config.h"
#include "cpu/kernels/rows.h"

#include "cpu/kernels/vector.h"
#include "engine/elementary.h"

/* Rows taken at a time, and lines whose values are in registers meanwhile: about
 * the best of those measured over 64 MiB. Hardware does not see where the next
 * group begins: it is fetched by hand, and while the last one is taken, the next
 * panel. */
#define GROUP 4u
#define VECTORS 8u
#define LANES (VECTORS * VECTOR_F64)
#define CACHE_LINE 64u

enum term { TERM_PLAIN, TERM_ABS, TERM_SQUARE, TERM_PRODUCT };

/* What is known when a loop is compiled. */
struct rows_kind {
	enum term term;
	bool f32, multiply, omit;
};

VECTOR_INLINE double identity_of(const struct rows_kind *kind)
{
	return kind->multiply ? 1.0 : -0.0;
}

VECTOR_INLINE double load_one(const char *row, uint64_t i, const struct rows_kind *kind)
{
	return kind->f32 ? (double)((const float *)(const void *)row)[i]
			 : ((const double *)(const void *)row)[i];
}

VECTOR_INLINE vf64 load_vector(const char *row, uint64_t i, const struct rows_kind *kind)
{
	return kind->f32 ? vector_load_widened((const float *)(const void *)row + i)
			 : vector_load_f64((const double *)(const void *)row + i);
}

/* value and the i-th element of a row. */
VECTOR_INLINE double take_one(double value, const char *x, const char *y, uint64_t i,
			      const struct rows_kind *kind)
{
	double a = load_one(x, i, kind);
	double b = kind->term == TERM_PRODUCT ? load_one(y, i, kind) : a;
	double term = kind->term == TERM_PLAIN ? a
		      : kind->term == TERM_ABS ? elementary_abs(a)
					       : a * b;

	if (kind->omit && (a != a || b != b))
		term = identity_of(kind);
	return kind->multiply ? value * term : value + term;
}

VECTOR_INLINE void take_vector(vf64 *value, const char *x, const char *y, uint64_t i,
			       const struct rows_kind *kind)
{
	vf64 a = load_vector(x, i, kind);
	vf64 b = kind->term == TERM_PRODUCT ? load_vector(y, i, kind) : a;
	vf64 term = kind->term == TERM_PLAIN ? a : kind->term == TERM_ABS ? vector_abs(a) : a * b;

	if (kind->omit)
		term = vector_select((a != a) | (b != b), vector_set_f64(identity_of(kind)), term);
	*value = kind->multiply ? *value * term : *value + term;
}

VECTOR_INLINE void fetch(const char *row, uint64_t i, const struct rows_kind *kind)
{
	uint64_t size = kind->f32 ? sizeof(float) : sizeof(double);

	VECTOR_UNROLL
	for (uint64_t at = 0; at < LANES * size; at += CACHE_LINE)
		__builtin_prefetch(row + i * size + at);
}

/* A group of rows of LANES lines from the i-th on. step: bytes from a row to
 * the next; next: to the group that is read next. */
VECTOR_INLINE void take_lanes(double *values, const char *x, const char *y, uint64_t step,
			      int64_t next, uint64_t i, const struct rows_kind *kind)
{
	vf64 value[VECTORS];

	VECTOR_UNROLL
	for (unsigned v = 0; v < VECTORS; v++)
		value[v] = vector_load_f64(values + i + v * VECTOR_F64);
	VECTOR_UNROLL
	for (unsigned r = 0; r < GROUP; r++) {
		fetch(x + r * step + next, i, kind);
		if (kind->term == TERM_PRODUCT)
			fetch(y + r * step + next, i, kind);
		VECTOR_UNROLL
		for (unsigned v = 0; v < VECTORS; v++)
			take_vector(&value[v], x + r * step, y + r * step, i + v * VECTOR_F64,
				    kind);
	}
	VECTOR_UNROLL
	for (unsigned v = 0; v < VECTORS; v++)
		memcpy(values + i + v * VECTOR_F64, &value[v], sizeof(value[v]));
}

/* rows: at most GROUP. */
VECTOR_INLINE void take_group(double *values, const char *x, const char *y, uint64_t step,
			      int64_t next, uint64_t lines, unsigned rows,
			      const struct rows_kind *kind)
{
	uint64_t i = 0;

	for (; rows == GROUP && !kind->omit && i + LANES <= lines; i += LANES)
		take_lanes(values, x, y, step, next, i, kind);
	for (; i + VECTOR_F64 <= lines; i += VECTOR_F64) {
		vf64 value = vector_load_f64(values + i);

		for (unsigned r = 0; r < rows; r++)
			take_vector(&value, x + r * step, y + r * step, i, kind);
		memcpy(values + i, &value, sizeof(value));
	}
	for (; i < lines; i++)
		for (unsigned r = 0; r < rows; r++)
			values[i] = take_one(values[i], x + r * step, y + r * step, i, kind);
}

VECTOR_INLINE void take_panel(double *values, const struct panel *panel,
			      const struct rows_kind *kind)
{
	uint64_t size = kind->f32 ? sizeof(float) : sizeof(double), step = panel->stride * size;
	int64_t next = panel->next * (int64_t)size; /* of the panel, from x */
	const char *x = panel->x, *y = kind->term == TERM_PRODUCT ? panel->y : panel->x;

	for (uint64_t left = panel->rows; left > 0;) {
		unsigned rows = left < GROUP ? (unsigned)left : GROUP;
		bool last = left <= GROUP && panel->next != 0;

		take_group(values, x, y, step, last ? next : (int64_t)(GROUP * step), panel->lines,
			   rows, kind);
		left -= rows;
		x += rows * step;
		y += rows * step;
		next -= (int64_t)(rows * step);
	}
}

#define ROWS_FUNCTION(NAME, TERM, F32, MULTIPLY)                                        \
	void NAME(void *runs, const struct panel *panel, const struct accum_args *args) \
	{                                                                               \
		const struct rows_kind plain = {TERM, F32, MULTIPLY, false};            \
		const struct rows_kind omit = {TERM, F32, MULTIPLY, true};              \
                                                                                        \
		if (args->omit)                                                         \
			take_panel(runs, panel, &omit);                                 \
		else                                                                    \
			take_panel(runs, panel, &plain);                                \
	}

ROWS_FUNCTION(rows_sum, TERM_PLAIN, false, false)
ROWS_FUNCTION(rows_sum_f32, TERM_PLAIN, true, false)
ROWS_FUNCTION(rows_abs, TERM_ABS, false, false)
ROWS_FUNCTION(rows_abs_f32, TERM_ABS, true, false)
ROWS_FUNCTION(rows_square, TERM_SQUARE, false, false)
ROWS_FUNCTION(rows_square_f32, TERM_SQUARE, true, false)
ROWS_FUNCTION(rows_dot, TERM_PRODUCT, false, false)
ROWS_FUNCTION(rows_dot_f32, TERM_PRODUCT, true, false)
ROWS_FUNCTION(rows_prod, TERM_PLAIN, false, true)
ROWS_FUNCTION(rows_prod_f32, TERM_PLAIN, true, true)
