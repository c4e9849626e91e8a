#include "config.h"
#include "tests/gpu/has_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_SKIPPED 77 /* of Automake's tests */

bool has_device(const struct engine *engine)
{
	for (unsigned i = 0; i < engine_absent_count(engine); i++)
		fprintf(stderr, "no %s: %s\n", engine_absent(engine, i)->name,
			engine_absent(engine, i)->why);
	for (unsigned i = 0; i < engine_backend_count(engine); i++) {
		struct backend_caps caps;

		engine_backend_describe(engine, i, &caps);
		if (strncmp(caps.name, "cuda:", 5) == 0)
			return true;
	}
	return false;
}

int no_device(void)
{
	return getenv("FOLDD_REQUIRE_GPU") != NULL ? EXIT_FAILURE : EXIT_SKIPPED;
}
