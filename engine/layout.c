#include "config.h"
#include "engine/layout.h"

#include <stdio.h>
#include <string.h>

/* Elements differ in place between stored and C order: Fortran order with at
 * least two axes longer than 1. */
static bool is_reordered(const struct array_desc *desc)
{
	unsigned longer = 0;

	if (!desc->fortran)
		return false;
	for (unsigned i = 0; i < desc->ndim; i++)
		longer += desc->shape[i] != 1;
	return longer > 1;
}

/* The logical axis that is the i-th of the stored order, outermost first. */
static unsigned stored_axis(const struct array_desc *desc, unsigned i)
{
	return desc->fortran ? desc->ndim - 1 - i : i;
}

static enum status axis_fail(struct error *err, const struct job *job, unsigned i, const char *what,
			     unsigned ndim)
{
	char pointer[32] = "/axis";

	if (job->axis_count > 1)
		snprintf(pointer, sizeof(pointer), "/axis/%u", i);
	return fail_at(err, STATUS_BAD_VALUE, pointer, "axis %lld %s an array with %u axes",
		       (long long)job->axes[i], what, ndim);
}

/* Which axes the job reduces (or scans along). Without `axis`: all of them. */
static enum status mark_axes(bool *reduced, const struct job *job, const struct array_desc *desc,
			     struct error *err)
{
	memset(reduced, !job->has_axis, ARRAY_MAX_NDIM * sizeof(*reduced));
	if (!job->has_axis)
		return STATUS_OK;

	for (unsigned i = 0; i < job->axis_count; i++) {
		int64_t axis = job->axes[i];

		if (axis < 0)
			axis += desc->ndim;
		if (axis < 0 || axis >= (int64_t)desc->ndim)
			return axis_fail(err, job, i, "is out of range for", desc->ndim);
		if (reduced[axis])
			return axis_fail(err, job, i, "is named twice for", desc->ndim);
		reduced[axis] = true;
	}
	return STATUS_OK;
}

/* a * b, where ARRAY_UNKNOWN stays unknown; the caller has checked that the
 * elements of the array can be counted. */
static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t out;

	if (a == ARRAY_UNKNOWN || b == ARRAY_UNKNOWN)
		return ARRAY_UNKNOWN;
	return __builtin_mul_overflow(a, b, &out) ? ARRAY_UNKNOWN - 1 : out;
}

static void merge_dims(struct layout *layout, const struct array_desc *desc, const bool *reduced)
{
	layout->ndim = 0;
	for (unsigned i = 0; i < desc->ndim; i++) {
		unsigned axis = stored_axis(desc, i);
		struct layout_dim *last = layout->dim + layout->ndim - 1;

		if (desc->shape[axis] == 1)
			continue;
		if (layout->ndim > 0 && last->reduced == reduced[axis]) {
			last->length = product(last->length, desc->shape[axis]);
		} else {
			layout->dim[layout->ndim].length = desc->shape[axis];
			layout->dim[layout->ndim].reduced = reduced[axis];
			layout->ndim++;
		}
	}
}

/* Lines, their length and how many are open at a time, from merged dims. */
static void count_lines(struct layout *layout)
{
	unsigned reduced_dims = 0;

	layout->lines = layout->line_length = layout->live_lines = 1;
	for (unsigned i = 0; i < layout->ndim; i++) {
		const struct layout_dim *dim = &layout->dim[i];

		if (dim->reduced) {
			layout->line_length = product(layout->line_length, dim->length);
			reduced_dims++;
		} else {
			layout->lines = product(layout->lines, dim->length);
			if (reduced_dims > 0)
				layout->live_lines = product(layout->live_lines, dim->length);
		}
	}
	layout->adjacent =
		reduced_dims == 0 || (reduced_dims == 1 && layout->dim[layout->ndim - 1].reduced);
}

static void result_shape(struct layout *layout, const struct job *job,
			 const struct array_desc *desc, const bool *reduced)
{
	layout->out_ndim = 0;
	for (unsigned i = 0; i < desc->ndim; i++) {
		if (!reduced[i])
			layout->out_shape[layout->out_ndim++] = desc->shape[i];
		else if (job->keepdims)
			layout->out_shape[layout->out_ndim++] = 1;
	}
	layout->out_fortran = desc->fortran && layout->out_ndim > 1;
	layout->scalar = layout->out_ndim == 0;
}

/* One dimension in C order: segments and scans without an axis. */
static void flatten(struct layout *layout, const struct array_desc *desc, uint64_t count)
{
	layout->buffered = is_reordered(desc);
	layout->ndim = 1;
	layout->dim[0].length = count;
	layout->dim[0].reduced = true;
	layout->adjacent = true;
	layout->lines = layout->live_lines = 1;
	layout->line_length = count;
	layout->out_ndim = 1;
	layout->out_shape[0] = count;
}

static enum status check_segments(const struct job *job, uint64_t count, struct error *err)
{
	const int64_t *offsets = job->offsets;
	char pointer[40];

	if (offsets[0] != 0)
		return fail_at(err, STATUS_BAD_VALUE, "/segments/0",
			       "segments begin at %lld, not at 0", (long long)offsets[0]);
	for (uint64_t i = 1; i <= job->segment_count; i++) {
		if (offsets[i] < offsets[i - 1]) {
			snprintf(pointer, sizeof(pointer), "/segments/%llu", (unsigned long long)i);
			return fail_at(err, STATUS_BAD_VALUE, pointer,
				       "segment offset %lld is less than the one before, %lld",
				       (long long)offsets[i], (long long)offsets[i - 1]);
		}
	}
	if (count != ARRAY_UNKNOWN && (uint64_t)offsets[job->segment_count] != count)
		return fail_at(err, STATUS_BAD_VALUE, "/segments",
			       "segments end at %lld, but the array has %llu elements",
			       (long long)offsets[job->segment_count], (unsigned long long)count);
	return STATUS_OK;
}

static enum status make_segments(struct layout *layout, const struct job *job,
				 const struct array_desc *desc, uint64_t count, struct error *err)
{
	enum status status = check_segments(job, count, err);

	if (status != STATUS_OK)
		return status;
	flatten(layout, desc, count);
	layout->segmented = true;
	if (job->kind == JOB_REDUCE) {
		layout->lines = job->segment_count;
		layout->out_shape[0] = job->segment_count;
	}
	return STATUS_OK;
}

static enum status make_scan(struct layout *layout, const struct job *job,
			     const struct array_desc *desc, uint64_t count, struct error *err)
{
	bool reduced[ARRAY_MAX_NDIM];
	enum status status;

	if (!job->has_axis) {
		flatten(layout, desc, count);
		return STATUS_OK;
	}
	if (job->axis_count != 1)
		return fail_at(err, STATUS_BAD_VALUE, "/axis", "a scan runs along one axis, not %u",
			       job->axis_count);
	status = mark_axes(reduced, job, desc, err);
	if (status != STATUS_OK)
		return status;
	merge_dims(layout, desc, reduced);
	count_lines(layout);
	layout->out_ndim = desc->ndim;
	memcpy(layout->out_shape, desc->shape, sizeof(layout->out_shape));
	layout->out_fortran = desc->fortran && desc->ndim > 1;
	return STATUS_OK;
}

static enum status make_reduce(struct layout *layout, const struct job *job,
			       const struct array_desc *desc, struct error *err)
{
	bool reduced[ARRAY_MAX_NDIM];
	enum status status = mark_axes(reduced, job, desc, err);

	if (status != STATUS_OK)
		return status;
	merge_dims(layout, desc, reduced);
	count_lines(layout);
	result_shape(layout, job, desc, reduced);
	return STATUS_OK;
}

enum status layout_make(struct layout *out, const struct job *job, const struct array_desc *desc,
			struct error *err)
{
	struct layout layout = {0};
	uint64_t count;
	enum status status = array_count(desc, &count, err);

	if (status != STATUS_OK)
		return status;
	if (job->has_segments)
		status = make_segments(&layout, job, desc, count, err);
	else if (job->kind == JOB_SCAN)
		status = make_scan(&layout, job, desc, count, err);
	else
		status = make_reduce(&layout, job, desc, err);
	if (status != STATUS_OK)
		return status;

	*out = layout;
	return STATUS_OK;
}

uint64_t layout_c_index(const struct array_desc *desc, uint64_t position)
{
	uint64_t index = 0;
	uint64_t stride = 1;
	uint64_t digit[ARRAY_MAX_NDIM];

	if (!desc->fortran)
		return position;
	for (unsigned i = 0; i < desc->ndim; i++) {
		digit[i] = position % desc->shape[i];
		position /= desc->shape[i];
	}
	for (unsigned i = desc->ndim; i-- > 0;) {
		index += digit[i] * stride;
		stride *= desc->shape[i];
	}
	return index;
}
