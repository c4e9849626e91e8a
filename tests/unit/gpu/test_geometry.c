#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "gpu/geometry.h"

/* The plan of a reduction of this shape over the axes of a bit mask. */
static struct plan plan_of(struct job *job, unsigned ndim, const uint64_t *shape, unsigned axes)
{
	struct plan plan = {.job = job, .input = {.dtype = DTYPE_FLOAT32, .ndim = ndim}};

	memcpy(plan.input.shape, shape, ndim * sizeof(*shape));
	job->has_axis = true;
	job->axis_count = 0;
	for (unsigned i = 0; i < ndim; i++)
		if ((axes >> i & 1) != 0)
			job->axes[job->axis_count++] = i;
	assert_int_equal(layout_make(&plan.layout, job, &plan.input, NULL), STATUS_OK);
	return plan;
}

static void kinds(void **state)
{
	const uint64_t shape[] = {5, 7, 3, 2};
	struct job job = {.op_count = 1};
	struct geometry g;
	struct plan plan = plan_of(&job, 4, shape, 8); /* the last axis */

	(void)state;
	geometry_make(&g, &plan, 210, NULL);
	assert_int_equal(g.kind, GEOMETRY_LINES);
	assert_int_equal(g.as.lines.lines, 105);
	assert_int_equal(g.as.lines.length, 2);
	assert_int_equal(g.as.lines.elements, 210);

	plan = plan_of(&job, 4, shape, 1); /* the first */
	geometry_make(&g, &plan, 210, NULL);
	assert_int_equal(g.kind, GEOMETRY_COLUMNS);
	assert_int_equal(g.as.columns.outer, 1);
	assert_int_equal(g.as.columns.length, 5);
	assert_int_equal(g.as.columns.inner, 42);
	assert_int_equal(g.step, 42);

	plan = plan_of(&job, 4, shape, 6); /* those between */
	geometry_make(&g, &plan, 210, NULL);
	assert_int_equal(g.kind, GEOMETRY_COLUMNS);
	assert_int_equal(g.as.columns.outer, 5);
	assert_int_equal(g.as.columns.length, 21);
	assert_int_equal(g.as.columns.inner, 2);
	assert_int_equal(geometry_grid(&g).ndim, 3);

	plan = plan_of(&job, 4, shape, 5); /* every other one */
	geometry_make(&g, &plan, 210, NULL);
	assert_int_equal(g.kind, GEOMETRY_GRID);
	assert_int_equal(g.as.grid.ndim, 4);
	assert_int_equal(g.as.grid.lines, 14);
	assert_int_equal(g.as.grid.length, 15);
	assert_int_equal(g.step, 14); /* the first is reduced: no part is less */
}

static void parts(void **state)
{
	const uint64_t shape[] = {5, 7, 3, 2};
	struct job job = {.op_count = 1};
	struct plan plan = plan_of(&job, 4, shape, 10);
	struct geometry g, part;
	uint64_t skip;

	(void)state;
	geometry_make(&g, &plan, 210, NULL);
	assert_int_equal(g.kind, GEOMETRY_GRID);
	assert_int_equal(g.step, 3);
	geometry_part(&g, 6, 9, &part, &skip);
	assert_int_equal(skip, 84);
	assert_int_equal(part.as.grid.dim[0].length, 3);
	assert_int_equal(part.as.grid.lines, 9);

	plan = plan_of(&job, 4, shape, 2);
	geometry_make(&g, &plan, 210, NULL);
	geometry_part(&g, 12, 6, &part, &skip);
	assert_int_equal(skip, 84);
	assert_int_equal(part.as.columns.outer, 1);

	plan = plan_of(&job, 4, shape, 8);
	geometry_make(&g, &plan, 210, NULL);
	geometry_part(&g, 100, 5, &part, &skip);
	assert_int_equal(skip, 200);
	assert_int_equal(part.as.lines.lines, 5);
	assert_int_equal(part.as.lines.elements, 10);
}

static void segments(void **state)
{
	int64_t offsets[] = {0, 0, 4, 4, 9, 10};
	struct job job = {
		.op_count = 1, .has_segments = true, .segment_count = 5, .offsets = offsets};
	struct plan plan = {.job = &job,
			    .input = {.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {10}}};
	struct geometry g, part;
	uint64_t skip;

	(void)state;
	assert_int_equal(layout_make(&plan.layout, &job, &plan.input, NULL), STATUS_OK);
	geometry_make(&g, &plan, 10, offsets);
	assert_int_equal(geometry_line_length(&g, 0), 0);
	assert_int_equal(geometry_line_length(&g, 3), 5);
	/* Empty segments end before the element that follows them. */
	assert_int_equal(geometry_lines_before(&g, 0), 1);
	assert_int_equal(geometry_lines_before(&g, 3), 1);
	assert_int_equal(geometry_lines_before(&g, 4), 3);
	assert_int_equal(geometry_lines_before(&g, 9), 4);
	geometry_part(&g, 3, 2, &part, &skip);
	assert_int_equal(skip, 0);
	assert_ptr_equal(part.as.lines.offsets, offsets + 3);
	assert_int_equal(part.as.lines.elements, 10);
	assert_int_equal(geometry_line_length(&part, 1), 1);
}

/* One of the two numbers of a stream is known at its end only. */
static void streams(void **state)
{
	const uint64_t shape[] = {ARRAY_UNKNOWN};
	struct job job = {.op_count = 1};
	struct plan plan = plan_of(&job, 1, shape, 1);
	struct geometry g;

	(void)state;
	geometry_make(&g, &plan, 1000, NULL);
	assert_int_equal(g.count, 1);
	assert_int_equal(g.length, 1000);
	plan = plan_of(&job, 1, shape, 0);
	geometry_make(&g, &plan, 1000, NULL);
	assert_int_equal(g.count, 1000);
	assert_int_equal(g.length, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(parts),
		cmocka_unit_test(segments),
		cmocka_unit_test(streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
