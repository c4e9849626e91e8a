/* scan.cu - scan_lines() and scan_columns() of launch.h: which scans there are,
 * scratch, and whose work they are. */
#include "config.h"

#include "engine/integer.h"
#include "engine/order.h"
#include "gpu/kernels/scan_kinds.h"

constexpr size_t VALUE_SIZE = 16; /* the largest that is folded */

bool scan_served(const struct scan_job *job)
{
	const bool is_float = job->domain == DOMAIN_F64;

	if (job->exact && job->op == OP_SUM && is_float)
		return false;
	if (is_float)
		return dtype_is_float(job->result);
	return job->op != OP_PROD && !dtype_is_float(job->result);
}

static size_t up(size_t size)
{
	return (size + 255) / 256 * 256;
}

size_t scan_lines_scratch(const struct scan_job *, const struct lines *lines)
{
	const uint64_t tiles = (lines->length + SCAN_TILE - 1) / SCAN_TILE;

	if (lines->offsets != nullptr || tiles == 0)
		return 0;
	return up(lines->lines * (tiles + tiles / SCAN_LANES + 1) * VALUE_SIZE);
}

static cudaError_t scan_by_kind(const struct scan_call *call)
{
	const bool is_float = call->job->domain == DOMAIN_F64;

	switch (call->job->op) {
	case OP_SUM:
		return is_float ? scan_float_sum(call) : scan_integer_sums(call);
	case OP_PROD:
		return scan_float_prod(call);
	case OP_LOGSUMEXP:
		return scan_float_logsum(call);
	default:
		return is_float ? scan_float_extremes(call) : scan_integer_extremes(call);
	}
}

static cudaError_t scan_of(const struct launch *launch, const struct scan_job *job, const void *x,
			   const struct lines *lines, const struct columns *turned, void *out,
			   uint64_t *overflow)
{
	struct scan_call call = {launch, job, x, lines, {}};

	if (!scan_served(job))
		return cudaErrorNotSupported;
	call.out.out = out;
	call.out.dtype = job->result;
	call.out.rule = job->overflow;
	call.out.overflow = overflow;
	if (turned != nullptr)
		call.out.turned = *turned;
	if (!dtype_is_float(job->result)) {
		const struct integer_range range = integer_range_of(job->result);

		call.out.least = range.least;
		call.out.greatest = range.greatest;
	}
	if (cudaError_t code = cudaMemsetAsync(overflow, 0xff, sizeof(*overflow), launch->stream);
	    code != cudaSuccess)
		return code;
	return scan_by_kind(&call);
}

cudaError_t scan_lines(const struct launch *launch, const struct scan_job *job, const void *x,
		       const struct lines *lines, void *out, uint64_t *overflow)
{
	return scan_of(launch, job, x, lines, nullptr, out, overflow);
}

static struct lines lines_of(const struct columns *columns)
{
	const uint64_t lines = columns->outer * columns->inner;

	return {lines, columns->length, nullptr, lines * columns->length};
}

/* The elements turned, their prefixes, and what lines need. */
size_t scan_columns_scratch(const struct scan_job *job, const struct columns *columns)
{
	const struct lines lines = lines_of(columns);

	return up(lines.elements * dtype_size(job->input)) +
	       up(lines.elements * dtype_size(job->result)) + scan_lines_scratch(job, &lines);
}

cudaError_t scan_columns(const struct launch *launch, const struct scan_job *job, const void *x,
			 const struct columns *columns, void *out, uint64_t *overflow)
{
	const struct lines lines = lines_of(columns);
	const struct columns back = {columns->outer, columns->inner, columns->length};
	char *turned = (char *)launch->scratch;
	char *prefixes = turned + up(lines.elements * dtype_size(job->input));
	struct launch inner = *launch;
	cudaError_t code = cudaSuccess;

	inner.scratch = prefixes + up(lines.elements * dtype_size(job->result));
	if (lines.elements > 0)
		code = scan_turn(launch, x, columns, dtype_size(job->input), turned);
	if (code == cudaSuccess)
		code = scan_of(&inner, job, turned, &lines, columns, prefixes, overflow);
	if (code == cudaSuccess && lines.elements > 0)
		code = scan_turn(launch, prefixes, &back, dtype_size(job->result), out);
	return code;
}
