#include "config.h"

#include "gpu/probe.h"

#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

/* A tile of four elements a thread, the shape later kernels have. */
constexpr unsigned THREADS = 256;
constexpr unsigned COUNT = 4 * THREADS;

/* What one block computes; the host knows each value. */
struct answers {
	double sum;
	double square_minus; /* (1 + 2^-30)^2 - (1 + 2^-29), rounded twice: 0 */
	double subnormal;    /* 2^-1022 / 2 */
	float subnormal_f;   /* 2^-126 / 2 */
	float third;         /* 1 / 3 */
};

struct questions {
	double x, minus, smallest, half;
	float smallest_f, half_f, one_f, three_f;
	double element[COUNT];
};

__global__ void answer(const struct questions *in, struct answers *out)
{
	using reduce = cub::BlockReduce<double, THREADS>;
	__shared__ typename reduce::TempStorage storage;
	double mine = 0.0;

	for (unsigned i = threadIdx.x; i < COUNT; i += THREADS)
		mine += in->element[i];

	double sum = reduce(storage).Sum(mine);

	if (threadIdx.x != 0)
		return;
	out->sum = sum;
	out->square_minus = in->x * in->x + in->minus;
	out->subnormal = in->smallest * in->half;
	out->subnormal_f = in->smallest_f * in->half_f;
	out->third = in->one_f / in->three_f;
}

/* Also takes the error off the runtime's record, so that it is not reported
 * again by a later call. */
static enum status unavailable(struct error *err, const char *what, unsigned device,
			       cudaError_t code)
{
	(void)cudaGetLastError();
	return fail(err, STATUS_BACKEND_UNAVAILABLE, "CUDA device %u: %s: %s (%s)", device, what,
		    cudaGetErrorString(code), cudaGetErrorName(code));
}

enum status probe_count(unsigned *out, struct error *err)
{
	int count = 0;
	cudaError_t code = cudaGetDeviceCount(&count);

	if (code != cudaSuccess) {
		(void)cudaGetLastError();
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "no CUDA device: %s (%s)",
			    cudaGetErrorString(code), cudaGetErrorName(code));
	}
	if (count < 1)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "no CUDA device");
	*out = (unsigned)count;
	return STATUS_OK;
}

enum status probe_describe(unsigned device, struct probe_device *out, struct error *err)
{
	struct cudaDeviceProp found;
	cudaError_t code = cudaGetDeviceProperties(&found, (int)device);

	if (code != cudaSuccess)
		return unavailable(err, "cannot be described", device, code);
	snprintf(out->name, sizeof(out->name), "%s", found.name);
	out->memory = found.totalGlobalMem;
	out->major = (unsigned)found.major;
	out->minor = (unsigned)found.minor;
	out->multiprocessors = (unsigned)found.multiProcessorCount;
	return STATUS_OK;
}

static void ask(struct questions *out)
{
	out->x = 1.0 + 0x1p-30;
	out->minus = -(1.0 + 0x1p-29);
	out->smallest = 0x1p-1022;
	out->half = 0.5;
	out->smallest_f = 0x1p-126f;
	out->half_f = 0.5f;
	out->one_f = 1.0f;
	out->three_f = 3.0f;
	for (unsigned i = 0; i < COUNT; i++)
		out->element[i] = i;
}

static enum status compare(unsigned device, const struct answers *got, struct error *err)
{
	/* Integers far below 2^53: exact in any order. */
	const double sum = 0.5 * COUNT * (COUNT - 1);

	if (got->sum != sum)
		return fail(err, STATUS_BACKEND_UNAVAILABLE,
			    "CUDA device %u summed 0..%u to %.17g instead of %.17g", device,
			    COUNT - 1, got->sum, sum);
	if (got->square_minus != 0.0)
		return fail(err, STATUS_BACKEND_UNAVAILABLE,
			    "CUDA device %u contracts products and sums", device);
	if (got->subnormal != 0x1p-1023 || got->subnormal_f != 0x1p-127f)
		return fail(err, STATUS_BACKEND_UNAVAILABLE,
			    "CUDA device %u flushes subnormal numbers to zero", device);
	if (got->third != 0x1.555556p-2f)
		return fail(err, STATUS_BACKEND_UNAVAILABLE,
			    "CUDA device %u does not round quotients correctly", device);
	return STATUS_OK;
}

enum status probe_compute(unsigned device, struct error *err)
{
	struct questions questions;
	struct answers answers = {};
	struct questions *d_questions = nullptr;
	struct answers *d_answers = nullptr;
	enum status status = STATUS_OK;
	cudaError_t code = cudaSetDevice((int)device);

	if (code != cudaSuccess)
		return unavailable(err, "cannot be used", device, code);
	ask(&questions);
	code = cudaMalloc(&d_questions, sizeof(questions));
	if (code == cudaSuccess)
		code = cudaMalloc(&d_answers, sizeof(answers));
	if (code != cudaSuccess) {
		status = unavailable(err, "no memory", device, code);
		goto free_memory;
	}
	code = cudaMemcpy(d_questions, &questions, sizeof(questions), cudaMemcpyHostToDevice);
	if (code != cudaSuccess) {
		status = unavailable(err, "takes no data", device, code);
		goto free_memory;
	}
	answer<<<1, THREADS>>>(d_questions, d_answers);
	code = cudaGetLastError();
	if (code == cudaSuccess)
		code = cudaMemcpy(&answers, d_answers, sizeof(answers), cudaMemcpyDeviceToHost);
	if (code == cudaSuccess)
		status = compare(device, &answers, err);
	else
		status = unavailable(err, "does not compute", device, code);

free_memory:
	(void)cudaFree(d_answers);
	(void)cudaFree(d_questions);
	return status;
}
