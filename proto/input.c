#include "config.h"
#include "proto/input.h"

#include <stdlib.h>
#include <string.h>
#include "engine/resident_source.h"
#include "proto/file_source.h"

void input_deinit(struct input *input)
{
	size_t i;

	free(input->data.data);
	free(input->bytes);
	free(input->array);
	for (i = 0; i < input->path_count; i++)
		free(input->paths[i]);
	free(input->paths);
	memset(input, 0, sizeof(*input));
}

bool input_raw_swap(const struct input *input)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return input->big_endian != big && dtype_size(input->dtype) > 1;
}

/* "/shape" in the object that the input stands in. */
static const char *pointer(char out[64], const struct input *input, const char *member)
{
	char *end = stpncpy(out, input->at, 31);

	stpncpy(end, member, 31);
	out[63] = '\0';
	return out;
}

enum status input_raw_desc(const struct input *input, uint64_t size, struct array_desc *out,
			   struct error *err)
{
	const uint64_t element = dtype_size(input->dtype);
	struct array_desc desc = {.dtype = input->dtype, .ndim = 1};
	char at[64];
	uint64_t count;

	if (input->has_shape) {
		desc.ndim = input->ndim;
		memcpy(desc.shape, input->shape, sizeof(desc.shape));
		if (array_count(&desc, &count, NULL) != STATUS_OK)
			return fail_at(err, STATUS_BAD_SHAPE, pointer(at, input, "/shape"),
				       "the shape needs 2^63 bytes or more");
		if (size != ARRAY_UNKNOWN && size != count * element)
			return fail_at(err, STATUS_BAD_SHAPE, pointer(at, input, "/shape"),
				       "the shape needs %llu bytes, there are %llu",
				       (unsigned long long)(count * element),
				       (unsigned long long)size);
	} else if (size == ARRAY_UNKNOWN) {
		desc.shape[0] = ARRAY_UNKNOWN;
	} else if (size % element != 0) {
		return fail(err, STATUS_BAD_SHAPE,
			    "%llu bytes are no whole number of %s elements of %llu bytes",
			    (unsigned long long)size, dtype_name(input->dtype),
			    (unsigned long long)element);
	} else {
		desc.shape[0] = size / element;
	}
	*out = desc;
	return STATUS_OK;
}

static enum status open_memory(const struct array_desc *desc, void *data, struct source **out,
			       struct error *err)
{
	struct source *source = source_from_memory(desc, data);

	if (source == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an array");
	*out = source;
	return STATUS_OK;
}

static enum status open_base64(struct input *input, struct source **out, struct error *err)
{
	struct array_desc desc;
	enum status status = input_raw_desc(input, input->bytes_size, &desc, err);

	if (status != STATUS_OK)
		return status;
	if (input_raw_swap(input))
		array_swap_bytes(input->bytes, dtype_size(input->dtype),
				 input->bytes_size / dtype_size(input->dtype));
	status = open_memory(&desc, input->bytes, out, err);
	if (status == STATUS_OK)
		input->bytes = NULL;
	return status;
}

static enum status check_slice(const struct input *input, const struct array_desc *desc,
			       struct error *err)
{
	char at[64];

	if (desc->ndim == 0)
		return fail_at(err, STATUS_BAD_VALUE, pointer(at, input, "/slice"),
			       "the array %s has no axis to slice", input->array);
	if (input->slice[0] <= input->slice[1] && input->slice[1] <= desc->shape[0])
		return STATUS_OK;
	return fail_at(err, STATUS_BAD_VALUE, pointer(at, input, "/slice"),
		       "%llu to %llu is no range of the first axis of %s, which is %llu long",
		       (unsigned long long)input->slice[0], (unsigned long long)input->slice[1],
		       input->array, (unsigned long long)desc->shape[0]);
}

/* Offsets say what is wrong with their type themselves. */
static enum status check_array(const struct input *input, const struct array_desc *desc,
			       struct error *err)
{
	char at[64];

	if (input->has_dtype && input->dtype != desc->dtype && strcmp(input->at, "/segments") != 0)
		return fail_at(err, STATUS_BAD_DTYPE, pointer(at, input, "/dtype"),
			       "the array %s is %s, but the job says dtype %s", input->array,
			       dtype_name(desc->dtype), dtype_name(input->dtype));
	return input->has_slice ? check_slice(input, desc, err) : STATUS_OK;
}

static enum status open_array(const struct input *input, struct arrays *arrays, struct source **out,
			      struct error *err)
{
	struct resident *resident = NULL;
	char at[64];
	enum status status = arrays != NULL
				     ? arrays_get(arrays, input->array, &resident, err)
				     : fail(err, STATUS_NO_SUCH_ARRAY, "there are no arrays");

	if (status == STATUS_OK)
		status = check_array(input, &resident->desc, err);
	if (status == STATUS_OK)
		status = source_from_resident(resident, input->has_slice ? input->slice : NULL, out,
					      err);
	resident_release(resident);
	if (status != STATUS_OK && err != NULL && !err->has_pointer) {
		err->has_pointer = true;
		strcpy(err->pointer, pointer(at, input, "/array"));
	}
	return status;
}

enum status input_open(struct input *input, const struct input_context *context,
		       struct source **out, struct error *err)
{
	enum status status;

	if (input->kind == INPUT_FILES)
		return file_source_open(input, context, out, err);
	if (input->kind == INPUT_BASE64)
		return open_base64(input, out, err);
	if (input->kind == INPUT_ARRAY)
		return open_array(input, context->arrays, out, err);
	status = open_memory(&input->data.desc, input->data.data, out, err);
	if (status == STATUS_OK)
		input->data.data = NULL;
	return status;
}
