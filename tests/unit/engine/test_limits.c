#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/limits.h"

/* The numbers that docs and foldd.conf promise. */
static void test_defaults(void **state)
{
	struct limits limits;

	(void)state;
	limits_default(&limits);
	assert_int_equal(limits.body, 0);
	assert_int_equal(limits.json, 268435456);
	assert_int_equal(limits.depth, 32);
	assert_int_equal(limits.jobs, 10000);
	assert_int_equal(limits.state, 1073741824);
	assert_int_equal(limits.spool, 68719476736);
	assert_int_equal(limits.json_elements, 4000000);
	assert_int_equal(limits.inline_ns, 200000);
	assert_int_equal(limits.queue_jobs, 1024);
	assert_int_equal(limits.timeout_ms, 0);
	assert_int_equal(limits.files, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
