#include "config.h"
#include "cpu/simd.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_X86_KERNELS
#include <cpuid.h>
#endif

static const struct {
	const char *name;
	const struct kernels *kernels;
} levels[SIMD_COUNT] = {
	[SIMD_PORTABLE] = {"portable", &kernels_portable},
#ifdef HAVE_X86_KERNELS
	[SIMD_X86_64_V2] = {"x86_64_v2", &kernels_x86_64_v2},
	[SIMD_AVX2] = {"avx2", &kernels_avx2},
	[SIMD_AVX512] = {"avx512", &kernels_avx512},
#else
	[SIMD_X86_64_V2] = {"x86_64_v2", NULL},
	[SIMD_AVX2] = {"avx2", NULL},
	[SIMD_AVX512] = {"avx512", NULL},
#endif
};

static atomic_int current = -1; /* enum simd; -1: not yet looked for */

const char *simd_name(enum simd simd)
{
	return levels[simd].name;
}

#ifdef HAVE_X86_KERNELS
/* What __builtin_cpu_supports() has no name for in all compilers. */
static bool has_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

static bool processor_has(enum simd simd)
{
	switch (simd) {
	case SIMD_X86_64_V2:
		return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
	case SIMD_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
		       has_f16c();
	case SIMD_AVX512:
		return processor_has(SIMD_AVX2) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	default:
		return true;
	}
}
#else
static bool processor_has(enum simd simd)
{
	(void)simd;
	return true;
}
#endif

bool simd_has(enum simd simd)
{
	return levels[simd].kernels != NULL && processor_has(simd);
}

static enum simd best(void)
{
	unsigned simd = SIMD_COUNT - 1;

	while (!simd_has(simd))
		simd--;
	return simd;
}

/* What FOLDD_SIMD names; SIMD_COUNT: nothing that is there. */
static enum simd wanted(void)
{
	const char *name = getenv("FOLDD_SIMD");
	unsigned simd;

	if (name == NULL || *name == '\0')
		return best();
	for (simd = 0; simd < SIMD_COUNT; simd++)
		if (strcmp(name, levels[simd].name) == 0 && simd_has(simd))
			break;
	return simd;
}

enum simd simd_current(void)
{
	int simd = atomic_load_explicit(&current, memory_order_relaxed);

	if (simd < 0) {
		simd = (int)wanted();
		if (simd == SIMD_COUNT)
			simd = (int)best();
		atomic_store_explicit(&current, simd, memory_order_relaxed);
	}
	return (enum simd)simd;
}

const struct kernels *simd_kernels(void)
{
	return levels[simd_current()].kernels;
}

void simd_use(enum simd simd)
{
	assert(simd_has(simd));
	atomic_store_explicit(&current, (int)simd, memory_order_relaxed);
}

enum status simd_check(struct error *err)
{
	char list[64] = "";

	if (wanted() != SIMD_COUNT)
		return STATUS_OK;
	for (unsigned simd = 0; simd < SIMD_COUNT; simd++)
		if (simd_has(simd))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s",
				 levels[simd].name);
	return fail(err, STATUS_BAD_VALUE, "FOLDD_SIMD is %s; this machine has%s",
		    getenv("FOLDD_SIMD"), list);
}
