#include "config.h"
#include "proto/response_parts.h"

#include <stdlib.h>
#include "engine/partial.h"
#include "proto/base64.h"
#include "proto/nested.h"
#include "proto/number_write.h"
#include "proto/request.h"

static void write_uint_member(struct text *text, const char *name, uint64_t value)
{
	text_puts(text, name);
	text_uint(text, value);
}

/* The key of an operation in each of the objects keyed so. */
static void write_key(struct text *text, const struct result *result, unsigned op)
{
	text_add(text, op == 0 ? "{" : ",", 1);
	text_quote(text, result->ops[op].key);
	text_add(text, ":", 1);
}

static void write_shape(struct text *text, const struct array_desc *desc)
{
	text_add(text, "[", 1);
	for (unsigned axis = 0; axis < desc->ndim; axis++) {
		if (axis > 0)
			text_add(text, ",", 1);
		text_uint(text, desc->shape[axis]);
	}
	text_add(text, "]", 1);
}

void response_desc(struct array_desc *out, const struct result *result, unsigned op)
{
	*out = (struct array_desc){
		.dtype = result->ops[op].dtype,
		.ndim = result->scalar ? 0 : result->ndim,
		.fortran = result->fortran,
	};
	for (unsigned axis = 0; axis < out->ndim; axis++)
		out->shape[axis] = result->shape[axis];
}

/* The spool's bytes, which must be there unless the array is empty. */
static enum status spool_view(struct spool *spool, const void **out, struct error *err)
{
	*out = spool_data(spool);
	if (*out == NULL && spool_size(spool) > 0)
		return fail(err, STATUS_OUT_OF_MEMORY, "cannot map a result of %llu bytes",
			    (unsigned long long)spool_size(spool));
	return STATUS_OK;
}

static enum status write_values(struct text *text, const struct result *result, const char *name,
				nested_writer writer, struct error *err)
{
	text_puts(text, name);
	for (unsigned op = 0; op < result->op_count; op++) {
		const struct result_op *of = &result->ops[op];
		struct array_desc desc;
		const void *data, *nulls = NULL;
		enum status status = spool_view(of->data, &data, err);

		if (status == STATUS_OK && of->nulls != NULL)
			status = spool_view(of->nulls, &nulls, err);
		if (status != STATUS_OK)
			return status;
		response_desc(&desc, result, op);
		write_key(text, result, op);
		nested_write(text, &(struct nested){&desc, data, nulls}, writer);
	}
	text_puts(text, "},");
	return STATUS_OK;
}

static enum status write_counts(struct text *text, const struct result *result, struct error *err)
{
	struct array_desc desc;
	const void *data;
	enum status status;

	text_puts(text, "\"count\":");
	if (result->counts == NULL) {
		text_uint(text, result->count);
		text_add(text, ",", 1);
		return STATUS_OK;
	}
	status = spool_view(result->counts, &data, err);
	if (status != STATUS_OK)
		return status;
	response_desc(&desc, result, 0);
	desc.dtype = DTYPE_UINT64;
	nested_write(text, &(struct nested){&desc, data, NULL}, number_write);
	text_add(text, ",", 1);
	return STATUS_OK;
}

/* Results that went to a file. */
static void write_files(struct text *text, const struct result *result, const char *path)
{
	text_puts(text, "\"results\":");
	for (unsigned op = 0; op < result->op_count; op++) {
		struct array_desc desc;

		response_desc(&desc, result, op);
		write_key(text, result, op);
		text_puts(text, "{\"file\":");
		text_quote(text, path);
		text_puts(text, ",\"shape\":");
		write_shape(text, &desc);
		text_puts(text, ",\"dtype\":");
		text_quote(text, dtype_name(desc.dtype));
		text_add(text, "}", 1);
	}
	text_puts(text, "},");
}

static void write_types(struct text *text, const struct result *result, bool array)
{
	text_puts(text, "\"dtype\":");
	for (unsigned op = 0; op < result->op_count; op++) {
		write_key(text, result, op);
		text_quote(text, dtype_name(result->ops[op].dtype));
	}
	text_puts(text, "},");
	if (!array)
		return;
	text_puts(text, "\"shape\":");
	for (unsigned op = 0; op < result->op_count; op++) {
		struct array_desc desc;

		response_desc(&desc, result, op);
		write_key(text, result, op);
		write_shape(text, &desc);
	}
	text_puts(text, "},");
}

static enum status write_partial(struct text *text, const struct partial *partial,
				 struct error *err)
{
	unsigned char *bytes;
	size_t size;
	enum status status = partial_encode(partial, &bytes, &size, err);

	if (status != STATUS_OK)
		return status;
	text_puts(text, "\"partial\":\"");
	base64_write(text, bytes, size);
	text_puts(text, "\",");
	free(bytes);
	return STATUS_OK;
}

static void write_circumstances(struct text *text, const struct result *result)
{
	text_puts(text, "\"determinism\":\"");
	text_puts(text, determinism_name(result->determinism));
	write_uint_member(text, "\",\"order\":", result->order);
	text_puts(text, ",\"combine\":");
	for (unsigned op = 0; op < result->op_count; op++) {
		write_key(text, result, op);
		text_quote(text, combine_name(result->ops[op].combine));
	}
	text_puts(text, "},\"backend\":");
	text_quote(text, result->backend);
	write_uint_member(text, ",\"batch\":{\"jobs\":", result->batch_jobs);
	write_uint_member(text, "},\"elapsed_us\":{\"queue\":", result->elapsed.queue_us);
	write_uint_member(text, ",\"copy\":", result->elapsed.copy_us);
	write_uint_member(text, ",\"compute\":", result->elapsed.compute_us);
	write_uint_member(text, ",\"total\":", result->elapsed.total_us);
	text_puts(text, "}}");
}

/* Take the results' elements out of what may still be written. */
static enum status take_elements(const struct result *result, uint64_t *elements, struct error *err)
{
	struct array_desc desc;
	uint64_t needed;

	response_desc(&desc, result, 0);
	if (__builtin_mul_overflow(nested_weight(&desc), result->op_count, &needed))
		needed = UINT64_MAX;
	if (needed > *elements)
		return fail(err, STATUS_TOO_LARGE,
			    "results of %llu elements do not fit in a JSON answer, which has room "
			    "for %llu (limit json_elements): ask for %s, of one job at a time",
			    (unsigned long long)needed, (unsigned long long)*elements,
			    result->op_count == 1 ? "application/x-npy"
						  : "application/zip (an .npz)");
	*elements -= needed;
	return STATUS_OK;
}

enum status response_json_write(struct text *text, const struct task *task, enum response_form form,
				uint64_t *elements, struct error *err)
{
	const struct result *result = task->result;
	bool array = !result->scalar && result->ndim > 0, shown;
	struct task_output output = {NULL};
	enum status status = STATUS_OK;

	request_task_output(task, &output);
	shown = output.path == NULL && (!array || form == RESPONSE_BODY);
	if (array && shown)
		status = take_elements(result, elements, err);
	if (status != STATUS_OK)
		return status;

	text_add(text, "{", 1);
	if (output.path != NULL)
		write_files(text, result, output.path);
	else if (shown)
		status = write_values(text, result, "\"results\":", number_write, err);
	if (status != STATUS_OK)
		return status;
	write_types(text, result, array);
	if (shown && task->job.bits)
		status = write_values(text, result, "\"bits\":", bits_write, err);
	if ((shown || result->counts == NULL) && status == STATUS_OK)
		status = write_counts(text, result, err);
	if (status == STATUS_OK && form == RESPONSE_BODY && result->partial != NULL)
		status = write_partial(text, result->partial, err);
	if (status != STATUS_OK)
		return status;
	write_circumstances(text, result);
	return STATUS_OK;
}
