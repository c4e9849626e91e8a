#include "config.h"

#include "gpu/probe.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define EXIT_SKIPPED 77 /* Automake's word for a test that could not run */

static void every_device_is_described(void **state)
{
	unsigned count = 0, device;
	struct error err = {0};

	(void)state;
	assert_int_equal(probe_count(&count, &err), STATUS_OK);
	assert_true(count >= 1);
	for (device = 0; device < count; device++) {
		struct probe_device found = {.name = ""};

		assert_int_equal(probe_describe(device, &found, &err), STATUS_OK);
		assert_true(found.name[0] != '\0');
		assert_true(found.memory > 0);
		assert_true(found.major >= 1);
		assert_true(found.multiprocessors >= 1);
		print_message("device %u: %s, %" PRIu64 " bytes, compute capability %u.%u\n",
			      device, found.name, found.memory, found.major, found.minor);
	}
}

static void every_device_computes(void **state)
{
	unsigned count = 0, device;
	struct error err = {0};

	(void)state;
	assert_int_equal(probe_count(&count, &err), STATUS_OK);
	for (device = 0; device < count; device++) {
		if (probe_compute(device, &err) != STATUS_OK)
			fail_msg("%s", err.text);
	}
}

static void a_missing_device_is_named(void **state)
{
	unsigned count = 0;
	struct error err = {0};
	struct probe_device found = {.name = "untouched"};

	(void)state;
	assert_int_equal(probe_count(&count, &err), STATUS_OK);
	assert_int_equal(probe_describe(count, &found, &err), STATUS_BACKEND_UNAVAILABLE);
	assert_string_equal(found.name, "untouched");
	assert_true(err.text[0] != '\0');
	assert_int_equal(probe_compute(count, &err), STATUS_BACKEND_UNAVAILABLE);
	/* A failed call leaves nothing behind that a later one trips over. */
	assert_int_equal(probe_compute(0, &err), STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_device_is_described),
		cmocka_unit_test(every_device_computes),
		cmocka_unit_test(a_missing_device_is_named),
	};
	struct error err = {0};
	unsigned count = 0;

	if (probe_count(&count, &err) != STATUS_OK) {
		/* What a machine without a device must still get right. */
		if (err.status != STATUS_BACKEND_UNAVAILABLE || err.text[0] == '\0') {
			fprintf(stderr, "no device, but no reason either\n");
			return EXIT_FAILURE;
		}
		fprintf(stderr, "skipped: %s\n", err.text);
		return getenv("FOLDD_REQUIRE_GPU") != NULL ? EXIT_FAILURE : EXIT_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
