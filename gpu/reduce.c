/* reduce.c - reductions: launches the plan's accumulators over the lines, fetches
 * their values, and ends them on the host.
 *
 * Values may be large (an exact sum is 1.1 KB) and lines many, so they go in
 * parts: a part is computed into device memory (part.c) and fetched in shares, and
 * while a share is on its way the one before it is ended. */
#include "config.h"
#include "gpu/work.h"

#include <stdlib.h>
#include <string.h>
#include "engine/emit.h"
#include "engine/partial.h"
#include "gpu/part.h"

/* Bytes of values in one share (chosen). */
#define SHARE_BYTES (4u << 20)

/* Lines fetched together. */
struct share {
	struct pinned *pinned;
	cudaEvent_t fetched;       /* NULL: it is the only one, wait for the queue */
	uint64_t first, lines;     /* of all */
	void *values[JOB_MAX_OPS]; /* in pinned */
	const struct nan_found *nans;
};

struct reduce {
	struct work *work;
	struct part part;
	struct emit emit;
	uint64_t share_lines; /* at most */
	struct share shares[2];
	uint64_t *counts, *lengths; /* of a share's lines */
	uint64_t stop;              /* the lines from this one on are not emitted */
};

static enum status copy(struct reduce *reduce, uint64_t from, void *to, uint64_t size,
			struct error *err)
{
	struct work *work = reduce->work;

	return cuda_status(work->device,
			   cudaMemcpyAsync(to, (char *)reduce->part.values.data + from, size,
					   cudaMemcpyDeviceToHost, work->queue->stream),
			   "cudaMemcpyAsync", err);
}

/* All lines of the part in one copy: they keep their places. */
static enum status fetch_part(struct reduce *reduce, struct share *share, struct error *err)
{
	const struct part *part = &reduce->part;
	char *data = share->pinned->data;

	for (unsigned i = 0; i < reduce->work->plan->accum_count; i++)
		share->values[i] = data + part->offsets[i];
	share->nans = (const struct nan_found *)(data + part->nans);
	return part->bytes > 0 ? copy(reduce, 0, data, part->bytes, err) : STATUS_OK;
}

/* Some of them: a copy for each accumulator. */
static enum status fetch_some(struct reduce *reduce, struct share *share, struct error *err)
{
	const struct part *part = &reduce->part;
	const struct plan *plan = reduce->work->plan;
	uint64_t skip = share->first - part->first;
	char *data = share->pinned->data;
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < plan->accum_count && status == STATUS_OK; i++) {
		uint64_t size = share->lines * part->sizes[i];

		share->values[i] = data;
		status = copy(reduce, part->offsets[i] + skip * part->sizes[i], data, size, err);
		data += (size + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	}
	share->nans = (const struct nan_found *)data;
	if (status == STATUS_OK && work_omits(plan))
		status = copy(reduce, part->nans + skip * sizeof(struct nan_found), data,
			      share->lines * sizeof(struct nan_found), err);
	return status;
}

static enum status fetch(struct reduce *reduce, struct share *share, struct error *err)
{
	struct work *work = reduce->work;
	enum status status = share->lines == reduce->part.lines ? fetch_part(reduce, share, err)
								: fetch_some(reduce, share, err);

	if (status != STATUS_OK || share->fetched == NULL)
		return status;
	return cuda_status(work->device, cudaEventRecord(share->fetched, work->queue->stream),
			   "cudaEventRecord", err);
}

static enum status wait(struct reduce *reduce, const struct share *share, struct error *err)
{
	struct work *work = reduce->work;

	if (share->fetched == NULL)
		return queue_wait(work->device, work->queue, err);
	return cuda_status(work->device, cudaEventSynchronize(share->fetched),
			   "cudaEventSynchronize", err);
}

/* End the lines of a share: those before reduce->stop. */
static enum status end(struct reduce *reduce, struct share *share, struct error *err)
{
	struct work *work = reduce->work;
	const struct plan *plan = work->plan;
	struct emit_lines of = {
		.values = (const void *const *)share->values,
		.sizes = reduce->part.sizes,
		.counts = reduce->counts,
		.lengths = reduce->lengths,
	};
	enum status status = wait(reduce, share, err);

	if (status != STATUS_OK)
		return status;
	if (share->first < reduce->stop)
		of.lines = share->lines < reduce->stop - share->first ? share->lines
								      : reduce->stop - share->first;
	for (uint64_t l = 0; l < of.lines; l++) {
		reduce->lengths[l] = geometry_line_length(&work->geometry, share->first + l);
		reduce->counts[l] = reduce->lengths[l];
		if (work_omits(plan))
			reduce->counts[l] -= share->nans[l].count;
	}
	part_normalize(plan, share->values, of.lines);
	status = emit_lines(&reduce->emit, &of, err);
	if (status == STATUS_OK && plan->job->partial && of.lines > 0) /* of one line */
		status = partial_create(plan, share->values, reduce->counts[0], reduce->lengths[0],
					&work->result->partial, err);
	return status;
}

uint64_t reduce_memory(const struct plan *plan, const struct geometry *geometry, uint64_t count)
{
	struct work work = {.plan = plan, .geometry = *geometry, .count = count};
	struct part part;

	part_init(&part, &work);
	return part_memory(&part);
}

static enum status prepare_share(struct reduce *reduce, struct share *share, bool only,
				 struct error *err)
{
	const struct part *part = &reduce->part;
	struct work *work = reduce->work;
	uint64_t bytes = (uint64_t)(work->plan->accum_count + 2) * PART_ALIGN +
			 sizeof(struct ordered_family_values) +
			 reduce->share_lines * part->line_bytes;
	enum status status = pinned_take(work->device, bytes, &share->pinned, err);

	if (status != STATUS_OK || only)
		return status;
	return cuda_status(work->device,
			   cudaEventCreateWithFlags(&share->fetched, cudaEventDisableTiming),
			   "cudaEventCreate", err);
}

static enum status prepare(struct reduce *reduce, struct error *err)
{
	struct work *work = reduce->work;
	bool only;
	enum status status = emit_init(&reduce->emit, work->plan, work->result, err);

	if (status != STATUS_OK)
		return status;
	part_init(&reduce->part, work);
	reduce->share_lines = SHARE_BYTES / reduce->part.line_bytes;
	if (reduce->share_lines > reduce->part.most)
		reduce->share_lines = reduce->part.most;
	only = reduce->share_lines == work->geometry.count;
	reduce->counts = malloc((reduce->share_lines + 1) * sizeof(*reduce->counts));
	reduce->lengths = malloc((reduce->share_lines + 1) * sizeof(*reduce->lengths));
	if (reduce->counts == NULL || reduce->lengths == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for results");
	status = prepare_share(reduce, &reduce->shares[0], only, err);
	if (status == STATUS_OK && !only)
		status = prepare_share(reduce, &reduce->shares[1], only, err);
	return status;
}

/* Fetch the computed part share by share; *waiting is the one on its way. */
static enum status take_part(struct reduce *reduce, struct share **waiting, struct error *err)
{
	const struct part *part = &reduce->part;
	enum status status = STATUS_OK;

	for (uint64_t l = 0; l < part->lines && status == STATUS_OK;) {
		struct share *share =
			*waiting == &reduce->shares[0] ? &reduce->shares[1] : &reduce->shares[0];

		share->first = part->first + l;
		share->lines = part->lines - l < reduce->share_lines ? part->lines - l
								     : reduce->share_lines;
		status = fetch(reduce, share, err);
		if (status == STATUS_OK && *waiting != NULL)
			status = end(reduce, *waiting, err);
		*waiting = share;
		l += share->lines;
	}
	return status;
}

static enum status run(struct reduce *reduce, struct error *err)
{
	uint64_t count = reduce->work->geometry.count;
	/* Whole parts are computed, as few as the lines emitted need. */
	uint64_t needed = count < reduce->stop ? count : reduce->stop;
	struct share *waiting = NULL;
	enum status status = STATUS_OK;

	for (uint64_t first = 0; first < needed && status == STATUS_OK;
	     first += reduce->part.lines) {
		uint64_t left = count - first;

		status = part_compute(&reduce->part, first,
				      left < reduce->part.most ? left : reduce->part.most, err);
		if (status == STATUS_OK)
			status = take_part(reduce, &waiting, err);
	}
	if (status == STATUS_OK && waiting != NULL)
		status = end(reduce, waiting, err);
	return status == STATUS_OK ? emit_finish(&reduce->emit, err) : status;
}

/* nan: error. Where a line before the NaN's has no value, that is what an array
 * read from the front fails with first; Fortran order is known at its end only. */
static uint64_t lines_before_nan(const struct work *work, uint64_t nan)
{
	if (!work->plan->input.fortran)
		return geometry_lines_before(&work->geometry, nan);
	if (work->geometry.kind == GEOMETRY_LINES && work->geometry.count > 0)
		return work->geometry.count - 1;
	return work->geometry.count;
}

enum status reduce_run(struct work *work, struct error *err)
{
	struct reduce reduce = {.work = work, .part.work = work, .stop = UINT64_MAX};
	uint64_t nan;
	enum status status = work_first_nan(work, &nan, err);

	if (status == STATUS_OK && nan != UINT64_MAX)
		reduce.stop = lines_before_nan(work, nan);
	if (status == STATUS_OK)
		status = prepare(&reduce, err);
	if (status == STATUS_OK)
		status = run(&reduce, err);
	if (status == STATUS_OK && nan != UINT64_MAX)
		status = work_fail_nan(work->plan, nan, err);
	if (status != STATUS_OK)
		(void)queue_wait(work->device, work->queue, NULL); /* copies on their way */
	for (unsigned i = 0; i < 2; i++) {
		pinned_give(work->device, reduce.shares[i].pinned);
		if (reduce.shares[i].fetched != NULL)
			(void)cudaEventDestroy(reduce.shares[i].fetched);
	}
	part_deinit(&reduce.part);
	emit_deinit(&reduce.emit);
	free(reduce.counts);
	free(reduce.lengths);
	return status;
}
