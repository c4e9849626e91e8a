/* free_job.cuh - one call of the free family, as its files hand it on.
 *
 * free.cu finds the file by accumulator; that file finds the policy by element
 * type, and free_fold() finds the kernels by shape.
 *
 * A *policy* is an object, a kernel's argument, that knows how elements become a
 * value:
 *   raw       storage of an element, an unsigned integer of 1, 2, 4 or 8 bytes
 *   state     what a thread keeps;  ending, as in free_value.cuh
 *   pair      elements have a y;  absolute: positions are those in the whole
 *             array, else those in the line
 *   x, y      the arrays;  end, the ending
 *   begin(state *), element(state *, raw x, raw y, position),
 *   close(const state &), the value
 *   vectors<N>(state *, const uint4 (&x)[N], const uint4 (&y)[N], position, step):
 *             N times 16 bytes of elements; the first of vector n has position
 *             position + n * step. A thread sees positions in ascending order.
 *   settle(state *, offset, threads, lanes): all lanes of a warp call it after the
 *             elements of a line: position k is element k + offset of x, `threads`
 *             read the line, of which `lanes` neighbours are in this warp */
#ifndef GPU_KERNELS_FREE_JOB_CUH
#define GPU_KERNELS_FREE_JOB_CUH

#include "gpu/kernels/launch.h"

struct free_job {
	const struct launch *launch;
	const struct elements *elements;
	const struct lines *lines; /* or NULL: */
	const struct grid *grid;
	const struct index_map *map; /* or NULL */
	void *values;
};

cudaError_t integer_sum(const struct free_job *job, bool absolute);
cudaError_t integer_square(const struct free_job *job);
cudaError_t integer_dot(const struct free_job *job);
cudaError_t integer_moments(const struct free_job *job);
cudaError_t integer_product(const struct free_job *job);
cudaError_t extreme_element(const struct free_job *job, enum accum accum);

/* accum: which value a count of nonzero elements is to be. ACCUM_TALLY; of
 * bools also ACCUM_INT_SUM, ACCUM_INT_MOMENTS. */
cudaError_t tally_nonzero(const struct free_job *job, enum accum accum);

/* Calls f with an element of the unsigned type that stores `dtype`. */
template <class F> cudaError_t with_storage(enum dtype dtype, F f)
{
	switch (dtype) {
	case DTYPE_BOOL:
	case DTYPE_INT8:
	case DTYPE_UINT8:
		return f(uint8_t{});
	case DTYPE_INT16:
	case DTYPE_UINT16:
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		return f(uint16_t{});
	case DTYPE_INT32:
	case DTYPE_UINT32:
	case DTYPE_FLOAT32:
		return f(uint32_t{});
	case DTYPE_INT64:
	case DTYPE_UINT64:
	case DTYPE_FLOAT64:
		return f(uint64_t{});
	default:
		return cudaErrorInvalidValue;
	}
}

static inline bool is_float_type(enum dtype dtype)
{
	return dtype >= DTYPE_FLOAT16;
}

static inline bool is_signed_type(enum dtype dtype)
{
	return dtype >= DTYPE_INT8 && dtype <= DTYPE_INT64;
}

/* The bits of infinity in a float type: a NaN's magnitude is above them. */
static inline uint64_t infinity_bits(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return 0x7c00u;
	case DTYPE_BFLOAT16:
		return 0x7f80u;
	case DTYPE_FLOAT32:
		return 0x7f800000u;
	default:
		return 0x7ff0000000000000u;
	}
}

#endif
