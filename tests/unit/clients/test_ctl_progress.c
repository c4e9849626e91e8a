#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_progress.h"

static void check(uint64_t sent, int64_t total, uint64_t ns, const char *expected)
{
	char text[128];

	ctl_progress_format(text, sizeof(text), sent, total, ns);
	assert_string_equal(text, expected);
}

static void test_format(void **state)
{
	(void)state;
	check(0, 0, 0, "0 B, 0 B/s");
	check(999, 1000, 1000000000, "999 B of 1.00 kB, 99 %, 999 B/s");
	check(1500000000, 8000000000, 2000000000, "1.50 GB of 8.00 GB, 18 %, 750 MB/s");
	check(12340000, -1, 1000000000, "12.3 MB, 12.3 MB/s");
	check(999999, 999999, 1000000000, "1.00 MB of 1.00 MB, 100 %, 1.00 MB/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
