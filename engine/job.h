/* job.h - what is asked for, free of any wire format and of where the
 * elements come from. proto/ makes one, engine/plan.c checks it against an
 * array. */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/op.h"

#define JOB_MAX_OPS 32u

enum job_kind { JOB_REDUCE, JOB_SCAN };
enum determinism { DETERMINISM_NONE, DETERMINISM_ORDERED, DETERMINISM_EXACT };
/* The numbers of these two are on the wire: docs/partials.md, 3.1. */
enum nan_rule { NAN_PROPAGATE, NAN_OMIT, NAN_ERROR };
enum overflow_rule { OVERFLOW_ERROR, OVERFLOW_WRAP, OVERFLOW_SATURATE };
enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

struct job_op {
	struct op_spec spec;
	bool has_out_dtype;
	enum dtype out_dtype;
};

/* Files, whose elements may lie in memory from another job. */
enum cache_rule {
	CACHE_USE,     /* and are kept when they do not */
	CACHE_REFRESH, /* are read anew, and kept */
	CACHE_NO
};

struct job {
	enum job_kind kind;
	unsigned op_count; /* 1 for a scan */
	struct job_op ops[JOB_MAX_OPS];

	bool has_axis; /* false: the whole array */
	unsigned axis_count;
	int64_t axes[ARRAY_MAX_NDIM]; /* as sent; negative from the end */
	bool keepdims;

	bool has_segments; /* then offsets[0..segment_count], owned */
	uint64_t segment_count;
	int64_t *offsets;

	enum determinism determinism;
	enum nan_rule nan;
	enum overflow_rule overflow;
	bool empty_null;
	uint64_t ddof;
	bool exclusive;
	uint64_t index_base;
	bool bits;
	bool partial; /* give the state too, to merge later (partial.h) */

	enum cache_rule cache;
	enum backend_choice backend;
	bool has_device; /* cuda:N: that one; else any */
	unsigned device;
	uint64_t timeout_ms; /* 0: none */

	/* Members that were written in the request and mean something only
	 * for some jobs; plan.c refuses those that mean nothing (bad_job). */
	struct {
		bool keepdims, ddof, exclusive, index_base, overflow, empty, nan;
	} given;
};

/* Whether a result that failed so is null, and the job goes on: nothing left and
 * empty: null; with a partial also what this part alone does not have. */
bool job_nulls(const struct job *job, enum status status);

const char *determinism_name(enum determinism determinism);

#endif
