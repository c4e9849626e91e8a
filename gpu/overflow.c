#include "config.h"
#include "gpu/overflow.h"

#include <string.h>
#include "engine/int192.h"
#include "engine/prefix.h"

/* Elements read at a time. */
#define PIECE 65536u

/* Where a line lies: its first element, and how far its elements are apart. */
struct course {
	uint64_t first, stride;
	uint64_t index; /* of the position, in the line */
};

static struct course course_of(const struct geometry *geometry, uint64_t position)
{
	struct course course = {.stride = 1};

	if (geometry->kind == GEOMETRY_COLUMNS) {
		const struct columns *columns = &geometry->as.columns;
		uint64_t block = columns->length * columns->inner;

		course.stride = columns->inner;
		course.first = position / block * block + position % columns->inner;
		course.index = position % block / columns->inner;
		return course;
	}
	if (geometry->offsets != NULL)
		course.first =
			(uint64_t)geometry->offsets[geometry_lines_before(geometry, position)];
	else
		course.first = position / geometry->length * geometry->length;
	course.index = position - course.first;
	return course;
}

static void add(struct int192 *sum, const void *elements, uint64_t i, enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_BOOL:
		int192_add_u64(sum, ((const uint8_t *)elements)[i] != 0);
		break;
	case DTYPE_INT8:
		int192_add_i64(sum, ((const int8_t *)elements)[i]);
		break;
	case DTYPE_INT16:
		int192_add_i64(sum, ((const int16_t *)elements)[i]);
		break;
	case DTYPE_INT32:
		int192_add_i64(sum, ((const int32_t *)elements)[i]);
		break;
	case DTYPE_INT64:
		int192_add_i64(sum, ((const int64_t *)elements)[i]);
		break;
	case DTYPE_UINT8:
		int192_add_u64(sum, ((const uint8_t *)elements)[i]);
		break;
	case DTYPE_UINT16:
		int192_add_u64(sum, ((const uint16_t *)elements)[i]);
		break;
	case DTYPE_UINT32:
		int192_add_u64(sum, ((const uint32_t *)elements)[i]);
		break;
	default:
		int192_add_u64(sum, ((const uint64_t *)elements)[i]);
		break;
	}
}

/* The sum of the line's first `count` elements. */
static enum status sum_line(struct work *work, const struct course *course, uint64_t count,
			    struct int192 *sum, struct error *err)
{
	enum dtype dtype = work->plan->input.dtype;
	size_t size = dtype_size(dtype);
	struct pinned *pinned = NULL;
	enum status status = pinned_take(work->device, PIECE * size, &pinned, err);

	for (uint64_t k = 0; k < count && status == STATUS_OK;) {
		uint64_t some = count - k < PIECE ? count - k : PIECE;
		const char *from =
			(const char *)work->x + (course->first + k * course->stride) * size;

		status = cuda_status(work->device,
				     cudaMemcpy2DAsync(pinned->data, size, from,
						       course->stride * size, size, some,
						       cudaMemcpyDeviceToHost, work->queue->stream),
				     "cudaMemcpy2DAsync", err);
		if (status == STATUS_OK)
			status = queue_wait(work->device, work->queue, err);
		for (uint64_t i = 0; i < some && status == STATUS_OK; i++)
			add(sum, pinned->data, i, dtype);
		k += some;
	}
	pinned_give(work->device, pinned);
	return status;
}

enum status overflow_explain(struct work *work, uint64_t position, struct error *err)
{
	const struct plan *plan = work->plan;
	const struct course course = course_of(&work->geometry, position);
	enum op op = plan->ops[0].spec.op;
	struct int192 sum = {{0, 0, 0}};
	char text[64] = "";
	enum status status = STATUS_OK;

	if (op == OP_SUM) {
		status = sum_line(work, &course, course.index + !plan->job->exclusive, &sum, err);
		int192_format(&sum, text, sizeof(text));
	}
	if (status != STATUS_OK)
		return status;
	status = prefix_overflow(op, plan->ops[0].result, course.index, text, err);
	if (err != NULL)
		err->index = layout_c_index(&plan->input, position);
	return status;
}
