#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "engine/gather.h"
#include "engine/layout.h"
#include <cmocka.h> /* last: it defines fail() */

static struct array_desc array(bool fortran, unsigned ndim, const uint64_t *shape)
{
	struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = ndim, .fortran = fortran};

	memcpy(desc.shape, shape, ndim * sizeof(*shape));
	return desc;
}

#define SHAPE(...)          \
	(const uint64_t[])  \
	{                   \
		__VA_ARGS__ \
	}
#define NDIM(...) (sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define C_ARRAY(...) array(false, NDIM(__VA_ARGS__), SHAPE(__VA_ARGS__))
#define F_ARRAY(...) array(true, NDIM(__VA_ARGS__), SHAPE(__VA_ARGS__))

static struct job over(unsigned count, int64_t a, int64_t b)
{
	struct job job = {
		.kind = JOB_REDUCE, .has_axis = true, .axis_count = count, .axes = {a, b}};

	return job;
}

static struct layout make(const struct job *job, struct array_desc desc)
{
	struct layout layout;
	struct error err = {0};

	assert_int_equal(layout_make(&layout, job, &desc, &err), STATUS_OK);
	return layout;
}

static void whole_array_is_one_adjacent_line(void **state)
{
	struct job job = {.kind = JOB_REDUCE};
	struct layout layout = make(&job, F_ARRAY(3, 1, 5));

	(void)state;
	assert_true(layout.scalar && layout.adjacent);
	assert_int_equal(layout.lines, 1);
	assert_int_equal(layout.line_length, 15);
	job.keepdims = true;
	layout = make(&job, C_ARRAY(3, 5));
	assert_false(layout.scalar);
	assert_int_equal(layout.out_ndim, 2);
	assert_int_equal(layout.out_shape[0] * layout.out_shape[1], 1);
}

static void last_stored_axis_is_adjacent(void **state)
{
	struct job last = over(1, -1, 0), first = over(1, 0, 0);
	struct layout layout = make(&last, C_ARRAY(4, 6));

	(void)state;
	assert_true(layout.adjacent);
	assert_int_equal(layout.lines, 4);
	assert_int_equal(layout.line_length, 6);
	layout = make(&first, C_ARRAY(4, 6));
	assert_false(layout.adjacent);
	assert_int_equal(layout.lines, 6);
	assert_int_equal(layout.live_lines, 6);
	layout = make(&first, F_ARRAY(4, 6));
	assert_true(layout.adjacent);
	assert_int_equal(layout.lines, 6);
	layout = make(&last, F_ARRAY(4, 6));
	assert_false(layout.adjacent);
}

/* An axis of length 1 does not part elements. */
static void axes_of_one_are_dropped(void **state)
{
	struct job first = over(1, 0, 0);
	struct layout layout = make(&first, C_ARRAY(7, 1));

	(void)state;
	assert_true(layout.adjacent);
	assert_int_equal(layout.line_length, 7);
	assert_int_equal(layout.out_ndim, 1);
	assert_int_equal(layout.out_shape[0], 1);
	assert_false(layout.scalar);
}

static void neighbours_merge(void **state)
{
	struct job middle = over(2, 1, 2), outer = over(2, 0, 3);
	struct layout layout = make(&middle, C_ARRAY(2, 3, 4, 5));

	(void)state;
	assert_int_equal(layout.ndim, 3);
	assert_int_equal(layout.dim[1].length, 12);
	assert_int_equal(layout.live_lines, 5);
	assert_int_equal(layout.lines, 10);
	layout = make(&outer, C_ARRAY(2, 3, 4, 5));
	assert_false(layout.adjacent);
	assert_int_equal(layout.lines, 12);
	assert_int_equal(layout.live_lines, 12);
	assert_int_equal(layout.line_length, 10);
}

static void nothing_reduced_is_lines_of_one(void **state)
{
	struct job none = over(0, 0, 0);
	struct layout layout = make(&none, F_ARRAY(2, 3));

	(void)state;
	assert_true(layout.adjacent && layout.out_fortran);
	assert_int_equal(layout.lines, 6);
	assert_int_equal(layout.line_length, 1);
}

static void empty_axes(void **state)
{
	struct job first = over(1, 0, 0);
	struct layout layout = make(&first, C_ARRAY(0, 3));

	(void)state;
	assert_int_equal(layout.lines, 3);
	assert_int_equal(layout.line_length, 0);
	layout = make(&first, C_ARRAY(3, 0));
	assert_int_equal(layout.lines, 0);
}

static void refuse(const struct job *job, struct array_desc desc, const char *pointer)
{
	struct layout layout;
	struct error err = {0};

	assert_int_equal(layout_make(&layout, job, &desc, &err), STATUS_BAD_VALUE);
	assert_string_equal(err.pointer, pointer);
}

static void bad_axes(void **state)
{
	struct job far = over(1, 2, 0), twice = over(2, 1, -1), before = over(1, -3, 0);

	(void)state;
	refuse(&far, C_ARRAY(2, 2), "/axis");
	refuse(&before, C_ARRAY(2, 2), "/axis");
	refuse(&twice, C_ARRAY(2, 2), "/axis/1");
}

static void segments(void **state)
{
	int64_t good[] = {0, 2, 2, 6}, late[] = {1, 6}, falling[] = {0, 4, 3, 6};
	struct job job = {.kind = JOB_REDUCE, .has_segments = true, .segment_count = 3};
	struct layout layout;

	(void)state;
	job.offsets = good;
	layout = make(&job, C_ARRAY(6));
	assert_true(layout.segmented && layout.adjacent && !layout.buffered);
	assert_int_equal(layout.lines, 3);
	assert_true(make(&job, F_ARRAY(2, 3)).buffered);
	assert_false(make(&job, F_ARRAY(6, 1)).buffered);
	refuse(&job, C_ARRAY(7), "/segments");
	job.offsets = falling;
	refuse(&job, C_ARRAY(6), "/segments/2");
	job.offsets = late;
	job.segment_count = 1;
	refuse(&job, C_ARRAY(6), "/segments/0");
}

static void scans(void **state)
{
	struct job job = {.kind = JOB_SCAN};
	struct layout layout = make(&job, F_ARRAY(2, 3));

	(void)state;
	assert_true(layout.buffered);
	assert_int_equal(layout.out_ndim, 1);
	assert_int_equal(layout.out_shape[0], 6);
	job.has_axis = true;
	job.axis_count = 1;
	layout = make(&job, F_ARRAY(2, 3));
	assert_true(layout.adjacent && layout.out_fortran && !layout.buffered);
	assert_int_equal(layout.out_ndim, 2);
	job.axis_count = 2;
	job.axes[1] = 1;
	refuse(&job, C_ARRAY(2, 3), "/axis");
}

/* Both ways round, against the definition of the two orders. */
static void fortran_positions(void **state)
{
	struct array_desc desc = F_ARRAY(3, 4, 5);
	uint32_t stored[60], ordered[60];

	(void)state;
	desc.dtype = DTYPE_UINT32;
	for (uint32_t k = 0; k < 5; k++)
		for (uint32_t j = 0; j < 4; j++)
			for (uint32_t i = 0; i < 3; i++) {
				uint32_t position = i + 3 * (j + 4 * k),
					 index = (i * 4 + j) * 5 + k;

				assert_int_equal(layout_c_index(&desc, position), index);
				stored[position] = index;
			}
	gather_to_c(&desc, stored, ordered);
	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(ordered[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_array_is_one_adjacent_line),
		cmocka_unit_test(last_stored_axis_is_adjacent),
		cmocka_unit_test(axes_of_one_are_dropped),
		cmocka_unit_test(neighbours_merge),
		cmocka_unit_test(nothing_reduced_is_lines_of_one),
		cmocka_unit_test(empty_axes),
		cmocka_unit_test(bad_axes),
		cmocka_unit_test(segments),
		cmocka_unit_test(scans),
		cmocka_unit_test(fortran_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
