#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/simd.h"
#include "engine/engine.h"
#include "engine/limits.h"
#include <cmocka.h> /* last: it defines fail() */

static void levels_have_all_kernels(void **state)
{
	enum simd before = simd_current();

	(void)state;
	assert_true(simd_has(SIMD_PORTABLE));
	for (unsigned simd = 0; simd < SIMD_COUNT; simd++) {
		const struct kernels *kernels;

		if (!simd_has(simd))
			continue;
		simd_use(simd);
		assert_int_equal(simd_current(), simd);
		kernels = simd_kernels();
		for (unsigned other = 0; other < simd; other++)
			if (simd_has(other)) {
				simd_use(other);
				assert_ptr_not_equal(simd_kernels(), kernels);
			}
		assert_non_null(kernels->f64[ACCUM_SUM]);
		for (unsigned accum = 0; accum < ACCUM_COUNT; accum++) {
			const struct accum_class *class = kernels->f64[accum];

			if (class == NULL)
				continue;
			assert_int_equal(class->size, kernels_portable.f64[accum]->size);
			assert_true(class->work_end == NULL || class->work_size > 0);
		}
	}
	simd_use(before);
}

static enum status create(struct error *err)
{
	struct engine_config config = {.threads = 1};
	struct engine *engine = NULL;
	enum status status;

	limits_default(&config.limits);
	status = engine_create(&config, &engine, err);
	engine_destroy(engine);
	return status;
}

static void wrong_names_are_refused(void **state)
{
	static const char *const wrong[] = {"avx", "AVX2", "avx512 ", "none", "0"};
	struct error err;

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("FOLDD_SIMD", wrong[i], 1);
		assert_int_equal(create(&err), STATUS_BAD_VALUE);
		assert_non_null(strstr(err.text, wrong[i]));
		assert_non_null(strstr(err.text, "portable"));
	}
	setenv("FOLDD_SIMD", "portable", 1);
	assert_int_equal(create(&err), STATUS_OK);
	setenv("FOLDD_SIMD", "", 1);
	assert_int_equal(create(&err), STATUS_OK);
	unsetenv("FOLDD_SIMD");
	assert_int_equal(create(&err), STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_have_all_kernels),
		cmocka_unit_test(wrong_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
