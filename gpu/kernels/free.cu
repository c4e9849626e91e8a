/* free.cu - free accumulators: which file serves which. */
#include "gpu/kernels/free_job.cuh"
#include "gpu/kernels/free_fold.cuh"
#include "gpu/kernels/launch.h"

static bool is_exact(enum accum accum)
{
	return accum >= ACCUM_EXACT_SUM && accum <= ACCUM_EXACT_MOMENTS;
}

/* Bytes of the values that parts of lines leave in scratch. */
static size_t part_size(enum accum accum)
{
	switch (accum) {
	case ACCUM_INT_SUM:
	case ACCUM_INT_ABS:
	case ACCUM_INT_SQUARE:
	case ACCUM_INT_DOT:
		return sizeof(struct int192);
	case ACCUM_INT_PROD:
		return sizeof(struct intprod);
	case ACCUM_INT_MOMENTS:
		return sizeof(struct int_moments);
	default: /* extremes: a key and an index; tallies have less */
		return 2 * sizeof(uint64_t);
	}
}

static cudaError_t fold(const struct free_job *job, enum accum accum, enum domain domain)
{
	const bool is_bool = job->elements->dtype == DTYPE_BOOL;

	if (accum >= ACCUM_INT_SUM && accum <= ACCUM_INT_MOMENTS && domain == DOMAIN_F64)
		return cudaErrorInvalidValue;
	switch (accum) {
	case ACCUM_INT_SUM:
		return is_bool ? tally_nonzero(job, ACCUM_INT_SUM) : integer_sum(job, false);
	case ACCUM_INT_ABS:
		return is_bool ? tally_nonzero(job, ACCUM_INT_SUM) : integer_sum(job, true);
	case ACCUM_INT_SQUARE:
		return is_bool ? tally_nonzero(job, ACCUM_INT_SUM) : integer_square(job);
	case ACCUM_INT_DOT:
		return integer_dot(job);
	case ACCUM_INT_PROD:
		return integer_product(job);
	case ACCUM_INT_MOMENTS:
		return is_bool ? tally_nonzero(job, ACCUM_INT_MOMENTS) : integer_moments(job);
	case ACCUM_MIN:
	case ACCUM_MAX:
	case ACCUM_MAX_ABS:
		return extreme_element(job, accum);
	case ACCUM_TALLY:
		return tally_nonzero(job, ACCUM_TALLY);
	default:
		return cudaErrorInvalidValue;
	}
}

size_t free_lines_scratch(enum accum accum, enum domain domain, const struct lines *lines)
{
	(void)domain;
	if (is_exact(accum))
		return exact_lines_scratch(accum, lines);
	return line_parts_bytes(lines, part_size(accum));
}

cudaError_t free_lines(const struct launch *launch, enum accum accum, enum domain domain,
		       const struct elements *elements, const struct lines *lines,
		       const struct index_map *map, void *values)
{
	const struct free_job job = {launch, elements, lines, nullptr, map, values};

	if (is_exact(accum))
		return exact_lines(launch, accum, elements, lines, values);
	return fold(&job, accum, domain);
}

size_t free_grid_scratch(enum accum accum, enum domain domain, const struct grid *grid)
{
	(void)domain;
	if (is_exact(accum))
		return exact_grid_scratch(accum, grid);
	return grid_parts_bytes(grid, part_size(accum));
}

cudaError_t free_grid(const struct launch *launch, enum accum accum, enum domain domain,
		      const struct elements *elements, const struct grid *grid, void *values)
{
	const struct free_job job = {launch, elements, nullptr, grid, nullptr, values};

	if (is_exact(accum))
		return exact_grid(launch, accum, elements, grid, values);
	return fold(&job, accum, domain);
}
