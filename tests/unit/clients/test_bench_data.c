#include "config.h"
#include "clients/bench_data.h" /* before cmocka.h, whose macro fail() hides ours */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The facts that come with the data, from the elements themselves. */
static void check(enum dtype dtype, uint64_t count)
{
	struct bench_data data;
	double sum = 0, max = -1e300, squares = 0, deviations = 0;

	assert_true(bench_data_init(&data, dtype, count));
	for (uint64_t i = 0; i < count; i++) {
		double x = dtype == DTYPE_FLOAT32 ? (double)((const float *)data.elements)[i]
						  : ((const double *)data.elements)[i];

		sum += x;
		max = x > max ? x : max;
		squares += x * x;
	}
	for (uint64_t i = 0; i < count; i++) {
		double x = dtype == DTYPE_FLOAT32 ? (double)((const float *)data.elements)[i]
						  : ((const double *)data.elements)[i];

		deviations += (x - sum / (double)count) * (x - sum / (double)count);
	}
	assert_true(sum == data.sum);
	assert_true(max == data.max);
	assert_true(squares - data.l2 * data.l2 < 1e-12 * squares);
	assert_true(data.l2 * data.l2 - squares < 1e-12 * squares);
	assert_true(deviations - data.var * (double)count <= 1e-10 * squares);
	assert_true(data.var * (double)count - deviations <= 1e-10 * squares);
	bench_data_deinit(&data);
}

static void test_facts(void **state)
{
	static const uint64_t counts[] = {1, 2, 15, 16, 17, 1000, 100001};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		check(DTYPE_FLOAT32, counts[i]);
		check(DTYPE_FLOAT64, counts[i]);
	}
}

static void test_source(void **state)
{
	struct bench_data data;
	struct source *source;
	double sum = 0;

	(void)state;
	assert_true(bench_data_init(&data, DTYPE_FLOAT64, 10));
	source = bench_data_source(&data);
	assert_non_null(source);
	assert_ptr_equal(source->data, data.elements);
	assert_int_equal(source->desc.ndim, 1);
	assert_true(source->desc.shape[0] == 10);
	source_close(source);
	/* Still there. */
	for (unsigned i = 0; i < 10; i++)
		sum += ((const double *)data.elements)[i];
	assert_true(sum == data.sum);
	bench_data_deinit(&data);
}

static void test_too_many(void **state)
{
	struct bench_data data;

	(void)state;
	assert_false(bench_data_init(&data, DTYPE_FLOAT64, UINT64_MAX / 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
