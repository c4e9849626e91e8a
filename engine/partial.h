/* partial.h - partial results: what a reduction over a part of the data keeps,
 * so that parts reduced at different times, on different machines, merge to the
 * bits of one reduction over everything (docs/partials.md).
 *
 * For operations that are exact: their state is integers, extremes and flags,
 * which merge in any order. Encoded, equal states are equal bytes. */
#ifndef ENGINE_PARTIAL_H
#define ENGINE_PARTIAL_H

#include <stddef.h>
#include "engine/limits.h"
#include "engine/plan.h"
#include "engine/result.h"

#define PARTIAL_VERSION 1u

/* A state in memory: operations (sorted by their keys), element type, NaN and
 * overflow rule, elements that came and that took part, accumulators. */
struct partial;

/* Whether a job may ask for its partial: STATUS_BAD_JOB at /partial for scans,
 * axes, segments, and operations whose accumulator is not exact under the job's
 * promise (the message names the operation). Called by plan_make(). */
enum status partial_check(const struct plan *plan, struct error *err);

/* Of one whole-array reduction: values: that of each accumulator of the plan; indices of extremes
 * count from job.index_base. */
enum status partial_create(const struct plan *plan, void *const *values, uint64_t count,
			   uint64_t length, struct partial **out, struct error *err);
void partial_destroy(struct partial *partial); /* NULL is fine */

/* *out is from malloc. */
enum status partial_encode(const struct partial *partial, unsigned char **out, size_t *size,
			   struct error *err);

/* STATUS_BAD_VALUE for anything that partial_encode() cannot have written:
 * another format or version, a wrong checksum, a form that is not canonical. The
 * message says which. */
enum status partial_decode(const void *bytes, size_t size, struct partial **out, struct error *err);

/* `into` becomes the state of both. STATUS_PARTIALS_DIFFER, and nothing has
 * changed, unless operations, element type and rules agree; the message names
 * what differs and both sides. STATUS_BAD_VALUE for more elements together than an
 * array may have. */
enum status partial_merge(struct partial *into, const struct partial *other, struct error *err);

/* What is chosen when a merge ends. */
struct partial_finish {
	bool given_ddof;
	uint64_t ddof;
	bool partial; /* the state goes on: what has no result yet is null, as
		       * in a job with `partial`, not an error */
	/* One type for all operations that take one, or by key: one that
	 * op_parse() gave. */
	bool has_out_dtype;
	enum dtype out_dtype;
	unsigned out_count;
	struct {
		char key[OP_KEY_SIZE];
		enum dtype dtype;
	} out[JOB_MAX_OPS];
};

/* The result of the state as if one exact job had read everything: the same
 * bits, the same errors (empty_input, integer_overflow; bad_job for a ddof or an
 * out_dtype that fits no operation). Indices count from 0 of the whole. *out is
 * the caller's; result.backend is "merge". */
enum status partial_finish(const struct partial *partial, const struct partial_finish *choice,
			   const struct limits *limits, struct result **out, struct error *err);

#endif
