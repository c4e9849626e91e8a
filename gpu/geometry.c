#include "config.h"
#include "gpu/geometry.h"

#include <string.h>

static void make_lines(struct geometry *out, const struct plan *plan, uint64_t count,
		       const int64_t *device_offsets)
{
	const struct layout *layout = &plan->layout;

	out->kind = GEOMETRY_LINES;
	out->step = 1;
	if (layout->segmented) {
		out->count = plan->job->segment_count;
		out->length = 0;
		out->offsets = plan->job->offsets;
		out->as.lines.offsets = device_offsets;
	} else {
		/* Of a stream of unknown length one of the two is not known. */
		out->count = layout->lines == ARRAY_UNKNOWN ? count : layout->lines;
		out->length = layout->line_length == ARRAY_UNKNOWN ? count : layout->line_length;
	}
	out->as.lines.lines = out->count;
	out->as.lines.length = out->length;
	out->as.lines.elements = count;
}

/* Three merged dimensions at most, one of them reduced and not the last. */
static bool is_columns(const struct layout *layout)
{
	unsigned reduced = 0;

	for (unsigned i = 0; i < layout->ndim; i++)
		reduced += layout->dim[i].reduced;
	return reduced == 1 && layout->ndim <= 3 && !layout->dim[layout->ndim - 1].reduced;
}

void geometry_make(struct geometry *out, const struct plan *plan, uint64_t count,
		   const int64_t *device_offsets)
{
	const struct layout *layout = &plan->layout;
	const struct layout_dim *dim = layout->dim;

	memset(out, 0, sizeof(*out));
	if (layout->adjacent) {
		make_lines(out, plan, count, device_offsets);
		return;
	}
	out->count = layout->lines;
	out->length = layout->line_length;
	if (is_columns(layout)) {
		bool has_outer = !dim[0].reduced;

		out->kind = GEOMETRY_COLUMNS;
		out->as.columns.outer = has_outer ? dim[0].length : 1;
		out->as.columns.length = dim[has_outer].length;
		out->as.columns.inner = dim[has_outer + 1].length;
		out->step = out->as.columns.inner;
	} else {
		out->kind = GEOMETRY_GRID;
		out->as.grid.ndim = layout->ndim;
		memcpy(out->as.grid.dim, dim, layout->ndim * sizeof(*dim));
		out->as.grid.lines = out->count;
		out->as.grid.length = out->length;
		out->step = !dim[0].reduced && dim[0].length > 0 ? out->count / dim[0].length
								 : out->count;
	}
	if (out->step == 0)
		out->step = 1;
}

void geometry_part(const struct geometry *whole, uint64_t first, uint64_t lines,
		   struct geometry *part, uint64_t *skip)
{
	*part = *whole;
	part->count = lines;
	*skip = 0;
	if (first == 0 && lines == whole->count)
		return;
	switch (whole->kind) {
	case GEOMETRY_LINES:
		part->as.lines.lines = lines;
		if (whole->offsets != NULL) {
			part->offsets += first;
			part->as.lines.offsets += first;
			part->as.lines.elements = (uint64_t)part->offsets[lines];
			return;
		}
		part->as.lines.elements = lines * whole->length;
		break;
	case GEOMETRY_COLUMNS:
		part->as.columns.outer = lines / whole->step;
		break;
	case GEOMETRY_GRID:
		part->as.grid.lines = lines;
		part->as.grid.dim[0].length = lines / whole->step;
		break;
	}
	*skip = first * whole->length;
}

uint64_t geometry_line_length(const struct geometry *geometry, uint64_t line)
{
	if (geometry->offsets == NULL)
		return geometry->length;
	return (uint64_t)(geometry->offsets[line + 1] - geometry->offsets[line]);
}

uint64_t geometry_lines_before(const struct geometry *geometry, uint64_t position)
{
	uint64_t low = 0, high = geometry->count;

	if (geometry->offsets == NULL) {
		uint64_t block = geometry->step * geometry->length;

		return block > 0 ? position / block * geometry->step : 0;
	}
	/* The first segment that ends behind it. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if ((uint64_t)geometry->offsets[middle + 1] > position)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct grid geometry_grid(const struct geometry *geometry)
{
	const struct columns *columns = &geometry->as.columns;
	struct grid grid = {.lines = geometry->count, .length = geometry->length};

	if (geometry->kind == GEOMETRY_GRID)
		return geometry->as.grid;
	if (columns->outer != 1)
		grid.dim[grid.ndim++] = (struct layout_dim){columns->outer, false};
	grid.dim[grid.ndim++] = (struct layout_dim){columns->length, true};
	grid.dim[grid.ndim++] = (struct layout_dim){columns->inner, false};
	return grid;
}

struct index_map geometry_index_map(const struct array_desc *desc)
{
	struct index_map map = {.ndim = 0};

	if (!desc->fortran || desc->ndim < 2)
		return map;
	map.ndim = desc->ndim;
	memcpy(map.shape, desc->shape, desc->ndim * sizeof(*desc->shape));
	return map;
}
