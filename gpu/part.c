#include "config.h"
#include "gpu/part.h"

#include "engine/exactsum.h"

/* Bytes of values in one part, where lines allow it (chosen). */
#define PART_BYTES (64u << 20)

static uint64_t aligned(uint64_t size)
{
	return (size + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
}

bool part_is_atomic(const struct plan *plan, unsigned accum)
{
	if (plan->job->determinism != DETERMINISM_NONE || !plan->layout.scalar ||
	    !dtype_is_float(plan->input.dtype) || plan->accums[accum].accum > ACCUM_DOT)
		return false;
	for (unsigned i = 0; i < plan->op_count; i++) {
		enum op op = plan->ops[i].spec.op;

		if (op == OP_COUNT || plan->ops[i].accum != accum)
			continue;
		if (op != OP_SUM && op != OP_MEAN && op != OP_L1 && op != OP_SUMSQ && op != OP_DOT)
			return false;
	}
	return true;
}

/* --- which accumulators come from one reading ---------------------------------- */

static bool is_extreme(enum accum accum)
{
	return accum == ACCUM_MIN || accum == ACCUM_MAX;
}

/* Of one line of floats; of one accumulator alone its own kernel is the faster. */
static unsigned family_of(const struct work *work)
{
	const struct plan *plan = work->plan;
	bool mapped = plan->input.fortran && plan->input.ndim > 1;
	unsigned family = 0;

	if (work->count == 0 || work->geometry.kind != GEOMETRY_LINES ||
	    work->geometry.count != 1 || work->geometry.offsets != NULL ||
	    !dtype_is_float(plan->input.dtype))
		return 0;
	for (unsigned i = 0; i < plan->accum_count; i++) {
		unsigned bit = 1u << plan->accums[i].accum;

		/* Its indices are stored positions. */
		if ((bit & ORDERED_FAMILY) != 0 && !part_is_atomic(plan, i) &&
		    !(mapped && is_extreme(plan->accums[i].accum)))
			family |= bit;
	}
	return (family & (family - 1)) != 0 ? family : 0;
}

static bool in_family(const struct part *part, unsigned i)
{
	return (part->family >> part->work->plan->accums[i].accum & 1) != 0;
}

static uint64_t offset_in_family(enum accum accum)
{
	switch (accum) {
	case ACCUM_SUM:
		return offsetof(struct ordered_family_values, sum);
	case ACCUM_ABS:
		return offsetof(struct ordered_family_values, abs);
	case ACCUM_SQUARE:
		return offsetof(struct ordered_family_values, square);
	case ACCUM_SCALED:
		return offsetof(struct ordered_family_values, scaled);
	case ACCUM_MOMENTS:
		return offsetof(struct ordered_family_values, moments);
	case ACCUM_MIN:
		return offsetof(struct ordered_family_values, min);
	default:
		return offsetof(struct ordered_family_values, max);
	}
}

/* --- where values lie ------------------------------------------------------------ */

void part_init(struct part *part, struct work *work)
{
	const struct plan *plan = work->plan;
	const struct geometry *geometry = &work->geometry;

	*part = (struct part){.work = work, .family = family_of(work)};
	for (unsigned i = 0; i < plan->accum_count; i++) {
		part->sizes[i] = accum_size(plan->accums[i].accum);
		part->line_bytes += part->sizes[i];
	}
	if (work_omits(plan))
		part->line_bytes += sizeof(struct nan_found);
	if (part->line_bytes == 0)
		part->line_bytes = 1; /* count alone */
	part->most = PART_BYTES / part->line_bytes / geometry->step * geometry->step;
	if (part->most == 0)
		part->most = geometry->step;
	if (part->most > geometry->count)
		part->most = geometry->count;
}

void part_deinit(struct part *part)
{
	buffer_release(part->work->device, part->work->queue, &part->values);
}

static void place(struct part *part, uint64_t lines)
{
	const struct plan *plan = part->work->plan;
	uint64_t at = part->family != 0 ? aligned(sizeof(struct ordered_family_values)) : 0;

	for (unsigned i = 0; i < plan->accum_count; i++) {
		if (in_family(part, i)) {
			part->offsets[i] = offset_in_family(plan->accums[i].accum);
			continue;
		}
		part->offsets[i] = at;
		at += aligned(lines * part->sizes[i]);
	}
	part->nans = at;
	if (work_omits(plan))
		at += lines * sizeof(struct nan_found);
	part->bytes = at;
}

/* --- launches ---------------------------------------------------------------------- */

static size_t scratch_of(const struct plan_accum *accum, const struct geometry *geometry)
{
	bool ordered = accum->accum <= ACCUM_LOGSUM;
	struct grid grid;

	switch (geometry->kind) {
	case GEOMETRY_LINES:
		return ordered ? ordered_lines_scratch(accum->accum, &geometry->as.lines)
			       : free_lines_scratch(accum->accum, accum->domain,
						    &geometry->as.lines);
	case GEOMETRY_COLUMNS:
		if (ordered)
			return ordered_columns_scratch(accum->accum, &geometry->as.columns);
		break;
	case GEOMETRY_GRID:
		if (ordered)
			return ordered_grid_scratch(accum->accum, &geometry->as.grid);
		break;
	}
	grid = geometry_grid(geometry);
	return free_grid_scratch(accum->accum, accum->domain, &grid);
}

static cudaError_t launch_accum(const struct launch *launch, const struct plan_accum *accum,
				const struct elements *elements, const struct geometry *geometry,
				const struct index_map *map, void *values)
{
	bool ordered = accum->accum <= ACCUM_LOGSUM;
	struct grid grid;

	switch (geometry->kind) {
	case GEOMETRY_LINES:
		return ordered ? ordered_lines(launch, accum->accum, elements, &geometry->as.lines,
					       values)
			       : free_lines(launch, accum->accum, accum->domain, elements,
					    &geometry->as.lines, map, values);
	case GEOMETRY_COLUMNS:
		if (ordered)
			return ordered_columns(launch, accum->accum, elements,
					       &geometry->as.columns, values);
		break;
	case GEOMETRY_GRID:
		if (ordered)
			return ordered_grid(launch, accum->accum, elements, &geometry->as.grid,
					    values);
		break;
	}
	grid = geometry_grid(geometry);
	return free_grid(launch, accum->accum, accum->domain, elements, &grid, values);
}

static const void *skip_elements(const void *x, uint64_t skip, enum dtype dtype)
{
	return x != NULL ? (const char *)x + skip * dtype_size(dtype) : NULL;
}

static bool takes_pairs(enum accum accum)
{
	return accum == ACCUM_DOT || accum == ACCUM_EXACT_DOT || accum == ACCUM_INT_DOT;
}

static enum status compute_accum(struct part *part, unsigned i, const struct geometry *geometry,
				 uint64_t skip, struct error *err)
{
	struct work *work = part->work;
	const struct plan *plan = work->plan;
	const struct plan_accum *accum = &plan->accums[i];
	struct index_map map = {.ndim = 0};
	void *values = (char *)part->values.data + part->offsets[i];
	struct elements elements;
	struct launch launch;
	cudaError_t code;
	enum status status = work_elements(work, accum->domain, &elements, err);

	if (status == STATUS_OK)
		status = work_launch(work, scratch_of(accum, geometry), &launch, err);
	if (status != STATUS_OK)
		return status;
	elements.p = accum->p;
	elements.x = skip_elements(elements.x, skip, elements.dtype);
	if (takes_pairs(accum->accum))
		elements.y = skip_elements(work->y, skip, elements.dtype);
	if (!plan->job->has_axis)
		map = geometry_index_map(&plan->input);
	code = part_is_atomic(plan, i)
		       ? atomic_sum(&launch, accum->accum, &elements, work->count, values)
		       : launch_accum(&launch, accum, &elements, geometry, &map, values);
	return cuda_status(work->device, code, "a reduction", err);
}

static enum status compute_family(struct part *part, struct error *err)
{
	struct work *work = part->work;
	struct elements elements;
	struct launch launch;
	enum status status = work_elements(work, DOMAIN_F64, &elements, err);

	if (status == STATUS_OK)
		status = work_launch(work, ordered_family_scratch(part->family, work->count),
				     &launch, err);
	if (status != STATUS_OK)
		return status;
	return cuda_status(
		work->device,
		ordered_family(&launch, part->family, &elements, work->count, part->values.data),
		"a reduction", err);
}

static enum status count_nans(struct part *part, const struct geometry *geometry, uint64_t skip,
			      struct error *err)
{
	struct work *work = part->work;
	enum dtype dtype = work->plan->input.dtype;
	const struct elements elements = {
		.x = skip_elements(work->x, skip, dtype),
		.y = skip_elements(work->y, skip, dtype),
		.dtype = dtype,
	};
	struct nan_found *found = (struct nan_found *)((char *)part->values.data + part->nans);
	struct launch launch;
	struct grid grid;
	cudaError_t code;
	enum status status = work_launch(work, 0, &launch, err);

	if (status != STATUS_OK)
		return status;
	if (geometry->kind == GEOMETRY_LINES) {
		code = nan_lines(&launch, &elements, &geometry->as.lines, found);
	} else {
		grid = geometry_grid(geometry);
		code = nan_grid(&launch, &elements, &grid, found);
	}
	return cuda_status(work->device, code, "counting NaNs", err);
}

enum status part_compute(struct part *part, uint64_t first, uint64_t lines, struct error *err)
{
	struct work *work = part->work;
	struct geometry geometry;
	uint64_t skip;
	enum status status;

	geometry_part(&work->geometry, first, lines, &geometry, &skip);
	part->first = first;
	part->lines = lines;
	place(part, lines);
	status = buffer_reserve(work->device, work->queue, &part->values, part->bytes, 0, err);
	if (status == STATUS_OK && part->family != 0)
		status = compute_family(part, err);
	for (unsigned i = 0; i < work->plan->accum_count && status == STATUS_OK; i++)
		if (!in_family(part, i))
			status = compute_accum(part, i, &geometry, skip, err);
	if (status == STATUS_OK && work_omits(work->plan))
		status = count_nans(part, &geometry, skip, err);
	return status;
}

void part_normalize(const struct plan *plan, void *const *values, uint64_t lines)
{
	for (unsigned i = 0; i < plan->accum_count; i++) {
		enum accum accum = plan->accums[i].accum;
		unsigned each = accum == ACCUM_EXACT_MOMENTS ? 2 : 1;
		struct exactsum *sums = values[i];

		if (accum < ACCUM_EXACT_SUM || accum > ACCUM_EXACT_MOMENTS)
			continue;
		for (uint64_t l = 0; l < lines * each; l++)
			exactsum_normalize(&sums[l]);
	}
}

uint64_t part_memory(const struct part *part)
{
	const struct work *work = part->work;
	const struct plan *plan = work->plan;
	struct part planned = *part;
	struct geometry geometry;
	uint64_t skip, scratch = 0, wide = 0;

	if (part->most == 0)
		return 0;
	place(&planned, part->most);
	geometry_part(&work->geometry, 0, part->most, &geometry, &skip);
	if (geometry.offsets != NULL) /* the largest part of segments may be the last */
		geometry.as.lines.elements = work->count;
	if (part->family != 0)
		scratch = ordered_family_scratch(part->family, work->count);
	for (unsigned i = 0; i < plan->accum_count; i++) {
		uint64_t some = scratch_of(&plan->accums[i], &geometry);

		scratch = some > scratch ? some : scratch;
		if (plan->accums[i].domain == DOMAIN_F64 && !dtype_is_float(plan->input.dtype))
			wide = work->count * sizeof(double);
	}
	return planned.bytes + scratch + wide;
}
