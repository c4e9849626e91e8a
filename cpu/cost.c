#include "config.h"
#include "cpu/cost.h"

#include <stdlib.h>
#include "cpu/backend.h"
#include "engine/clock.h"

#define MEASURE_BYTES (16u << 20) /* beyond the second level cache */
#define MEASURE_ROUNDS 3u         /* the fastest counts */

/* Time one sum of count float32, from opening to closing. */
static enum status time_sum(struct backend *self, const float *x, uint64_t count, uint64_t *out,
			    struct error *err)
{
	const struct spool_config config = {.memory = 64, .limit = 64};
	const struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = 1, .shape = {count}};
	struct job job = {.op_count = 1, .determinism = DETERMINISM_ORDERED};
	struct result *result = result_create(1);
	struct stream *stream = NULL;
	struct limits limits;
	struct plan *plan = malloc(sizeof(*plan));
	uint64_t begin = clock_ns();
	enum status status;

	if (plan == NULL || result == NULL) {
		free(plan);
		result_destroy(result);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to measure the CPU");
	}
	result->op_count = 1;
	limits_default(&limits);
	status = op_parse("sum", &job.ops[0].spec, err);
	if (status == STATUS_OK)
		status = plan_make(plan, &job, &desc, NULL, &limits, err);
	result->ops[0].data = spool_create(&config);
	if (status == STATUS_OK && result->ops[0].data == NULL)
		status = fail(err, STATUS_OUT_OF_MEMORY, "no memory to measure the CPU");
	if (status == STATUS_OK)
		status = cpu_stream_open(self, plan, result, &stream, err);
	if (status == STATUS_OK)
		status = cpu_stream_feed(stream, x, NULL, count, err);
	if (status == STATUS_OK)
		status = cpu_stream_finish(stream, err);
	cpu_stream_close(stream);
	result_destroy(result);
	free(plan);
	*out = clock_ns() - begin;
	return status;
}

enum status cost_measure(struct backend *self, struct backend_caps *caps, struct error *err)
{
	uint64_t count = MEASURE_BYTES / sizeof(float);
	float *x = malloc(MEASURE_BYTES);
	uint64_t launch = UINT64_MAX, read = UINT64_MAX;
	enum status status = STATUS_OK;

	if (x == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to measure the CPU");
	for (uint64_t i = 0; i < count; i++)
		x[i] = (float)(i & 1023);
	for (unsigned i = 0; i < MEASURE_ROUNDS && status == STATUS_OK; i++) {
		uint64_t small, large;

		status = time_sum(self, x, 16, &small, err);
		if (status == STATUS_OK)
			status = time_sum(self, x, count, &large, err);
		if (status == STATUS_OK) {
			launch = small < launch ? small : launch;
			read = large < read ? large : read;
		}
	}
	free(x);
	if (status != STATUS_OK)
		return status;
	caps->launch_ns = launch > 0 ? launch : 1;
	caps->bytes_per_second = (double)MEASURE_BYTES * 1e9 / (double)(read > 0 ? read : 1);
	return STATUS_OK;
}

/* Quarters of the time of an element of a float32 sum: reading, widening and
 * converting are BASE of them, each accumulator adds its own. Rounded from one
 * run over 2^18 elements (AVX-512, 2026-12-01), of ordinary data where that
 * matters; a scan's is that of an ordered one. Only the size matters: the figure
 * decides who computes a job, never what comes out. */
#define BASE 3u
#define STRIDED_FACTOR 2u
#define SCAN_FACTOR 24u

static uint64_t weight(enum accum accum)
{
	switch (accum) {
	case ACCUM_POWER:
		return 2000;
	case ACCUM_LOGSUM:
		return 50;
	case ACCUM_EXACT_MOMENTS:
		return 7;
	case ACCUM_EXACT_SQUARE:
	case ACCUM_EXACT_DOT:
		return 5;
	case ACCUM_MOMENTS:
		return 3;
	case ACCUM_SCALED:
	case ACCUM_EXACT_SUM:
	case ACCUM_EXACT_ABS:
		return 2;
	default:
		return 1;
	}
}

uint64_t cost_estimate(const struct backend_caps *caps, const struct plan *plan, uint64_t count)
{
	double element_ns = sizeof(float) * 1e9 / caps->bytes_per_second;
	uint64_t quarters = BASE;
	double ns;

	if (count == ARRAY_UNKNOWN)
		return UINT64_MAX / 2;
	for (unsigned i = 0; i < plan->accum_count; i++)
		quarters += weight(plan->accums[i].accum);
	if (!plan->layout.adjacent)
		quarters *= STRIDED_FACTOR;
	if (plan->job->kind == JOB_SCAN)
		quarters *= SCAN_FACTOR;
	ns = (double)count * (double)quarters / 4 * element_ns + (double)caps->launch_ns;
	if (plan->layout.lines != ARRAY_UNKNOWN)
		ns += (double)plan->layout.lines * (double)plan->op_count * 100;
	return ns < (double)(UINT64_MAX / 2) ? (uint64_t)ns : UINT64_MAX / 2;
}
