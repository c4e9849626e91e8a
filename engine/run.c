#include "config.h"
#include "engine/run.h"

#include <stdlib.h>
#include <string.h>
#include "engine/gather.h"
#include "engine/order.h"
#include "engine/resident.h"

/* Results up to this size stay in memory (chosen: a million float64). */
#define RESULT_MEMORY (8u << 20)
/* Predicted time of what is fed at once, and elements that it is a multiple of: whole
 * tiles of any kind (chosen). */
#define PIECE_NS 20000000u
#define PIECE_STEP 65536u
/* Elements of the second array read at a time. */
#define PAIR_PIECE (64u * 1024u)

struct run {
	struct engine *engine;
	struct plan plan;
	struct array_desc x;
	const struct source *from;
	struct source *y;
	struct chosen_backend chosen;
	struct stream *stream;
	struct result *result;
	uint64_t expected, fed;

	char *y_piece; /* of PAIR_PIECE elements, when y is not in memory */
	char *x_whole; /* plan.gather: the elements as they came */
};

static struct spool *result_spool(const struct run_args *args)
{
	const struct spool_config config = {
		.directory = engine_spool_directory(args->engine),
		.memory = RESULT_MEMORY,
		.limit = engine_limits(args->engine)->spool,
	};

	return spool_create(&config);
}

static enum status make_result(struct run *run, const struct run_args *args, struct error *err)
{
	const struct layout *layout = &run->plan.layout;
	struct result *result = result_create(run->plan.op_count);
	struct backend_caps caps;

	if (result == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result");
	run->result = result;
	run->chosen.ops->describe(run->chosen.backend, &caps);
	memcpy(result->backend, caps.name, sizeof(result->backend));
	result->kind = args->job->kind;
	result->determinism = args->job->determinism;
	result->order = ORDER_VERSION;
	result->batch_jobs = 1;
	result->scalar = layout->scalar;
	result->ndim = layout->out_ndim;
	memcpy(result->shape, layout->out_shape, sizeof(result->shape));
	result->fortran = layout->out_fortran;
	if (!layout->scalar && args->job->kind == JOB_REDUCE) {
		result->counts = result_spool(args);
		if (result->counts == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result");
	}
	for (unsigned i = 0; i < run->plan.op_count; i++) {
		struct result_op *op = &result->ops[result->op_count++];

		memcpy(op->key, run->plan.ops[i].spec.key, sizeof(op->key));
		op->dtype = run->plan.ops[i].result;
		op->combine = run->plan.ops[i].combine;
		op->data = args->output_fd >= 0 ? spool_create_on(args->output_fd,
								  args->output_reserve, UINT64_MAX)
						: result_spool(args);
		if (op->data == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result");
	}
	return STATUS_OK;
}

static enum status make_buffers(struct run *run, struct error *err)
{
	size_t size = dtype_size(run->x.dtype);

	if (run->plan.gather) {
		run->x_whole = malloc(run->expected * size + 1);
		if (run->x_whole == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory to reorder the array");
	} else if (run->y != NULL && run->y->data == NULL) {
		run->y_piece = malloc(PAIR_PIECE * size);
		if (run->y_piece == NULL)
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a second array");
	}
	return STATUS_OK;
}

/* Results that the answer has no room for are refused before anything is read.
 * Of a stream of unknown length that is known at its end only. */
static enum status check_room(const struct run *run, uint64_t most, struct error *err)
{
	const struct layout *layout = &run->plan.layout;
	uint64_t count = run->plan.job->kind == JOB_SCAN ? run->expected : layout->lines;

	if (layout->scalar || count == ARRAY_UNKNOWN)
		return STATUS_OK;
	if (__builtin_mul_overflow(count, run->plan.op_count, &count))
		count = UINT64_MAX;
	if (count <= most)
		return STATUS_OK;
	return fail(
		err, STATUS_TOO_LARGE,
		"results of %llu elements do not fit in this form of answer, which has room for "
		"%llu (limit json_elements): ask for %s",
		(unsigned long long)count, (unsigned long long)most,
		run->plan.op_count == 1 ? "application/x-npy" : "application/zip (an .npz)");
}

/* What a device is asked for at once may be too much for it, or it is lost. */
static enum status open_stream(struct run *run, const struct run_args *args, struct error *err)
{
	enum status status = make_result(run, args, err);

	if (status == STATUS_OK)
		status = run->chosen.ops->stream_open(run->chosen.backend, &run->plan, run->result,
						      &run->stream, err);
	if (!run_failed_by_backend(run, status))
		return status;
	engine_note_lost(run->engine);
	result_destroy(run->result);
	run->result = NULL;
	status = engine_choose_host(run->engine, &run->plan, run->expected, &run->chosen, err);
	return status == STATUS_OK ? open_stream(run, args, err) : status;
}

static enum status choose(struct run *run, const struct run_args *args, struct error *err)
{
	engine_note_lost(run->engine);
	if (args->on_host)
		return engine_choose_host(run->engine, &run->plan, run->expected, &run->chosen,
					  err);
	return engine_choose_at(run->engine, &run->plan, run->expected,
				run->from != NULL ? source_home(run->from) : NULL, &run->chosen,
				err);
}

enum status run_open(const struct run_args *args, struct run **out, struct error *err)
{
	struct run *run = calloc(1, sizeof(*run));
	enum status status;

	if (run == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a job");
	run->engine = args->engine;
	run->x = *args->x;
	run->from = args->from;
	run->y = args->y;
	status = plan_make(&run->plan, args->job, args->x, args->y != NULL ? &args->y->desc : NULL,
			   engine_limits(args->engine), err);
	if (status == STATUS_OK)
		status = array_count(args->x, &run->expected, err);
	if (status == STATUS_OK)
		status = check_room(run, args->most_elements, err);
	if (status == STATUS_OK)
		status = choose(run, args, err);
	if (status == STATUS_OK)
		status = make_buffers(run, err);
	if (status == STATUS_OK)
		status = open_stream(run, args, err);
	if (status != STATUS_OK) {
		run_close(run);
		return status;
	}
	*out = run;
	return STATUS_OK;
}

void run_close(struct run *run)
{
	if (run == NULL)
		return;
	if (run->stream != NULL)
		run->chosen.ops->stream_close(run->stream);
	result_destroy(run->result);
	free(run->y_piece);
	free(run->x_whole);
	free(run);
}

bool run_may_be_failed(const struct run *run)
{
	return run->chosen.ops->may_fail;
}

bool run_failed_by_backend(const struct run *run, enum status status)
{
	return run_may_be_failed(run) &&
	       (status == STATUS_BACKEND_UNAVAILABLE || status == STATUS_OUT_OF_MEMORY);
}

uint64_t run_expected(const struct run *run)
{
	return run->expected;
}

static enum status y_ended(struct error *err)
{
	return fail_at(err, STATUS_BAD_SHAPE, "/with",
		       "the second array is shorter than the first");
}

/* The count elements of y that go with elements of x at run->fed. */
static enum status next_y(struct run *run, uint64_t count, const void **out, struct error *err)
{
	size_t size = dtype_size(run->x.dtype);
	uint64_t y_count, got;
	enum status status;

	if (run->y->data != NULL) {
		array_count(&run->y->desc, &y_count, NULL);
		if (count > y_count || run->fed > y_count - count)
			return y_ended(err);
		*out = (const char *)run->y->data + run->fed * size;
		return STATUS_OK;
	}
	status = run->y->read(run->y, run->y_piece, count, &got, err);
	if (status == STATUS_OK && got < count)
		status = y_ended(err);
	*out = run->y_piece;
	return status;
}

static enum status feed_pairs(struct run *run, const void *x, uint64_t count, struct error *err)
{
	size_t size = dtype_size(run->x.dtype);
	const char *next_x = x;

	while (count > 0) {
		uint64_t piece = run->y->data != NULL || count < PAIR_PIECE ? count : PAIR_PIECE;
		const void *y = NULL;
		enum status status = next_y(run, piece, &y, err);

		if (status == STATUS_OK)
			status = run->chosen.ops->stream_feed(run->stream, next_x, y, piece, err);
		if (status != STATUS_OK)
			return status;
		run->fed += piece;
		next_x += piece * size;
		count -= piece;
	}
	return STATUS_OK;
}

enum status run_feed(struct run *run, const void *x, uint64_t count, struct error *err)
{
	size_t size = dtype_size(run->x.dtype);
	enum status status;

	if (run->expected != ARRAY_UNKNOWN && count > run->expected - run->fed)
		return fail(err, STATUS_BAD_SHAPE, "more elements came than the %llu announced",
			    (unsigned long long)run->expected);
	if (count == 0)
		return STATUS_OK;
	if (run->plan.gather) {
		memcpy(run->x_whole + run->fed * size, x, count * size);
		run->fed += count;
		return STATUS_OK;
	}
	if (run->y != NULL)
		return feed_pairs(run, x, count, err);
	status = run->chosen.ops->stream_feed(run->stream, x, NULL, count, err);
	run->fed += count;
	return status;
}

uint64_t run_piece(const struct run *run)
{
	const double cost = (double)run->chosen.cost_ns;
	const double count = (double)run->expected / (cost > 1 ? cost : 1) * PIECE_NS;

	if (run->expected == ARRAY_UNKNOWN || count >= 0x1p62)
		return 1ull << 62;
	return count < PIECE_STEP ? PIECE_STEP : (uint64_t)count / PIECE_STEP * PIECE_STEP;
}

bool run_is_resident(const struct run *run)
{
	const struct backend *backend = run->chosen.backend;

	return !run->plan.gather && run->from != NULL && source_home(run->from) == backend &&
	       (run->y == NULL || source_home(run->y) == backend);
}

enum status run_feed_arrays(struct run *run, uint64_t count, struct error *err)
{
	const uint64_t at = run->fed * dtype_size(run->x.dtype);
	const struct source *x = run->from, *y = run->y;
	uint64_t y_count;
	enum status status;

	if (y != NULL) {
		array_count(&y->desc, &y_count, NULL);
		if (count > y_count || run->fed > y_count - count)
			return y_ended(err);
	}
	status = run->chosen.ops->stream_feed_array(
		run->stream, x->resident->array, x->resident_offset + at,
		y != NULL ? y->resident->array : NULL, y != NULL ? y->resident_offset + at : 0,
		count, err);
	run->fed += count;
	return status;
}

/* The whole second array, in C order. */
static enum status gather_y(struct run *run, char **out, struct error *err)
{
	size_t size = dtype_size(run->x.dtype);
	char *stored = NULL, *ordered;
	uint64_t got = run->expected;
	enum status status = STATUS_OK;

	ordered = malloc(run->expected * size + 1);
	if (run->y->data == NULL) {
		stored = malloc(run->expected * size + 1);
		if (stored != NULL)
			status = run->y->read(run->y, stored, run->expected, &got, err);
	}
	if (ordered == NULL || (run->y->data == NULL && stored == NULL))
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory to reorder the array");
	else if (status == STATUS_OK && got < run->expected)
		status = y_ended(err);
	if (status == STATUS_OK)
		gather_to_c(&run->y->desc, run->y->data != NULL ? run->y->data : stored, ordered);
	free(stored);
	if (status != STATUS_OK) {
		free(ordered);
		return status;
	}
	*out = ordered;
	return STATUS_OK;
}

static enum status feed_gathered(struct run *run, struct error *err)
{
	char *x = malloc(run->expected * dtype_size(run->x.dtype) + 1);
	char *y = NULL;
	enum status status = STATUS_OK;

	if (x == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to reorder the array");
	gather_to_c(&run->x, run->x_whole, x);
	if (run->y != NULL)
		status = gather_y(run, &y, err);
	if (status == STATUS_OK)
		status = run->chosen.ops->stream_feed(run->stream, x, y, run->expected, err);
	free(y);
	free(x);
	return status;
}

/* A stream of unknown length has ended: the second array must end too. */
static enum status check_y_end(struct run *run, struct error *err)
{
	uint64_t y_count;

	if (run->y == NULL)
		return STATUS_OK;
	array_count(&run->y->desc, &y_count, NULL);
	if (y_count != run->fed)
		return fail_at(err, STATUS_BAD_SHAPE, "/with",
			       "dot takes two arrays of one length: %llu and %llu elements",
			       (unsigned long long)run->fed, (unsigned long long)y_count);
	return run->y->verify != NULL ? run->y->verify(run->y, err) : STATUS_OK;
}

enum status run_finish(struct run *run, struct result **out, struct error *err)
{
	enum status status = STATUS_OK;

	if (run->expected != ARRAY_UNKNOWN && run->fed != run->expected)
		return fail(err, STATUS_BAD_SHAPE, "%llu elements came, %llu were announced",
			    (unsigned long long)run->fed, (unsigned long long)run->expected);
	if (run->plan.gather)
		status = feed_gathered(run, err);
	if (status == STATUS_OK)
		status = check_y_end(run, err);
	if (status == STATUS_OK)
		status = run->chosen.ops->stream_finish(run->stream, err);
	if (status != STATUS_OK)
		return status;
	*out = run->result;
	run->result = NULL;
	return STATUS_OK;
}
