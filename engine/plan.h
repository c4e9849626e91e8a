/* plan.h - a job checked against an array: which accumulators, over which
 * lines, into which result types. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/accum.h"
#include "engine/finish.h"
#include "engine/job.h"
#include "engine/layout.h"
#include "engine/limits.h"
#include "engine/result.h"

struct plan_accum {
	enum accum accum;
	enum domain domain; /* in which its kernel sees the elements */
	double p;           /* ACCUM_POWER */
};

struct plan_op {
	unsigned accum;      /* index into plan.accums; `count` has none */
	struct op_spec spec; /* lp:1 and lp:2 have become l1 and l2 */
	enum dtype result;
	enum combine combine;
};

struct plan {
	const struct job *job;
	struct array_desc input;
	bool pair; /* dot: two arrays */
	struct layout layout;

	unsigned accum_count;
	struct plan_accum accums[JOB_MAX_OPS];
	unsigned op_count;
	struct plan_op ops[JOB_MAX_OPS];

	bool gather;          /* elements must be brought to C order first */
	uint64_t state_bytes; /* memory of accumulators, a CPU's estimate */
};

/* Everything that can be refused before an element is read is refused here:
 * bad_job, bad_dtype, bad_value (axes), bad_shape, exact_unsupported,
 * too_large. The job outlives the plan. y: the second array of a dot, or NULL. */
enum status plan_make(struct plan *out, const struct job *job, const struct array_desc *x,
		      const struct array_desc *y, const struct limits *limits, struct error *err);

/* What finish_value() needs for operation i; valid while the plan is. */
struct finish_args plan_finish_args(const struct plan *plan, unsigned i);

#endif
