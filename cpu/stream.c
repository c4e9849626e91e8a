#include "config.h"
#include "cpu/stream.h"

#include <stdlib.h>
#include "cpu/backend.h"

static uint64_t map_index(const void *map, uint64_t position)
{
	return layout_c_index(map, position);
}

struct accum_args stream_accum_args(const struct plan *plan, unsigned i)
{
	struct accum_args args = {
		.domain = plan->accums[i].domain,
		.p = plan->accums[i].p,
		.omit = plan->job->nan == NAN_OMIT,
	};

	if (plan->input.fortran && !plan->job->has_axis) {
		args.index_map = map_index;
		args.map = &plan->input;
	}
	return args;
}

static enum status fail_nan(const struct stream *stream, struct error *err)
{
	uint64_t index = stream->nan.index + stream->plan->job->index_base;

	fail(err, STATUS_NAN_FOUND, "element %llu is NaN", (unsigned long long)index);
	if (err != NULL) {
		err->has_index = true;
		err->index = index;
	}
	return STATUS_NAN_FOUND;
}

static void note(struct nan_watch *watch, uint64_t index)
{
	if (!watch->found || index < watch->index)
		watch->index = index;
	watch->found = true;
}

void nan_watch_look(struct nan_watch *watch, const struct plan *plan, uint64_t position,
		    const struct staged *staged)
{
	uint64_t i;

	if (plan->job->nan != NAN_ERROR || staged->nans == 0)
		return;
	i = stage_next_nan(staged, 0);
	if (!plan->input.fortran) {
		note(watch, position + i);
		return;
	}
	for (; i < staged->count; i = stage_next_nan(staged, i + 1))
		note(watch, layout_c_index(&plan->input, position + i));
}

void nan_watch_merge(struct nan_watch *watch, const struct nan_watch *other)
{
	if (other->found)
		note(watch, other->index);
}

enum status stream_note_nan(struct stream *stream, const struct nan_watch *found, struct error *err)
{
	nan_watch_merge(&stream->nan, found);
	if (stream->nan.found && !stream->plan->input.fortran)
		return fail_nan(stream, err);
	return STATUS_OK;
}

enum status cpu_stream_open(struct backend *self, const struct plan *plan, struct result *result,
			    struct stream **out, struct error *err)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	enum status status;

	if (stream == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a stream");
	stream->plan = plan;
	stream->result = result;
	stream->team = cpu_backend_team(self);
	stream->way = plan->job->kind == JOB_SCAN ? &scanning_way
		      : plan->layout.adjacent     ? &lines_way
						  : &strided_way;
	status = stream->way->open(stream, err);
	if (status != STATUS_OK) {
		free(stream);
		return status;
	}
	*out = stream;
	return STATUS_OK;
}

enum status cpu_stream_feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			    struct error *err)
{
	enum status status;

	if (count == 0)
		return STATUS_OK;
	status = stream->way->feed(stream, x, y, count, err);
	stream->position += count;
	return status;
}

enum status cpu_stream_finish(struct stream *stream, struct error *err)
{
	if (stream->nan.found)
		return fail_nan(stream, err);
	return stream->way->finish(stream, err);
}

void cpu_stream_close(struct stream *stream)
{
	if (stream == NULL)
		return;
	stream->way->close(stream);
	free(stream);
}
