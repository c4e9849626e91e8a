/* launch.h - what the backend may ask of the kernels.
 *
 * A launch reads elements that lie in device memory and leaves, for each line,
 * the value of one accumulator: the structs of engine/accum.h, with the bits
 * that the CPU backend's accumulators have. Everything is asynchronous on the
 * launch's stream; errors of execution show at the next synchronisation.
 *
 * One family of kernels, one header line here, one or more .cu files:
 *   ordered_*.cu   ordered accumulators (float arithmetic, docs/orders.md)
 *   exact_*.cu     exact sums of floats
 *   integer_*.cu   sums, products and moments of integers
 *   extreme_*.cu   minima, maxima; tally_*.cu counts; nan_*.cu NaNs
 *   scan_*.cu      prefixes
 *
 * Indices are 64-bit throughout. Every pointer is to device memory and aligned
 * to its elements' size, and no more than that: a line may begin anywhere. */
#ifndef GPU_KERNELS_LAUNCH_H
#define GPU_KERNELS_LAUNCH_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/accum.h"
#include "engine/array.h"
#include "engine/job.h"
#include "engine/layout.h"

/* C linkage: the backend that calls these is C. */
#ifdef __cplusplus
extern "C" {
#endif

/* Counters that are 0 before and after every launch: who is last finds out. */
#define LAUNCH_TICKETS 8192u

struct launch {
	cudaStream_t stream;
	unsigned multiprocessors;
	uint32_t *tickets; /* LAUNCH_TICKETS of them, this launch's alone */
	void *scratch;     /* as many bytes as the family's _scratch() says, aligned
			    * to 256, with any content */
};

struct elements {
	const void *x, *y; /* y: the second array of a dot, or NULL */
	enum dtype dtype;
	bool omit; /* a NaN (of a pair: either) contributes the identity */
	double p;  /* ACCUM_POWER */
};

/* Lines whose elements are adjacent: the canonical order. */
struct lines {
	uint64_t lines;
	uint64_t length;        /* of each, when offsets is NULL */
	const int64_t *offsets; /* line i is elements offsets[i] .. offsets[i + 1] - 1;
				 * lines + 1 of them, never falling; the first
				 * need not be 0 (a part of a longer list) */
	uint64_t elements;      /* in all; with offsets, offsets[lines] */
};

/* Lines whose elements are not: the strided order. Element k of line
 * (o, i), 0 <= o < outer, 0 <= i < inner, is x[(o * length + k) * inner + i];
 * lines are numbered o * inner + i. */
struct columns {
	uint64_t outer, length, inner;
};

/* Lines of any layout: merged dimensions in stored order, kept and reduced ones
 * alternating (struct layout). For those with more than one reduced or more
 * than two kept dimensions; lines are numbered in stored order of the kept
 * dimensions, their elements in stored order of the reduced ones. */
struct grid {
	unsigned ndim;
	struct layout_dim dim[ARRAY_MAX_NDIM];
	uint64_t lines, length;
};

/* C order index of a stored position, of Fortran arrays reduced whole: indices
 * of extremes are C order indices. ndim 0: they are the same. */
struct index_map {
	unsigned ndim;
	uint64_t shape[ARRAY_MAX_NDIM]; /* as in the array's description */
};

/* --- ordered: ACCUM_SUM .. ACCUM_LOGSUM, of floats --------------------------- */

/* Bytes of scratch. */
size_t ordered_lines_scratch(enum accum accum, const struct lines *lines);
cudaError_t ordered_lines(const struct launch *launch, enum accum accum,
			  const struct elements *elements, const struct lines *lines, void *values);

size_t ordered_columns_scratch(enum accum accum, const struct columns *columns);
cudaError_t ordered_columns(const struct launch *launch, enum accum accum,
			    const struct elements *elements, const struct columns *columns,
			    void *values);

size_t ordered_grid_scratch(enum accum accum, const struct grid *grid);
cudaError_t ordered_grid(const struct launch *launch, enum accum accum,
			 const struct elements *elements, const struct grid *grid, void *values);

/* Any order: sum, abs, square, dot of the elements of one line, one kernel,
 * atomic additions across blocks. value is a double. */
cudaError_t atomic_sum(const struct launch *launch, enum accum accum,
		       const struct elements *elements, uint64_t count, void *value);

/* Many accumulators of one line from one reading, each with the bits that it has
 * alone. mask: 1 << accum of those of ORDERED_FAMILY; only their members of
 * *values become known. Indices of extremes are stored positions. */
#define ORDERED_FAMILY                                                                 \
	(1u << ACCUM_SUM | 1u << ACCUM_ABS | 1u << ACCUM_SQUARE | 1u << ACCUM_SCALED | \
	 1u << ACCUM_MOMENTS | 1u << ACCUM_MIN | 1u << ACCUM_MAX)

struct ordered_family_values {
	double sum, abs, square;
	struct scaled_squares scaled;
	struct moments moments;
	struct extreme min, max;
};

size_t ordered_family_scratch(unsigned mask, uint64_t count);
cudaError_t ordered_family(const struct launch *launch, unsigned mask,
			   const struct elements *elements, uint64_t count,
			   struct ordered_family_values *values);

/* --- exact: ACCUM_EXACT_SUM .. ACCUM_EXACT_MOMENTS, of floats ------------------
 *
 * The part of `free` below that is sums of floats. Values are not normalised. */

size_t exact_lines_scratch(enum accum accum, const struct lines *lines);
cudaError_t exact_lines(const struct launch *launch, enum accum accum,
			const struct elements *elements, const struct lines *lines, void *values);

/* The sums alone, each rounded once to an element of type `to`, as exactsum_round()
 * has it; not of ACCUM_EXACT_MOMENTS. Scratch as for exact_lines(). */
cudaError_t exact_lines_round(const struct launch *launch, enum accum accum,
			      const struct elements *elements, const struct lines *lines,
			      enum dtype to, void *out);

size_t exact_grid_scratch(enum accum accum, const struct grid *grid);
cudaError_t exact_grid(const struct launch *launch, enum accum accum,
		       const struct elements *elements, const struct grid *grid, void *values);

/* --- free: everything else, of any layout -------------------------------------
 *
 * `domain` is that of the elements' type. ACCUM_EXACT_* values are not normalised;
 * whoever merges or rounds them does that. */

size_t free_lines_scratch(enum accum accum, enum domain domain, const struct lines *lines);
cudaError_t free_lines(const struct launch *launch, enum accum accum, enum domain domain,
		       const struct elements *elements, const struct lines *lines,
		       const struct index_map *map, void *values);

size_t free_grid_scratch(enum accum accum, enum domain domain, const struct grid *grid);
cudaError_t free_grid(const struct launch *launch, enum accum accum, enum domain domain,
		      const struct elements *elements, const struct grid *grid, void *values);

/* --- NaNs of each line: how many (of pairs with one), and the first ------------ */

struct nan_found {
	uint64_t count;
	uint64_t first; /* stored position in the whole array; UINT64_MAX: none */
};

cudaError_t nan_lines(const struct launch *launch, const struct elements *elements,
		      const struct lines *lines, struct nan_found *found);
cudaError_t nan_grid(const struct launch *launch, const struct elements *elements,
		     const struct grid *grid, struct nan_found *found);

/* The lowest C order index of a NaN in the whole array, UINT64_MAX: none. */
cudaError_t nan_first(const struct launch *launch, const struct elements *elements, uint64_t count,
		      const struct index_map *map, uint64_t *first);

/* --- scans ------------------------------------------------------------------- */

struct scan_job {
	enum op op;         /* one that op_scans() */
	enum domain domain; /* of the elements; OP_LOGSUMEXP: DOMAIN_F64 */
	enum dtype input, result;
	bool exact; /* OP_SUM of floats: each prefix rounded once */
	bool omit, exclusive;
	enum overflow_rule overflow;
};

/* Whether the kernels serve it: all but exact sums of floats, products of
 * integers, and integers to floats. */
bool scan_served(const struct scan_job *job);

/* out: one prefix of type job->result for each element, in its place; a NaN is
 * the positive quiet one. *overflow becomes the lowest stored position of a
 * prefix out of range under OVERFLOW_ERROR, else UINT64_MAX. */
size_t scan_lines_scratch(const struct scan_job *job, const struct lines *lines);
cudaError_t scan_lines(const struct launch *launch, const struct scan_job *job, const void *x,
		       const struct lines *lines, void *out, uint64_t *overflow);

size_t scan_columns_scratch(const struct scan_job *job, const struct columns *columns);
cudaError_t scan_columns(const struct launch *launch, const struct scan_job *job, const void *x,
			 const struct columns *columns, void *out, uint64_t *overflow);

/* Integers and bool as the binary64 nearest to each (ties to even): what the
 * ordered accumulators and scans of integers (lp, logsumexp) are of. */
cudaError_t widen_to_f64(const struct launch *launch, const void *x, enum dtype dtype,
			 uint64_t count, double *out);

#ifdef __cplusplus
}
#endif

#endif
