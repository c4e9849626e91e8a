/* exact_lines.cu - exact_lines(), exact_lines_round() and exact_grid() of launch.h:
 * scratch, and whose work it is. */
#include "config.h"

#include "gpu/kernels/exact_lines.cuh"
#include "gpu/kernels/exact_columns.cuh"

static cudaError_t long_lines(const struct exact_work *work)
{
	const bool moments = work->accum == ACCUM_EXACT_MOMENTS;

	switch (work->elements->dtype) {
	case DTYPE_FLOAT16:
		return exact_long_half(work);
	case DTYPE_BFLOAT16:
	case DTYPE_FLOAT32:
		return moments ? exact_long_narrow_moments(work) : exact_long_narrow(work);
	case DTYPE_FLOAT64:
		return work->accum == ACCUM_EXACT_SUM || work->accum == ACCUM_EXACT_ABS
			       ? exact_long_wide(work)
			       : exact_long_wide_product(work);
	default:
		return cudaErrorInvalidValue;
	}
}

/* By offsets, lines that are very short and lines that are not are two kernels' work,
 * whatever the most of them are. */
static cudaError_t short_one(const struct exact_work *work, const struct grid *grid)
{
	const enum dtype dtype = work->elements->dtype;
	const bool sum = work->accum == ACCUM_EXACT_SUM || work->accum == ACCUM_EXACT_ABS;
	const bool product = !sum && dtype == DTYPE_FLOAT64;
	const struct lines *lines = work->lines;

	if (grid == nullptr && (lines->offsets != nullptr || lines->length <= EXACT_FEW)) {
		cudaError_t code = product ? exact_few_product(work) : exact_few_single(work);

		if (code != cudaSuccess || lines->offsets == nullptr)
			return code;
	}
	if (product)
		return exact_columns_product(work, grid);
	return sum && dtype != DTYPE_FLOAT64 ? exact_columns_narrow(work, grid)
					     : exact_columns_single(work, grid);
}

/* Moments of short lines are read twice: for the sums, and for the squares. */
static cudaError_t short_lines(const struct exact_work *work, const struct grid *grid)
{
	struct exact_work half = *work;
	cudaError_t code;

	if (work->accum != ACCUM_EXACT_MOMENTS)
		return short_one(work, grid);
	half.accum = ACCUM_EXACT_SUM;
	code = short_one(&half, grid);
	if (code != cudaSuccess)
		return code;
	half.accum = ACCUM_EXACT_SQUARE;
	half.results.values += offsetof(struct exact_moments, squares);
	return short_one(&half, grid);
}

static cudaError_t reduce(const struct exact_work *work)
{
	const struct lines *lines = work->lines;
	cudaError_t code;

	if (work->accum < ACCUM_EXACT_SUM || work->accum > ACCUM_EXACT_MOMENTS)
		return cudaErrorInvalidValue;
	if (lines->lines == 0)
		return cudaSuccess;
	if (lines->offsets == nullptr)
		return exact_lines_are_long(lines) ? long_lines(work) : short_lines(work, nullptr);
	code = short_lines(work, nullptr);
	if (code == cudaSuccess && lines->elements >= EXACT_LONG)
		code = long_lines(work);
	return code;
}

static size_t value_size(enum accum accum)
{
	return accum == ACCUM_EXACT_MOMENTS ? sizeof(struct exact_moments)
					    : sizeof(struct exactsum);
}

size_t exact_lines_scratch(enum accum accum, const struct lines *lines)
{
	(void)accum;
	return exact_states_size(lines);
}

cudaError_t exact_lines(const struct launch *launch, enum accum accum,
			const struct elements *elements, const struct lines *lines, void *values)
{
	const struct exact_work work = {
		launch,
		accum,
		elements,
		lines,
		{(char *)values, value_size(accum), nullptr, DTYPE_FLOAT64}};

	return reduce(&work);
}

cudaError_t exact_lines_round(const struct launch *launch, enum accum accum,
			      const struct elements *elements, const struct lines *lines,
			      enum dtype to, void *out)
{
	const struct exact_work work = {launch, accum, elements, lines, {nullptr, 0, out, to}};

	return accum == ACCUM_EXACT_MOMENTS ? cudaErrorInvalidValue : reduce(&work);
}

size_t exact_grid_scratch(enum accum accum, const struct grid *grid)
{
	const bool sum = accum == ACCUM_EXACT_SUM || accum == ACCUM_EXACT_ABS;
	struct short_job job = {};

	exact_columns_cut(grid, &job);
	if (!exact_columns_share(&job))
		return 0;
	return grid->lines *
	       (sizeof(struct exact_head) +
		(size_t)(sum ? column_single::DIGITS : column_product::DIGITS) * sizeof(uint64_t));
}

cudaError_t exact_grid(const struct launch *launch, enum accum accum,
		       const struct elements *elements, const struct grid *grid, void *values)
{
	const struct exact_work work = {
		launch,
		accum,
		elements,
		nullptr,
		{(char *)values, value_size(accum), nullptr, DTYPE_FLOAT64}};

	if (accum < ACCUM_EXACT_SUM || accum > ACCUM_EXACT_MOMENTS)
		return cudaErrorInvalidValue;
	return grid->lines == 0 ? cudaSuccess : short_lines(&work, grid);
}
