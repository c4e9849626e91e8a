/* bench_backend.c - whole jobs on the CUDA backend, from host memory to the result:
 * how near a large array comes to the copy over PCIe, and what a small one waits. */
#include "config.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "tests/unit/cpu/harness.h"

#define ROUNDS 9u

static struct engine *engine;

static void close_nothing(struct source *self)
{
	(void)self;
}

/* Median ns of one job over elements that stay where they are; 0: it failed. */
static uint64_t time_job(const char *op, enum determinism determinism, enum job_kind kind,
			 const float *x, uint64_t count)
{
	struct source source = {
		.desc = {.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {count}},
		.data = x,
		.close = close_nothing,
	};
	uint64_t times[ROUNDS];

	for (unsigned i = 0; i <= ROUNDS; i++) { /* the first one warms up */
		struct task *task = task_create();
		uint64_t begin = clock_ns(), took, at;

		if (task == NULL)
			return 0;
		task->job = harness_job(kind, op, determinism);
		task->job.backend = BACKEND_CUDA;
		task->x = &source;
		if (task_run(engine, task) != STATUS_OK) {
			fprintf(stderr, "%s: %s\n", op, task->error.text);
			task_destroy(task);
			return 0;
		}
		took = clock_ns() - begin;
		task_destroy(task);
		for (at = i == 0 ? 0 : i - 1; i > 0 && at > 0 && times[at - 1] > took; at--)
			times[at] = times[at - 1];
		times[at] = took;
	}
	return times[ROUNDS / 2];
}

/* Copies in alone, from page-locked memory: bytes a second. */
static double copy_rate(const void *x, uint64_t size)
{
	uint64_t least = UINT64_MAX;
	void *to;

	if (cudaMalloc(&to, size) != cudaSuccess)
		return 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_ns(), took;

		if (cudaMemcpy(to, x, size, cudaMemcpyHostToDevice) != cudaSuccess)
			return 0;
		took = clock_ns() - begin;
		least = took < least ? took : least;
	}
	cudaFree(to);
	return (double)size / (double)least;
}

static void large(const char *where, const float *x, uint64_t count, double ceiling)
{
	uint64_t ns = time_job("sum", DETERMINISM_ORDERED, JOB_REDUCE, x, count);
	double rate = ns > 0 ? (double)count * sizeof(*x) / (double)ns : 0;

	printf("sum of %5.0f MiB of float32, %-12s %9.3f ms %7.2f GB/s, %.3f of a copy\n",
	       (double)count * sizeof(*x) / (1 << 20), where, (double)ns * 1e-6, rate,
	       ceiling > 0 ? rate / ceiling : 0);
}

int main(void)
{
	const uint64_t most = 1ull << 28; /* 1 GiB */
	float *locked, *pageable = malloc(most * sizeof(float));
	struct backend_caps caps;
	double ceiling;

	engine = harness_engine(0);
	engine_backend_describe(engine, 0, &caps);
	if (strncmp(caps.name, "cuda:", 5) != 0)
		return 77;
	printf("%s: %s, launch %.1f us, read %.0f GB/s, in %.1f, out %.1f GB/s\n", caps.name,
	       caps.device, (double)caps.launch_ns * 1e-3, caps.bytes_per_second * 1e-9,
	       caps.in_bytes_per_second * 1e-9, caps.out_bytes_per_second * 1e-9);
	if (pageable == NULL ||
	    cudaHostAlloc((void **)&locked, most * sizeof(float), 0) != cudaSuccess)
		return EXIT_FAILURE;
	for (uint64_t i = 0; i < most; i++)
		pageable[i] = locked[i] = (float)(i & 1023);
	ceiling = copy_rate(locked, most * sizeof(float));
	printf("copy from page-locked memory: %.2f GB/s\n", ceiling);
	for (uint64_t count = 1ull << 20; count <= most; count <<= 4) {
		large("page-locked", locked, count, ceiling);
		large("pageable", pageable, count, ceiling);
	}
	for (unsigned log = 4; log <= 20; log += 4) {
		uint64_t count = 1ull << log;

		printf("2^%-2u float32, whole job: ordered sum %7.1f us, none %7.1f us, exact "
		       "%7.1f us, scan %8.1f us\n",
		       log,
		       (double)time_job("sum", DETERMINISM_ORDERED, JOB_REDUCE, pageable, count) *
			       1e-3,
		       (double)time_job("sum", DETERMINISM_NONE, JOB_REDUCE, pageable, count) *
			       1e-3,
		       (double)time_job("sum", DETERMINISM_EXACT, JOB_REDUCE, pageable, count) *
			       1e-3,
		       (double)time_job("sum", DETERMINISM_ORDERED, JOB_SCAN, pageable, count) *
			       1e-3);
	}
	cudaFreeHost(locked);
	free(pageable);
	engine_destroy(engine);
	return EXIT_SUCCESS;
}
