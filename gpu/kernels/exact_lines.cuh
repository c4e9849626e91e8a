/* exact_lines.cuh - what the parts of exact_lines() and exact_grid() (launch.h) have
 * in common. Long lines are read by whole blocks (exact_long.cuh), which add what
 * they find to the line's state in memory; whoever is last publishes. Short ones
 * are a warp's work or less (exact_columns.cuh, exact_few.cuh). */
#ifndef GPU_KERNELS_EXACT_LINES_CUH
#define GPU_KERNELS_EXACT_LINES_CUH

#include "gpu/kernels/launch.h"

/* Where results go: values, structs of `stride` bytes; or, where they are not
 * wanted (NULL), elements of type `to`, rounded, in out. */
struct exact_results {
	char *values;
	size_t stride;
	void *out;
	enum dtype to;
};

struct exact_work {
	const struct launch *launch;
	enum accum accum;
	const struct elements *elements;
	const struct lines *lines;
	struct exact_results results;
};

/* Elements from which on a line is long. */
constexpr uint64_t EXACT_LONG = 1u << 14;

/* A line's state, all 0 before and after: head and digits of one or more copies, to
 * which blocks add by turns. */
struct exact_head {
	uint32_t done;  /* parts of the line */
	uint32_t flags; /* enum exact_flags */
	uint32_t next;  /* which tile is to be read next */
	uint32_t unused;
};

constexpr unsigned EXACT_MOST_DIGITS = 70 + EXACTSUM_DIGITS; /* of float64's moments */
constexpr size_t EXACT_STATE = sizeof(struct exact_head) + EXACT_MOST_DIGITS * sizeof(uint64_t);

/* Whether equal lines are long ones. */
static inline bool exact_lines_are_long(const struct lines *lines)
{
	return lines->length >= EXACT_LONG || (lines->lines < 64 && lines->length > 512);
}

/* Bytes of the states of long lines; 0: one line, whose state the tickets are. */
static inline size_t exact_states_size(const struct lines *lines)
{
	if (lines->offsets != nullptr)
		return (lines->elements / EXACT_LONG + 2) * EXACT_STATE;
	return lines->lines > 1 && exact_lines_are_long(lines) ? lines->lines * EXACT_STATE : 0;
}

cudaError_t exact_long_half(const struct exact_work *work);
cudaError_t exact_long_narrow(const struct exact_work *work);
cudaError_t exact_long_narrow_moments(const struct exact_work *work);
cudaError_t exact_long_wide(const struct exact_work *work);
cudaError_t exact_long_wide_product(const struct exact_work *work);

#endif
