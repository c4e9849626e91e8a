#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "proto/number_list.h"
#include <cmocka.h>

static struct error err;

/* A list that must grow at once. */
static struct number_list list_of(const enum dtype *dtype)
{
	struct number_list list;

	assert_int_equal(number_list_init(&list, dtype, 1, &err), STATUS_OK);
	return list;
}

static enum status add(struct number_list *list, const char *text)
{
	struct literal literal;

	assert_true(literal_scan(&literal, text, text + strlen(text)));
	return number_list_add(list, &literal, &err);
}

static void add_all(struct number_list *list, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		assert_int_equal(add(list, *texts), STATUS_OK);
}

static void check_f64(const struct number_list *list, const double *values, uint64_t count)
{
	assert_int_equal(number_list_dtype(list), DTYPE_FLOAT64);
	assert_int_equal(list->count, count);
	assert_memory_equal(list->data, values, count * sizeof(*values));
}

/* int64, then uint64, then float64, by what comes. */
static void test_widening(void **state)
{
	static const char *const integers[] = {"1", "2", "9223372036854775808", NULL};
	static const double floats[] = {1, 2, 0x1p63, -3, 0.5};
	struct number_list list = list_of(NULL);

	(void)state;
	assert_int_equal(number_list_dtype(&list), DTYPE_FLOAT64);
	assert_int_equal(add(&list, "1"), STATUS_OK);
	assert_int_equal(number_list_dtype(&list), DTYPE_INT64);
	add_all(&list, integers + 1);
	assert_int_equal(number_list_dtype(&list), DTYPE_UINT64);
	assert_int_equal(add(&list, "-3"), STATUS_OK);
	assert_int_equal(add(&list, "0.5"), STATUS_OK);
	check_f64(&list, floats, 5);
	number_list_deinit(&list);
}

static uint64_t add_run(struct number_list *list, const char *text)
{
	return number_list_add_run(list, &text, text + strlen(text));
}

static void test_runs(void **state)
{
	static const enum dtype float64 = DTYPE_FLOAT64, float32 = DTYPE_FLOAT32;
	static const double floats[] = {0.5, 1.5, 2.5, 3.5};
	struct number_list list = list_of(NULL);

	(void)state;
	assert_int_equal(add_run(&list, "0.5,1.5"), 0); /* no type yet */
	assert_int_equal(add(&list, "0.5"), STATUS_OK);
	assert_int_equal(add_run(&list, "1.5,2.5"), 0); /* full */
	assert_int_equal(add(&list, "1.5"), STATUS_OK);
	assert_int_equal(add(&list, "2.5"), STATUS_OK);
	assert_int_equal(add_run(&list, "3.5,4.5"), 1); /* capacity is 4 */
	check_f64(&list, floats, 4);
	number_list_deinit(&list);

	list = list_of(&float64);
	assert_int_equal(add_run(&list, "0.5,1.5"), 1);
	check_f64(&list, floats, 1);
	number_list_deinit(&list);

	list = list_of(&float32);
	assert_int_equal(add_run(&list, "0.5,1.5"), 0);
	number_list_deinit(&list);
}

static void test_special(void **state)
{
	static const double floats[] = {-7, INFINITY};
	struct number_list list = list_of(NULL);

	(void)state;
	assert_int_equal(add(&list, "-7"), STATUS_OK);
	assert_int_equal(number_list_add_special(&list, INFINITY, &err), STATUS_OK);
	check_f64(&list, floats, 2);
	number_list_deinit(&list);
}

static void test_lost_sign(void **state)
{
	static const char *const texts[] = {"-0", "1.5", NULL};
	static const double floats[] = {-0.0, 1.5};
	struct number_list list = list_of(NULL);

	(void)state;
	assert_int_equal(add(&list, "-0"), STATUS_OK);
	assert_false(number_list_lost_sign(&list));
	assert_int_equal(add(&list, "1.5"), STATUS_OK);
	assert_true(number_list_lost_sign(&list));
	number_list_deinit(&list);

	list = list_of(NULL);
	list.floats = true;
	add_all(&list, texts);
	assert_false(number_list_lost_sign(&list));
	check_f64(&list, floats, 2);
	number_list_deinit(&list);
}

static void test_beyond_all(void **state)
{
	static const char *const before[] = {"1", "18446744073709551615", "1.5"};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct number_list list = list_of(NULL);

		assert_int_equal(add(&list, before[i]), STATUS_OK);
		assert_int_equal(add(&list, "18446744073709551616"), STATUS_BAD_VALUE);
		assert_int_equal(add(&list, "-9223372036854775809"), STATUS_BAD_VALUE);
		assert_string_equal(err.text, "-9223372036854775809 fits neither int64 nor uint64: "
					      "give a dtype");
		assert_int_equal(list.count, 1);
		number_list_deinit(&list);
	}
}

static void test_booleans(void **state)
{
	static const enum dtype boolean = DTYPE_BOOL, float32 = DTYPE_FLOAT32;
	struct number_list list = list_of(NULL);
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_int_equal(number_list_add_bool(&list, i % 3 == 0, &err), STATUS_OK);
	assert_int_equal(number_list_dtype(&list), DTYPE_BOOL);
	for (i = 0; i < 100; i++)
		assert_int_equal(list.data[i], i % 3 == 0);
	assert_int_equal(add(&list, "1"), STATUS_BAD_VALUE);
	assert_int_equal(number_list_add_special(&list, NAN, &err), STATUS_BAD_VALUE);
	number_list_deinit(&list);

	list = list_of(&boolean);
	assert_int_equal(add(&list, "1"), STATUS_OK);
	assert_int_equal(number_list_add_bool(&list, true, &err), STATUS_BAD_VALUE);
	number_list_deinit(&list);

	list = list_of(&boolean);
	assert_int_equal(number_list_add_bool(&list, true, &err), STATUS_OK);
	assert_int_equal(add(&list, "1"), STATUS_BAD_VALUE);
	number_list_deinit(&list);

	list = list_of(&float32);
	assert_int_equal(number_list_add_bool(&list, true, &err), STATUS_BAD_VALUE);
	assert_int_equal(number_list_add_special(&list, NAN, &err), STATUS_OK);
	assert_int_equal(list.element, 4);
	number_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widening),   cmocka_unit_test(test_runs),
		cmocka_unit_test(test_special),    cmocka_unit_test(test_lost_sign),
		cmocka_unit_test(test_beyond_all), cmocka_unit_test(test_booleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
