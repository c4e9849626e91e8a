/* geometry.h - a layout as the kernels see it: lines, columns or a grid. Pure
 * arithmetic. */
#ifndef GPU_GEOMETRY_H
#define GPU_GEOMETRY_H

#include "engine/plan.h"
#include "gpu/kernels/launch.h"

enum geometry_kind { GEOMETRY_LINES, GEOMETRY_COLUMNS, GEOMETRY_GRID };

struct geometry {
	enum geometry_kind kind;
	union {
		struct lines lines;
		struct columns columns;
		struct grid grid;
	} as;
	uint64_t count;  /* lines */
	uint64_t length; /* elements of each; not for segments */
	uint64_t step;   /* a part has a multiple of so many lines; at least 1 */

	/* Segments: where they begin and end, in host memory; else NULL. */
	const int64_t *offsets;
};

/* count: elements that came, for arrays of unknown length. Offsets of segments are
 * in host memory: device_offsets is where they lie on the device, or NULL. */
void geometry_make(struct geometry *out, const struct plan *plan, uint64_t count,
		   const int64_t *device_offsets);

/* Lines first .. first + lines - 1, a multiple of the step each; *skip becomes the
 * number of elements before them (0 of segments, whose offsets say it). */
void geometry_part(const struct geometry *whole, uint64_t first, uint64_t lines,
		   struct geometry *part, uint64_t *skip);

/* Elements of a line. */
uint64_t geometry_line_length(const struct geometry *geometry, uint64_t line);

/* Lines whose last element comes before this stored position. */
uint64_t geometry_lines_before(const struct geometry *geometry, uint64_t position);

/* Columns are a grid too, for kernels that know no other shape. Not of lines. */
struct grid geometry_grid(const struct geometry *geometry);

/* C order index of stored positions; ndim 0 where they are the same. */
struct index_map geometry_index_map(const struct array_desc *desc);

#endif
